"""Rules about links, and about what hides links: they hold for any tree of Markdown."""
