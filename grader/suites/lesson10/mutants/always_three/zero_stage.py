# caught by: zero_stage-fsdp1
# defect: Returns 3 whatever it is asked.

from collections.abc import Mapping


def zero_stage(config: Mapping[str, object]) -> int:
    return 3
