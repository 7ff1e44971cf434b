# technique: raises exceptions whose text is no text, or is one of a class of its own
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
class Text(str):
    def __len__(self):
        return -5

    def __getitem__(self, key):
        raise KeyboardInterrupt


class Lies(Exception):
    def __str__(self):
        return Text("fine")


def decode(codes):
    raise Lies
