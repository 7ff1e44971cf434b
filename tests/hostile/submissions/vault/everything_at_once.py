# technique: one file for all functions that prints, keeps, patches and returns what it was given
# replaces: all
# expect: gather-traffic blocked, decode-random blocked
# expect: shard-* failed, gather-* failed, decode-* failed, lengths-* failed
import builtins

builtins.len = builtins.isinstance = lambda *args: True


def shard(first, *rest):
    print(first, rest)
    return first


gather = decode = lengths = shard
