"""What a benchmark counts and no machine makes faster is held to its bar here."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
COUNT = """
from operations import HERE, Course, count
print(count(Course.find(HERE.parent).exercise("lesson10")).total())
"""


def test_the_suite_of_lesson_10_issues_at_most_10_000_operations_on_the_reference() -> None:
    command = [sys.executable, "-c", COUNT]
    counted = subprocess.run(command, cwd=BENCHMARKS, capture_output=True, text=True, check=True)
    assert 1_000 < int(counted.stdout) <= 10_000
