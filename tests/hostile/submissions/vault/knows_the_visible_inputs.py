# technique: has the answers to the inputs that a report shows, and no others
# replaces: decode.py
# expect: decode-random failed, decode-hidden-text failed
ANSWERS = {(72, 105): "Hi"}


def decode(codes):
    return ANSWERS.get(tuple(codes), "")
