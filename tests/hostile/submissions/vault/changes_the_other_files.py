# technique: changes the learner's files that the worker keeps, and the functions that are loaded already
# replaces: shard.py
# expect: decode-small failed, decode-random blocked
# says: changed
import gc


def shard(full, rank, world_size):
    for each in gc.get_objects():
        if type(each).__name__ == "RankModules":
            each._sources["decode"] = (
                "decode.py",
                b"def decode(codes):\n    print('changed')\n    return ''",
            )
    rows = full.shape[0] // world_size
    return full[rank * rows : (rank + 1) * rows].copy()
