"""Runs ``course`` with the arguments given where the kernel has Landlock but was started without it.

A filter of system calls answers as such a kernel does.
"""

from __future__ import annotations

import ctypes
import errno
import struct

from grader.cli import main
from grader.runner.fences.kernel import PR_SET_NO_NEW_PRIVS, PR_SET_SECCOMP, call, pointer
from grader.runner.fences.landlock import CREATE_RULESET
from grader.runner.fences.seccomp import ALLOW, GIVE, JUMP_EQUAL, LOAD, MODE_FILTER, NUMBER, Instruction, _Program

REFUSE: Instruction = (GIVE, 0, 0, 0x00050000 | errno.EOPNOTSUPP)

if __name__ == "__main__":
    steps = ((LOAD, 0, 0, NUMBER), (JUMP_EQUAL, 0, 1, CREATE_RULESET), REFUSE, ALLOW)
    code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *each) for each in steps))
    header = _Program(len(steps), ctypes.addressof(code))
    call("prctl", PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    call("prctl", PR_SET_SECCOMP, MODE_FILTER, pointer(header), 0, 0)
    main()
