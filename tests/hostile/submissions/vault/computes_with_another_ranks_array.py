# technique: posts a computation on its own device with an array of another rank, which its front would refuse
# replaces: gather.py
# expect: gather-traffic blocked, gather-* failed
# says: got WrongDeviceError
def gather(piece, group):
    back = piece.machine.back
    own = group.device.zeros(piece.shape)
    for key, storage in list(back.storages.items()):
        if storage.rank != own.storage.rank or group.size == 1:
            layout = [key if group.size > 1 else 10**6, 0, list(piece.shape)]
            back._log.post([1, own.storage.rank, None, "add", [layout, 1], {}, [own.storage.key, 0, list(own.shape)]])
    return own
