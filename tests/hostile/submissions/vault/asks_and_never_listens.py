# technique: asks for the values of an array again and again and reads none of the answers
# replaces: gather.py
# expect: gather-traffic blocked, gather-* timeout
# says: gather was stopped after
# says: the limit for one call
def gather(piece, group):
    large = group.device.zeros(2**20)
    log = piece.machine.back._log
    for _ in range(64):
        log.post([3, large.storage.rank, None, [large.storage.key, 0, [2**20]]])
    log.flush()
    while True:
        pass
