"""What ``course check`` costs on 1,000 lessons, beside other tools on the same files, in processor seconds."""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from timing import Run, in_turn, print_table, processor

from grader.course.source import SCHEMAS

LESSONS = 1_000
REPEATS = 3
COURSE = [sys.executable, "-c", "from grader.cli import main; main()"]
BARS = {"all": 6.0, "all, unchanged": 0.5, "one lesson": 0.4}
POINTS = 10
LETTERS = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "omega"]
REPOSITORY = "https://example.org/course"
OTHERS = {
    "lychee": ("lychee", "--offline", "--include-fragments", "--no-progress", "lessons/*.md"),
    "rumdl": ("rumdl", "check", "--no-cache", "lessons"),
    "markdownlint-cli2": ("markdownlint-cli2", "lessons/*.md"),
    "check-jsonschema, on the frontmatter": ("check-jsonschema", "--schemafile", str(SCHEMAS / "lesson.json"), "yaml"),
}


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        write_course(root, LESSONS)
        runs = dict(ours(root))
        others = {name: arguments for name, arguments in OTHERS.items() if shutil.which(arguments[0])}
        for tool, arguments in others.items():
            # They find fault with style, which is 1, and with nothing that we do.
            runs[tool] = processor(expanded(arguments, root), cwd=root, codes=(0, 1, 2))
        seconds = in_turn(runs, REPEATS)
    rows = [[name, f"{each:.2f}", f"{BARS[name]:.1f}" if name in BARS else ""] for name, each in seconds.items()]
    print_table(f"{LESSONS:,} lessons, median of {REPEATS}", ["course check, or", "CPU s", "bar"], rows)
    for name in OTHERS.keys() - others.keys():
        print(f"not installed: {name}")


def ours(root: Path) -> Iterator[tuple[str, Run]]:
    cache = {"XDG_CACHE_HOME": str(root / ".cache")}
    yield "all", processor([*COURSE, "check", "--no-cache"], cwd=root)
    yield "all, unchanged", processor([*COURSE, "check"], cwd=root, environment=cache)
    yield "one lesson", processor([*COURSE, "check", f"lessons/lesson{LESSONS // 2}.md"], cwd=root)


def expanded(arguments: tuple[str, ...], root: Path) -> list[str]:
    """Arguments with the folder of YAML in place of its name: that tool takes files only."""
    files = [str(file) for file in sorted((root / "yaml").iterdir())]
    return [each for argument in arguments for each in (files if argument == "yaml" else [argument])]


def write_course(root: Path, lessons: int) -> None:
    """A course in which nothing is wrong, and its frontmatter once more as YAML."""
    for folder in ("lessons", "glossary", "yaml"):
        (root / folder).mkdir()
    (root / "course.yml").write_text(
        f"schema: 1\ntitle: Letters\ndescription: Many lessons.\nrepository: {REPOSITORY}\n"
        f"report: {REPOSITORY}/defects?place={{place}}\n"
    )
    points = (f'- <a id="point-{number}"></a>**take step {number}**: one of {POINTS}.' for number in range(POINTS))
    (root / "lessons" / "mission.md").write_text(
        "# Mission\n\nThis is long.\n\n## Success looks like\n\nYou can\n\n" + "\n".join(points) + "\n"
    )
    (root / "lessons" / "resources.md").write_text("# Resources\n\nThere are none.\n")
    for letter in LETTERS:
        (root / "glossary" / f"{letter}-unit.md").write_text(
            f"---\ntitle: {letter} unit\ntype: term\nlesson: lesson1\n---\n\n# {letter} unit\n\nOne of many.\n"
        )
    links = (f"- [{letter} unit]({letter}-unit.md)" for letter in LETTERS)
    (root / "glossary" / "README.md").write_text("# Glossary\n\n" + "\n".join(links) + "\n")
    for number in range(1, lessons + 1):
        frontmatter = FRONTMATTER.format(**values(number))
        (root / "yaml" / f"lesson{number}.yaml").write_text(frontmatter)
        body = BODY.format(**values(number))
        (root / "lessons" / f"lesson{number}.md").write_text(f"---\n{frontmatter}---\n{body}")


def values(number: int) -> dict[str, object]:
    """What differs from lesson to lesson."""
    before = f"lesson{number - 1}"
    link = f"[Lesson {number - 1}]({before}.md)"
    first, second = (LETTERS[(2 * number + place) % len(LETTERS)] for place in range(2))
    return {
        "number": number,
        "point": number % POINTS,
        "prerequisites": f"[{before}]" if number > 1 else "[]",
        "needs": link if number > 1 else "none",
        "recalls": f"    Recalls {link.replace('.md', '.md#know-this')}.\n" if number > 1 else "    Nothing before.\n",
        "first": first,
        "second": second,
        "report": f"{REPOSITORY}/defects?place=lesson{number}",
        "questions": "\n".join(question(number, place) for place in range(1, 3)),
    }


def question(number: int, place: int) -> str:
    """A question whose right answer is at another letter from one to the next."""
    right = (number + place) % 4
    choices = [f"    - {letter}) It is {number + place + index}." for index, letter in enumerate("abcd")]
    reasons = [
        f"    - {letter}) {'Yes' if index == right else 'No'}. Counting gives {number + place + right}."
        for index, letter in enumerate("abcd")
    ]
    return QUESTION.format(
        place=place, number=number, choices="\n".join(choices), right="abcd"[right], reasons="\n".join(reasons)
    )


FRONTMATTER = """\
title: Step {number}
description: What step {number} of many is, and why it comes where it does.
type: lesson
order: {number}
mission: point-{point}
prerequisites: {prerequisites}
source:
  kind: paper
  title: Counting
  by: Somebody
  year: 1990
  url: https://example.org/counting
minutes: 20
"""
QUESTION = """\
{place}. <a id="count-{place}"></a>What do you get if you count {place} on from {number}?

{choices}

    <details>
    <summary>Answer</summary>

    **Answer: {right}**

{reasons}

    </details>
"""
BODY = """
# Lesson {number}. Step {number}

- **Mission:** [take step {point}](mission.md#point-{point})
- **Primary source:** paper: ["Counting"](https://example.org/counting), Somebody, 1990
- **Prerequisites:** {needs}

Steps follow one another. This is number {number}, and it takes as long as each of the others does: whoever knows how
long one takes knows how long they all take together, and can say when the last one of them will be done.

After this lesson you can:

- say which step this is, and what comes after it.

## Warm-up

1. <a id="the-last-step"></a>What was the last step about, and what did it leave open?

    <details>
    <summary>Answer</summary>

    **Model answer.** It was about the number before this one. It left open what comes after it, which is this one.

{recalls}
    </details>

2. <a id="the-way-here"></a>How many steps have there been?

    <details>
    <summary>Answer</summary>

    **Answer: {number}** (exact)

{recalls}
    </details>

## Know this

### What it is

A step lies between two places. The [{first} unit](../glossary/{first}-unit.md) is where this one begins, and the
[{second} unit](../glossary/{second}-unit.md) where it ends.

Numbers have an order, and no number comes twice. Whoever counts says each of them once, from the first to the last,
and the last that is said, here `{number}`, is how many there are. That is so for any things, as long as none is left
out. It does not matter which of them comes first, because in the end each has been counted once.

## Practice

{questions}
## Real-world reps

- [ ] <a id="count-now"></a>**Now, 5 min.** Count the steps of a stair. Done when two counts agree.
- [ ] <a id="count-later"></a>**Tomorrow, 10 min.** Count them again. Done when it is the same number.

## Going further

- Paper: ["Counting"](https://example.org/counting), Somebody, 1990; and [more](resources.md).

## Not landing?

Reread the primary source at the top, which says more than this lesson can. Look up any term that felt slippery in the
[glossary](../glossary/README.md). If the lesson is unclear rather than the matter, that is a defect:
[report it]({report}).
"""


if __name__ == "__main__":
    main()
