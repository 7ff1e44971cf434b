"""External links: whether the addresses that pages link to still answer. The one part that talks to a network."""

from .answer import Answer, Policy, Status
from .memory import Memory
from .mentions import Mention, mentions
from .visit import visit_all

__all__ = ["Answer", "Memory", "Mention", "Policy", "Status", "mentions", "visit_all"]
