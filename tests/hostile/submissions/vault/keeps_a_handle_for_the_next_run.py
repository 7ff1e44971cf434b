# technique: uses the result of an earlier run on another cluster
# replaces: gather.py
# expect: gather-traffic blocked, gather-* failed
# says: array of another cluster
import builtins

KEPT = builtins.__dict__.setdefault("kept", {})


def gather(piece, group):
    rows, columns = piece.shape
    whole = group.device.empty((rows * group.size, columns), piece.dtype)
    group.all_gather_into_tensor(whole, piece)
    earlier, KEPT[group.rank] = KEPT.get(group.rank, whole), whole
    return earlier + 0 * whole
