"""What pytest finds by itself."""

import pytest


@pytest.fixture(autouse=True)
def always():
    return "always there"


@pytest.fixture
def asked_for():
    return "asked for by name"
