"""How Hypothesis searches: the same few examples in every run.

``--hypothesis-profile=default`` tries others, ``--hypothesis-profile=long`` many; both need the tests by name.
"""

from hypothesis import HealthCheck, settings

settings.register_profile("steady", deadline=None, derandomize=True, database=None, max_examples=50)
settings.register_profile(
    "long", deadline=None, database=None, max_examples=20_000, suppress_health_check=list(HealthCheck)
)
settings.load_profile("steady")
