# technique: reads what lies in the home folder and in a temporary folder, and shows it
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: got PermissionError
# needs: landlock
# bites: reads
from pathlib import Path


def decode(codes):
    text = Path("@TEMPORARY@/secret.txt").read_text() + Path("@HOME@/secret.txt").read_text()
    print(text)
    return text
