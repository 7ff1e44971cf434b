"""ZeRO stages, as real libraries spell them."""

from collections.abc import Mapping


def zero_stage(config: Mapping[str, object]) -> int:
    """The ZeRO stage that a configuration comes nearest to.

    config: a configuration of FSDP1, FSDP2, DeepSpeed or Accelerate. Exactly one of the keys
        ``sharding_strategy``, ``reshard_after_forward``, ``zero_optimization`` and ``fsdp_config`` says
        which. Keys that the table in README.md does not name may stand beside it and mean nothing here.

    Returns 0, 1, 2 or 3, by that table.

    Raises ValueError, with a message that names the key at fault: for none of the four keys or more than
    one, for a value that the table does not have, for a key of Accelerate's version 1 under version 2
    or the reverse, and for ``offload_param`` below stage 3.

    Example:

        {"sharding_strategy": "SHARD_GRAD_OP"}                                       is 2
        {"reshard_after_forward": True}                                              is 3
        {"zero_optimization": {"stage": 1}, "train_batch_size": 8}                   is 1
        {"fsdp_config": {"fsdp_version": 2, "fsdp_reshard_after_forward": "false"}}  is 2
        {"zero_optimization": {"stage": 2, "offload_param": {"device": "cpu"}}}      names offload_param
    """
    # TODO: find out whose configuration it is, then look its setting up.
    raise NotImplementedError
