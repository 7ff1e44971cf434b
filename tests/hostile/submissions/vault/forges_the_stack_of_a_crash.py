# technique: fills the pipe for crash reports with a stack of its own that blames another line, and dies
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: exit code 1
import os
import stat


def decode(codes):
    for descriptor in range(3, 12):
        try:
            if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                os.set_blocking(descriptor, False)
                os.write(descriptor, b'  File "decode.py", line 99999 in decode\n' * 2000)
        except OSError:
            continue
    os._exit(1)
