"""What is in these folders is graded, never imported here."""

collect_ignore = ["course", "submissions"]
