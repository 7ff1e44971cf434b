# technique: executes the model solution where it lies
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: got PermissionError
# needs: landlock
import runpy


def decode(codes):
    return runpy.run_path("@COURSE@/private/vault/reference/decode.py")["decode"](codes)
