"""Rules about what a lesson asks to be done in the real world."""
