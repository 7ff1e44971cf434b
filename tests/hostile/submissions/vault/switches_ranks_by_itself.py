# technique: resumes and kills the other ranks past the scheduler
# replaces: gather.py
# expect: gather-traffic blocked, gather-* failed
import gc

from greenlet import getcurrent


def gather(piece, group):
    for each in gc.get_objects():
        if type(each).__name__ == "RankGreenlet" and each is not getcurrent() and not each.dead:
            each.throw(KeyboardInterrupt)
    return getcurrent().parent.switch()
