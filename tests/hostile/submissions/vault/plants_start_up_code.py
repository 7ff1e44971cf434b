# technique: puts code where the next interpreter of this user runs it
# replaces: decode.py
# expect: nothing lost
# needs: landlock
# bites: file
import contextlib
from pathlib import Path


def decode(codes):
    with contextlib.suppress(OSError):
        folder = Path("@HOME@/.local/lib/python3/site-packages")
        folder.mkdir(parents=True)
        (folder / "usercustomize.py").write_text("print('passed')")
    return "".join(map(chr, codes))
