"""Rules about the keys and values at the head of a lesson or a term."""
