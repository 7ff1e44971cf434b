# technique: changes another file that the worker keeps, and then says that it is not written yet
# replaces: decode.py
# expect: decode-* todo
import gc


def decode(codes):
    for each in gc.get_objects():
        if type(each).__name__ == "RankModules":
            each._sources["lengths"] = ("lengths.py", b"def lengths(words):\n    return []")
    raise NotImplementedError
