# technique: loops inside one C function, which no signal handler of Python interrupts
# replaces: gather.py
# expect: gather-traffic blocked, gather-* timeout
# says: gather was stopped after
# says: the limit for one call
def gather(piece, group):
    return str(sum(range(10**13)))
