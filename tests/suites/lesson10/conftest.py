"""The designs are submissions, and no tests."""

collect_ignore = ["designs"]
