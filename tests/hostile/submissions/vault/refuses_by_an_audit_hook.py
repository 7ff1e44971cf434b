# technique: adds an audit hook that no one can take away, and that refuses what a worker does
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
import sys


def refuse(event, arguments):
    if event in ("open", "import", "compile", "exec") and "lengths" not in str(arguments):
        raise RuntimeError(event)


def decode(codes):
    sys.addaudithook(refuse)
    return "hooked"
