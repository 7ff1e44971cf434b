# caught by: reduce_gradient-collectives
# defect: Gathers every rank's whole gradient and averages by itself: N times the bytes.

from shard import shard

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradient(gradient: Array, group: Group) -> Array:
    everyone = group.device.empty((group.size, *gradient.shape), gradient.dtype)
    group.all_gather_into_tensor(everyone, gradient.copy())
    return shard(everyone.mean(axis=0), group.rank, group.size)
