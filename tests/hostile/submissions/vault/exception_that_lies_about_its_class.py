# technique: raises an exception that claims to be a device's error, and has none of its fields
# replaces: decode.py
# expect: decode-random blocked, decode-* failed
# says: got
from grader.devices import DeviceError


class Claims(Exception):
    __class__ = DeviceError


def decode(codes):
    raise Claims
