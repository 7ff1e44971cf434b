"""A course in sharded training and the tool, ``course``, that grades it."""

__version__ = "0.1.0"
