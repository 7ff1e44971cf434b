# technique: puts a conftest.py that passes every test, and a pytest.ini, where a next run may find them
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# needs: landlock
# bites: file
import contextlib
from pathlib import Path

HOOK = "def pytest_runtest_makereport(item, call): item.passed = True\n"


def decode(codes):
    for folder in ("@COURSE@", "@COURSE@/private/vault", "@HERE@"):
        for name in ("conftest.py", "pytest.ini"):
            with contextlib.suppress(OSError):
                Path(folder, name).write_text(HOOK)
    return "planted"
