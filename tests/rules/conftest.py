"""Most pages are the same in every test: each content of a page is read once."""

from collections.abc import Iterator
from functools import cache

import pytest

from grader.course import library
from grader.course.markdown import read_page


@pytest.fixture(scope="package", autouse=True)
def pages_read_once() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(library, "read_page", cache(read_page))
        yield
