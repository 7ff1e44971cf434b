"""Submissions that mean harm, graded for real, and what they must not get away with."""
