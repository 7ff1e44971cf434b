# technique: puts modules of its own in the place of the worker's, for all that comes after
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
import sys
from types import ModuleType


class Agrees(ModuleType):
    def __getattr__(self, name):
        return lambda *args, **kwargs: "passed"


def decode(codes):
    for name in [each for each in sys.modules if each.startswith("grader.")]:
        sys.modules[name] = Agrees(name)
    return "replaced"
