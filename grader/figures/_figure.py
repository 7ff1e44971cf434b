"""What a figure is."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """An SVG, and what there is to be seen in it: a title and sentences."""

    title: str
    description: str
    svg: str

    @property
    def alt(self) -> str:
        """The text that stands for the figure where it is not seen.

        >>> Figure("Bytes sent", "Stage 3 sends most.", "<svg/>").alt
        'Bytes sent. Stage 3 sends most.'
        """
        return f"{self.title}. {self.description}"
