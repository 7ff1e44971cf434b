"""Rules about what pages say to ignore."""
