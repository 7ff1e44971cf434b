"""What pytest finds by itself."""

import pytest
from helpers import SECRET_SIZES


@pytest.fixture(autouse=True)
def always():
    return "always there"


@pytest.fixture
def asked_for():
    return "asked for by name"


@pytest.fixture
def for_the_hidden():
    return SECRET_SIZES
