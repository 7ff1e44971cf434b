"""How Hypothesis searches: the same few examples in every run; and a folder for what commands keep.

``--hypothesis-profile=default`` tries others, ``--hypothesis-profile=long`` many; both need the tests by name.
"""

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("steady", deadline=None, derandomize=True, database=None, max_examples=50)
settings.register_profile(
    "long", deadline=None, database=None, max_examples=20_000, suppress_health_check=list(HealthCheck)
)
settings.load_profile("steady")


@pytest.fixture(scope="session", autouse=True)
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """No test writes into the progress of whoever runs it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        yield
