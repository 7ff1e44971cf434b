# technique: returns an object that runs a command in whoever unpickles it, and replaces the picklers
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: an object of type decode.Payload
import os
import pickle


class Payload:
    def __reduce__(self):
        return os.system, ("touch @HERE@/hostile-pickle",)


def decode(codes):
    pickle.dumps = pickle.dump = lambda *args, **kwargs: pickle._dumps(Payload())
    return Payload()
