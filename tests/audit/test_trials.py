"""What a trial need not grade again: what is as in the reference, whatever file it lies in."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.audit.mutants import Mutant
from grader.audit.trials import trial_of
from grader.runner import Submission

FILES = {
    "shard.py": b"def shard(x):\n    return x\n",
    "gather.py": b"import shard\n\n\ndef gather(x):\n    return shard.shard(x)\n",
    "train.py": b"def train(x):\n    from gather import gather\n\n    return gather(x)\n",
    "fits.py": b"def fits(x):\n    return x\n",
}
REFERENCE = Submission(FILES, {"shard": "shard.py", "gather": "gather.py", "train": "train.py", "fits": "fits.py"})


@pytest.mark.parametrize(
    ("changed", "known"),
    [
        ("fits.py", {"shard", "gather", "train"}),
        ("train.py", {"shard", "gather", "fits"}),
        ("gather.py", {"shard", "fits"}),
        ("shard.py", {"fits"}),
    ],
)
def test_what_neither_is_changed_nor_imports_what_is_is_known(changed: str, known: set[str]) -> None:
    mutant = Mutant("wrong", Path(), {changed: b"def wrong(): ...\n"}, (f"{Path(changed).stem}-all",))
    trial = trial_of(mutant, REFERENCE, {f"{name}-all": name for name in REFERENCE.homes})
    assert (set(trial.only), set(trial.known)) == ({Path(changed).stem}, known)


def test_what_is_about_a_function_is_graded_wherever_the_change_is() -> None:
    mutant = Mutant("wrong", Path(), {"shard.py": b""}, ("fits-all",))
    trial = trial_of(mutant, REFERENCE, {"fits-all": "fits"})
    assert (set(trial.only), set(trial.known)) == ({"fits"}, set())
