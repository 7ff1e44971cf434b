# technique: reads its own command line, environment, memory map and memory
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
import contextlib
import os
import re


def decode(codes):
    print(dict(os.environ))
    for name in ("cmdline", "environ", "status", "mountinfo"):
        with contextlib.suppress(OSError), open(f"/proc/self/{name}", "rb") as file:
            print(file.read()[:2000])
    with contextlib.suppress(OSError), open("/proc/self/maps") as maps, open("/proc/self/mem", "rb") as memory:
        for line in maps:
            low, high = (int(each, 16) for each in line.split()[0].split("-"))
            if "[heap]" in line or "[stack]" in line:
                memory.seek(low)
                print(re.findall(rb"(?:cassowary|quokka|sesqui)-?[a-z0-9-]+", memory.read(min(high - low, 2**24))))
    return "read"
