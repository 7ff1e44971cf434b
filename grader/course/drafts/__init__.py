"""A lesson as people first write it, brought into the form of a lesson as far as its lines say what they are."""

from __future__ import annotations

from .shape import shaped

__all__ = ["shaped"]
