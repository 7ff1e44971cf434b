# technique: runs the all-gather twice and empties its front's ledger
# replaces: gather.py
# expect: gather-traffic failed
def gather(piece, group):
    rows, columns = piece.shape
    whole = group.device.empty((rows * group.size, columns), piece.dtype)
    for _ in range(2):
        group.all_gather_into_tensor(whole, piece)
    piece.machine.ledger.events.clear()
    return whole
