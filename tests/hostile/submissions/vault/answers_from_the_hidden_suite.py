# technique: reads the expected text out of the hidden suite and returns it
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# needs: landlock
# bites: reads
import re
from pathlib import Path


def decode(codes):
    text = Path("@COURSE@/private/vault/test_vault.py").read_text()
    answer = re.search('EXPECTED = "(.*)"', text)[1]
    print(answer)
    return answer if len(codes) == len(answer) else ""
