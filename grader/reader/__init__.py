"""A page of the course for the terminal: from the tokens that the checker reads to lines of text."""

from grader.reader.render import Links, Options, fragment, render

__all__ = ["Links", "Options", "fragment", "render"]
