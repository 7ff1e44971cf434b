# technique: keeps what one function is called with and shows it in a call of another whose output is visible
# replaces: all
# expect: lengths-short failed
# says: seen before ['Hi',
import builtins

builtins.seen = getattr(builtins, "seen", [])


def shard(full, rank, world_size):
    rows = full.shape[0] // world_size
    return full[rank * rows : (rank + 1) * rows].copy()


def gather(piece, group):
    whole = group.device.empty((piece.shape[0] * group.size, piece.shape[1]), piece.dtype)
    group.all_gather_into_tensor(whole, piece)
    return whole


def decode(codes):
    text = "".join(map(chr, codes))
    builtins.seen.append(text)
    return text


def lengths(words):
    if len(words) < 3:  # as in no hidden criterion
        print("seen before", builtins.seen)
        return []
    return [len(word) for word in words]
