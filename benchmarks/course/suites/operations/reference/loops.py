"""Functions that do nothing but operations, many times over."""

from grader.devices import DeviceArray, Group


def elementwise(x: DeviceArray, times: int) -> None:
    """Two acts a turn: a new array, and the end of the last one."""
    for _ in range(times):
        x = x + 1


def in_place(x: DeviceArray, times: int) -> None:
    """One act a turn."""
    for _ in range(times):
        x += 1


def layers(piece: DeviceArray, times: int, group: Group) -> None:
    """The acts of a sharded layer: gather, multiply, free, reduce-scatter."""
    inputs = group.device.zeros((1, 8))
    for _ in range(times):
        weight = group.device.empty((8, 8))
        group.all_gather_into_tensor(weight, piece)
        outputs = inputs @ weight
        gradient = inputs.T @ outputs
        weight.free()
        mean = group.device.empty((1, 8))
        group.reduce_scatter_tensor(mean, gradient, op="avg")
        piece -= 0.5 * mean


def read(x: DeviceArray, times: int) -> None:
    """One act a turn that waits for its answer: 64 bytes."""
    for _ in range(times):
        x.numpy()
