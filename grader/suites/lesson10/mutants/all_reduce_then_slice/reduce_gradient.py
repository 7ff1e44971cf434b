# caught by: reduce_gradient-collectives
# defect: All-reduces the whole gradient and keeps a slice: right numbers, twice the bytes.

from shard import shard

from grader.devices import DeviceArray as Array
from grader.devices import Group


def reduce_gradient(gradient: Array, group: Group) -> Array:
    mean = gradient.copy()
    group.all_reduce(mean, op="avg")
    return shard(mean, group.rank, group.size)
