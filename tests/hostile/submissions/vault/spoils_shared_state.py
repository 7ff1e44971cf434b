# technique: changes its arguments, the seed, the working folder, the environment and the locale
# replaces: lengths.py
# expect: lengths-short failed, lengths-hidden-words failed
import locale
import os
import random

import numpy as np


def lengths(words):
    words.clear()
    words += [1, 3]
    random.seed(0)
    np.random.seed(0)
    os.chdir("/")
    os.environ["PYTEST_ADDOPTS"] = "-k nothing"
    locale.setlocale(locale.LC_ALL, "C")
    return []
