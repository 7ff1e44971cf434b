# technique: raises an exception whose metaclass gives it another name and other bases
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: got
class Meta(type):
    @property
    def __mro__(cls):
        raise KeyboardInterrupt

    @property
    def __name__(cls):
        return 5


class Claims(ValueError, metaclass=Meta):
    pass


def decode(codes):
    raise Claims("no")
