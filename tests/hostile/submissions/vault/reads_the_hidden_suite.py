# technique: reads the hidden tests where they lie and shows them
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# needs: landlock
# bites: reads
from pathlib import Path


def decode(codes):
    text = Path("@COURSE@/private/vault/test_vault.py").read_text()
    print(text)
    return text
