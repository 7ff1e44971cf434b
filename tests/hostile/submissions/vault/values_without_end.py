# technique: prints the placeholder of a printed array thousands of times in one long line
# replaces: gather.py
# expect: gather-traffic blocked, gather-* failed
def gather(piece, group):
    print(str(group.device.zeros((100, 1))) * 2300, flush=True)
    return piece
