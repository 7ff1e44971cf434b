# technique: returns references to storages that there are not, beyond a storage, or with layouts that make no sense
# replaces: gather.py
# expect: gather-traffic blocked, gather-* failed
# says: The worker's log makes no sense
def gather(piece, group):
    piece.storage.size = 10**9
    return type(piece)(piece.machine, piece.storage, piece.layout._replace(offset=10**8, strides=(-(2**62), 2**62)))
