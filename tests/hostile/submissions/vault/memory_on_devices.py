# technique: fills a device with arrays, while it tells its own front that there is room
# replaces: gather.py
# expect: gather-traffic blocked, gather-* failed
# says: OutOfMemoryError
def gather(piece, group):
    for memory in piece.machine.memory.values():
        memory.capacity = 2**60
    return [group.device.zeros(2**22) for _ in range(100)]
