"""What a model is for: the domain of its states, their channels and times."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

ROUNDING = 1e-3
"""Tolerance of times, as a share of the trained range."""


@dataclass(frozen=True)
class Axis:
    """One axis of the domain: an interval, closed into a circle if periodic."""

    name: str
    lower: float
    upper: float
    periodic: bool

    @property
    def length(self) -> float:
        """``upper − lower``."""
        return self.upper - self.lower

    def share(self, x: Tensor) -> Tensor:
        """Coordinates scaled to [0, 1]."""
        return (x - self.lower) / self.length

    def displacement(self, x: Tensor, y: Tensor) -> Tensor:
        """The shortest signed way from x to y."""
        way = y - x
        return way - self.length * torch.round(way / self.length) if self.periodic else way

    def __str__(self) -> str:
        return f"{self.name} in [{self.lower:g}, {self.upper:g}]" + (" periodic" if self.periodic else "")


@dataclass(frozen=True)
class Problem:
    """The problem a model solves."""

    axes: tuple[Axis, ...]
    source_channels: int
    target_channels: int
    native: tuple[int, ...]
    """Points of the training grid along each axis."""
    times: tuple[float, float] | None
    """First and last time of the training data; ``None`` for a steady problem."""
    changes: tuple[tuple[float, float], ...]
    """How much states change over increasing leads: the lead, and the root mean square of u_t − u_s over the deviation of u."""

    @staticmethod
    def of(card: dict[str, Any]) -> Problem:
        """The problem that a model card names."""
        named = card["problem"]
        times = named["times"]
        return Problem(
            axes=tuple(Axis(**axis) for axis in named["domain"]["axes"]),
            source_channels=named["source_channels"],
            target_channels=named["target_channels"],
            native=tuple(named["native"]),
            times=None if times is None else (times[0], times[1]),
            changes=tuple((lead, change) for lead, change in named.get("changes", [])),
        )

    @property
    def dim(self) -> int:
        """Number of axes D."""
        return len(self.axes)

    @property
    def domain(self) -> str:
        """The axes in words."""
        return ", ".join(map(str, self.axes))

    @property
    def volume(self) -> float:
        """Ω's volume."""
        return math.prod(axis.length for axis in self.axes)

    @property
    def position_channels(self) -> int:
        """Numbers that tell a place: two on each circle, one on other axes."""
        return sum(2 if axis.periodic else 1 for axis in self.axes)

    def fraction(self, time: Tensor) -> Tensor:
        """Times as shares of the trained range."""
        first, last = self.times or (0.0, 1.0)
        return (time - first) / (last - first)

    def outside_range(self, times: Iterable[float]) -> list[float]:
        """Those times that lie outside the trained range by more than rounding can explain."""
        if self.times is None:
            return []
        first, last = self.times
        slack = ROUNDING * (last - first)
        return [time for time in times if not first - slack <= time <= last + slack]

    def change(self, lead: Tensor) -> Tensor:
        """The typical change c of a state over a lead ``[b]``.

        Between measured leads a power of the lead, before the first in proportion to it, after the last as there. If nothing was
        measured, the lead's share of the trained range.
        """
        if not self.changes:
            return self.fraction(lead) - self.fraction(torch.zeros_like(lead))
        (first, least), (last, most) = self.changes[0], self.changes[-1]
        change = least * lead / first
        for (a, low), (b, high) in pairwise(self.changes):
            power = torch.log(torch.clamp(lead / a, min=1.0)) / math.log(b / a)
            change = torch.where(lead > a, low * (high / low) ** power, change)
        return torch.where(lead >= last, torch.full_like(lead, most), change)
