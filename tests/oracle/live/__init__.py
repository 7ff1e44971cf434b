"""Scripts that run torch. ``python -m tests.oracle.live`` writes the goldens."""
