"""Proves an exercise: its suite accepts the reference, gives nothing for nothing, and catches every wrong solution."""

from __future__ import annotations

from .audit import audit
from .found import Audit, AuditedCriterion, AuditedMutant

__all__ = ["Audit", "AuditedCriterion", "AuditedMutant", "audit"]
