"""A learner's functions at scale, in a worker as when they are graded."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from grader.authoring.measure import Run, measured
from grader.authoring.plugin import load_given
from grader.authoring.trouble import StudentError, Trouble
from grader.course import Exercise
from grader.devices import RANK, per_rank
from grader.limits import Limits
from grader.runner.handle import Setup
from grader.runner.remote import Link, RemoteStudent
from grader.runner.start import only_a_zygote
from grader.runner.submission import Submission

from .model import ADAM_BYTES, BYTES, DTYPE, Cost, Model, cost_of

NEEDED = ("shard", "train_step")
# A step of a trillion parameters is thousands of operations.
LIMITS = Limits(seconds=300, wall_seconds=600, total_seconds=3600)


class CannotRun(Exception):
    """The learner's functions do not get through a step at this size: which, where and why, in words."""


class Learner:
    """Measures one submission; close it, or use ``with``."""

    def __init__(self, link: Link, layer: Callable[[str, tuple[int, int]], Any]) -> None:
        self._student = RemoteStudent(link)
        self._layer = layer

    @classmethod
    @contextlib.contextmanager
    def of(cls, submission: Submission, exercise: Exercise) -> Iterator[Learner]:
        """The functions of a submission, ready to be called in a worker."""
        given = {name: exercise.folder / name for name in exercise.given}
        load_given(list(given.values()))
        setup = Setup(submission.files, submission.homes, _read(given), exercise.imports, LIMITS)
        with only_a_zygote() as control, contextlib.closing(Link(control, setup, {}, lambda: None)) as link:
            yield cls(link, import_module("layers").Linear)

    def cost(self, model: Model, devices: int) -> tuple[Cost, Run]:
        """What a training step costs on so many devices, and all that happened in it; CannotRun if it fails.

        The learner has no optimizer: what Adam would keep of the pieces lies beside them all the time.
        """
        try:
            return self._cost(model, devices)
        except StudentError as error:
            raise CannotRun(_words(error.trouble)) from None

    def _cost(self, model: Model, devices: int) -> tuple[Cost, Run]:
        cluster = model.cluster(devices)
        student = self._student
        layers = [self._layer(each.name, each.shape) for each in model.layers]
        shards: list[dict[str, object]] = [{} for _ in cluster.ranks]
        for layer in layers:
            wholes = [device.empty(layer.shape, DTYPE) for device in cluster.devices]
            pieces = cluster.run(student.shard, per_rank(wholes), RANK, devices)
            for held, piece in zip(shards, pieces, strict=True):
                held[layer.name] = piece
            del wholes, pieces
        at_rest = [_at_rest(device.memory_allocated()) for device in cluster.devices]
        states = [
            device.empty(rest["optimizer"], "int8") for device, rest in zip(cluster.devices, at_rest, strict=True)
        ]
        shape = (model.rows, model.side)
        batches = [[(device.zeros(shape, DTYPE), device.zeros(shape, DTYPE))] for device in cluster.devices]
        run = measured(cluster, student.train_step, layers, per_rank(shards), per_rank(batches), cluster.world, 0.5)
        del states
        return cost_of("yours", model, devices, run, at_rest), run


def _at_rest(parameters: int) -> dict[str, int]:
    return {"parameters": parameters, "gradients": 0, "optimizer": parameters // BYTES * ADAM_BYTES}


def _words(trouble: Trouble) -> str:
    if trouble.type == "NotImplementedError":
        return f"{trouble.function} is not written yet."
    where = f"{trouble.where.file}, line {trouble.where.line}: " if trouble.where else ""
    kind = f"{trouble.type}: " if trouble.type else ""
    return f"{trouble.function} fails at this size.\n  {where}{kind}{trouble.text}"


def _read(paths: dict[str, Path]) -> dict[str, bytes]:
    return {name: path.read_bytes() for name, path in paths.items()}
