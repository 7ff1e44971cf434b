# technique: posts thousands of matrix products in one frame, each as large as is let through
# replaces: gather.py
# expect: gather-traffic blocked, gather-* timeout
def gather(piece, group):
    log = piece.machine.back._log
    left, right = group.device.zeros((700, 700)), group.device.zeros((700, 700))
    log.flush()
    one, two = ([each.storage.key, 0, [700, 700]] for each in (left, right))
    log._entries += [[1, left.storage.rank, None, "matmul", [one, one], {}, two]] * 12_000
    log.flush()
    return piece
