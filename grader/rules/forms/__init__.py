"""Rules about the forms by which learners report defects."""
