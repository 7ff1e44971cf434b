"""Rules about the parts of a lesson that are the same in all."""
