"""What a strategy costs by the ledger, and by the formulas, in the same form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from grader.devices import Cluster, DeviceArray, Group, per_rank

from .catalogue import load
from .formulas import Case, Cost, UnitSize, predict, size_of
from .layers import Layer
from .strategy import DEFAULT, Settings, Strategy, units_of, visits_of

Batches = list[tuple[DeviceArray, DeviceArray]]


def prepared(
    cluster: Cluster,
    name: str,
    layers: Sequence[Layer],
    rows: int = 1,
    settings: Settings = DEFAULT,
    micro_batches: int = 1,
) -> tuple[list[Strategy], list[Batches]]:
    """By rank that runs, a model of a strategy and the batches of a step, with zeros for numbers.

    ``layers`` are of shape (out, in).
    """
    precision = settings.precision

    def model(group: Group) -> Strategy:
        return load(name)(layers, lambda layer: group.device.zeros(layer.shape, precision.kept), group, settings)

    shapes = (rows, layers[0].shape[1]), (rows, layers[-1].shape[0])
    batches = [
        [(device.zeros(shapes[0], precision.compute), device.zeros(shapes[1], precision.compute))] * micro_batches
        for device in cluster.devices
    ]
    return cluster.run(model, cluster.world), batches


def measure(
    cluster: Cluster,
    name: str,
    layers: Sequence[Layer],
    rows: int = 1,
    settings: Settings = DEFAULT,
    micro_batches: int = 1,
) -> Cost:
    """Make one step of what is ``prepared``, and read the ledger of rank 0. See ``predicted`` for an example.

    Where the cluster has hardware, also how long the step takes.
    """
    models, batches = prepared(cluster, name, layers, rows, settings, micro_batches)
    device = cluster.devices[0]
    device.reset_peak_memory_stats()
    rest, mark = device.memory_allocated(), len(cluster.ledger.events)
    cluster.run(lambda model, given: model.step(layers, given, lr=0.5), per_rank(models), per_rank(batches))
    ledger = cluster.ledger.since(mark)
    collectives = Counter(event.operation for event in ledger.collectives() if event.share(0) is not None)
    sent = {operation: ledger.bytes_sent(0, operation) for operation in collectives}
    time = ledger.time(0) if ledger.spans(0) else None
    return Cost(models[0].bytes_at_rest(), dict(collectives), sent, device.max_memory_allocated() - rest, time)


def predicted(
    devices: int,
    name: str,
    layers: Sequence[Layer],
    rows: int = 1,
    settings: Settings = DEFAULT,
    micro_batches: int = 1,
) -> Cost:
    """The same by formulas; ``peak`` is a bound.

    >>> from grader.strategies import Linear
    >>> layers = [Linear(f"layer{number}", (64, 64)) for number in range(6)]
    >>> by_ledger, by_formula = measure(Cluster(4), "stage3", layers), predicted(4, "stage3", layers)
    >>> by_ledger.at_rest == by_formula.at_rest, by_ledger.sent == by_formula.sent
    (True, True)
    >>> by_ledger.peak, by_formula.peak
    (34560, 34816)
    """
    plan = load(name).plan
    shared = settings.node_size if plan.replicated else devices
    return predict(
        Case(
            plan,
            unit_sizes(layers, settings, shared),
            shared,
            settings.precision,
            settings.optimizer,
            micro_batches,
            replicas=devices // shared,
            node_size=settings.node_size,
            prefetch=settings.prefetch,
            activations=activations(layers, rows, settings),
        )
    )


def unit_sizes(layers: Sequence[Layer], settings: Settings, devices: int) -> list[UnitSize]:
    """The units as formulas see them, for a step with all ``layers``."""
    units = units_of(layers, settings, devices)
    visits = Counter(visit.unit for visit in visits_of(layers, units))
    return [
        UnitSize(
            elements=sum(unit.sharding.sizes),
            piece=unit.sharding.piece,
            trainable=unit.trainable,
            visits=visits[unit],
            parameters=len(unit.names),
            columns=len(unit.sharding.columns),
        )
        for unit in units
    ]


def activations(layers: Sequence[Layer], rows: int, settings: Settings) -> int:
    """Bytes of activations at most: every layer's outputs, and two of their gradients."""
    widths = [layer.shape[0] for layer in layers]
    widest = max(max(layer.shape) for layer in layers)
    return (sum(widths) + 2 * widest) * rows * size_of(settings.precision.compute)
