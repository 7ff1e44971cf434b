"""Rules about ``course.yml``."""
