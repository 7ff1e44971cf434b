# technique: ends the process with a code that says all is well, before any function is called
# replaces: lengths.py
# expect: lengths-* failed
# says: ended its process with exit code 0
import os

os._exit(0)
