"""A baseline: findings that were there before, so that only new ones count."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from grader.results import Check, Finding

FORMAT = 1
KEYS = ("path", "rule", "line")


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """A known finding: its rule, its file and the text of the line that it begins in, wherever that line is now."""

    path: str
    rule: str
    line: str

    def __str__(self) -> str:
        return f"{self.path}: {self.rule}" + (f", `{self.line}`" if self.line else "")


Baseline = Mapping[Entry, int]


def baseline_of(check: Check) -> Baseline:
    """The baseline that knows every finding of ``check``."""
    return Counter(_entry(finding, check) for finding in check.findings)


def parse(text: str) -> Baseline:
    """Read what ``dump`` wrote; ValueError, with what is wrong, for anything else."""
    data = json.loads(text)
    if not isinstance(data, dict) or data.get("format") != FORMAT or not isinstance(data.get("findings"), list):
        raise ValueError(f"no baseline of format {FORMAT}")
    known: Counter[Entry] = Counter()
    for number, each in enumerate(data["findings"], 1):
        if not isinstance(each, dict) or not all(isinstance(each.get(key), str) for key in KEYS):
            raise ValueError(f"finding {number} must have {', '.join(KEYS)} as text")
        count = each.get("count", 1)
        if not isinstance(count, int) or count < 1:
            raise ValueError(f"finding {number} must have a count of 1 or more")
        known[Entry(*(each[key] for key in KEYS))] += count
    return known


def dump(baseline: Baseline) -> str:
    """Write a baseline as JSON, an entry a line, so that a version control system shows what changes."""
    lines = ",\n".join(f"    {_dump_entry(entry, count)}" for entry, count in sorted(baseline.items()))
    return f'{{\n  "format": {FORMAT},\n  "findings": [\n{lines}\n  ]\n}}\n'


def without(check: Check, baseline: Baseline) -> Check:
    """What ``check`` found beyond the baseline."""
    left = Counter(baseline)
    new = []
    for finding in check.findings:
        entry = _entry(finding, check)
        if left[entry] > 0:
            left[entry] -= 1
        else:
            new.append(finding)
    return replace(check, findings=tuple(new))


def gone(check: Check, baseline: Baseline, paths: Collection[str] | None) -> Baseline:
    """What is in the baseline and no longer found, as far as it was looked for: by the rules that ran, in ``paths``."""
    left = Counter(baseline)
    left.subtract(baseline_of(check))
    return {entry: count for entry, count in left.items() if count > 0 and _looked_for(entry, check, paths)}


def not_judged(check: Check, baseline: Baseline, paths: Collection[str] | None) -> Baseline:
    """What is in the baseline and was not looked for."""
    return {entry: count for entry, count in baseline.items() if not _looked_for(entry, check, paths)}


def _looked_for(entry: Entry, check: Check, paths: Collection[str] | None) -> bool:
    return entry.rule in check.rules and (paths is None or entry.path in paths)


def _entry(finding: Finding, check: Check) -> Entry:
    line = "" if finding.line is None else check.lines.get((finding.path, finding.line), "")
    return Entry(finding.path, finding.rule, line.strip())


def _dump_entry(entry: Entry, count: int) -> str:
    values = {key: getattr(entry, key) for key in KEYS}
    return json.dumps(values if count == 1 else values | {"count": count}, ensure_ascii=False)
