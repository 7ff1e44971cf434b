# technique: changes, empties, renames and removes what lies around
# replaces: decode.py
# expect: nothing lost
# needs: landlock
# bites: file
import contextlib
import os


def decode(codes):
    for act in (
        lambda: os.chmod("@HOME@/secret.txt", 0o777),
        lambda: os.utime("@TEMPORARY@/secret.txt", (0, 0)),
        lambda: os.truncate("@TEMPORARY@/secret.txt", 0),
        lambda: os.symlink("/etc/passwd", "@HERE@/hostile-link"),
        lambda: os.rename("@HOME@/secret.txt", "@HOME@/taken.txt"),
        lambda: os.remove("@COURSE@/course.yml"),
    ):
        with contextlib.suppress(OSError):
            act()
    return "".join(map(chr, codes))
