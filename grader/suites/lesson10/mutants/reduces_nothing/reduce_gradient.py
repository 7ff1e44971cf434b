# caught by: reduce_gradient-mean
# defect: Cuts this rank's own gradient and never hears of the others.

from shard import shard

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradient(gradient: Array, group: Group) -> Array:
    return shard(gradient, group.rank, group.size)
