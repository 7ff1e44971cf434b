# technique: loads the model solution that lies beside the package it may import
# replaces: gather.py
# expect: gather-even failed, gather-* blocked, release-* blocked, train_step-* blocked
# needs: landlock
# says: PermissionError
import runpy
from pathlib import Path

import grader.devices

REFERENCE = Path(grader.devices.__file__).parents[1] / "suites" / "lesson10" / "reference" / "gather.py"


def gather(*args):
    return runpy.run_path(str(REFERENCE))["gather"](*args)
