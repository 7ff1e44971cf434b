"""How soon ``course --help`` answers, against the import of click alone and an interpreter that does nothing."""

from __future__ import annotations

import sys
from pathlib import Path

from timing import command, in_turn, print_table, scaled

HERE = Path(__file__).parent
COURSE = [sys.executable, "-c", "from grader.cli import main; main()"]
REPEATS = 21


def main() -> None:
    seconds = in_turn(
        {
            "import click": command([sys.executable, "-c", "import click"], cwd=HERE),
            "course --help": command([*COURSE, "--help"], cwd=HERE),
            "nothing": command([sys.executable, "-c", "pass"], cwd=HERE),
        },
        REPEATS,
    )
    base = seconds["import click"]
    rows = [[name, scaled(each), f"{each / base:.2f}"] for name, each in seconds.items()]
    print_table(f"Help, median of {REPEATS}", ["python -c, or course", "time", "ratio"], rows)


if __name__ == "__main__":
    main()
