"""How Hypothesis searches here: the same examples in every run; ``--hypothesis-profile=default`` tries others."""

from hypothesis import settings

settings.register_profile("steady", deadline=None, derandomize=True, database=None, max_examples=50)
settings.load_profile("steady")
