# technique: writes a line number that no int is made of into the pipe for crash reports, and dies
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: exit code 1
import os
import stat


def decode(codes):
    for descriptor in range(3, 12):
        try:
            if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
                os.write(descriptor, b'File "decode.py", line ' + b"1" * 5000 + b" in decode\n")
        except OSError:
            continue
    os._exit(1)
