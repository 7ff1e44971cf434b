"""Rules about files, whatever they say."""
