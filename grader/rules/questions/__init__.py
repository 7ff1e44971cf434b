"""Rules about questions, their choices and their answers."""
