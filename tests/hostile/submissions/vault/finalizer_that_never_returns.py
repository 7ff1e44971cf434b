# technique: leaves an object behind whose finalizer loops
# replaces: gather.py
# expect: gather-traffic blocked, gather-* timeout
# says: gather was stopped after
# says: the limit for one call
class Clings:
    def __del__(self):
        while True:
            pass


def gather(piece, group):
    Clings()
    whole = group.device.empty((len(piece) * group.size, piece.shape[1]), piece.dtype)
    group.all_gather_into_tensor(whole, piece)
    return whole
