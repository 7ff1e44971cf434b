"""Real torch as the measure of the simulated cluster. README.md says what is measured, and how to measure again."""
