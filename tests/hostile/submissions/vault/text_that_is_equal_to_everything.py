# technique: returns a str of a class of its own with comparisons that always agree
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: an object of type decode.Text
class Text(str):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    __hash__ = str.__hash__


def decode(codes):
    return Text("any")
