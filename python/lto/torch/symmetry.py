"""Predictions that are means over the symmetries of a problem."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from .checks import known
from .points import Grid, Points, Scattered
from .problem import Axis, Problem


@dataclass(frozen=True)
class AxisMove:
    """Where the new coordinate along an axis comes from: ``shift + x_from``, or ``shift + lower + upper − x_from``."""

    origin: int
    mirrored: bool = False
    shift: float = 0.0

    def then(self, before: AxisMove) -> AxisMove:
        """This move of what ``before`` has moved."""
        carried = -before.shift if self.mirrored else before.shift
        return AxisMove(before.origin, before.mirrored != self.mirrored, carried + self.shift)


@dataclass(frozen=True)
class Isometry:
    """A map of the domain onto itself, and whether values change sign."""

    axes: tuple[AxisMove, ...]
    negated: bool = False

    @property
    def sign(self) -> int:
        """The factor of values."""
        return -1 if self.negated else 1

    def then(self, following: Isometry) -> Isometry:
        """This map, then another."""
        axes = tuple(move.then(self.axes[move.origin]) for move in following.axes)
        return Isometry(axes, self.negated != following.negated)

    def moved(self, problem: Problem, points: Points, device: torch.device) -> tuple[Points, Tensor | None]:
        """The moved points, and where the value of each comes from; ``None`` if from the point of its number."""
        moves = list(zip(self.axes, problem.axes, strict=True))
        if isinstance(points, Scattered):
            x = points.coordinates
            return Scattered(torch.stack([_along(move, axis, x[..., move.origin]) for move, axis in moves], -1)), None
        numbers = torch.arange(len(points), device=device).reshape(points.shape)
        numbers = numbers.permute([move.origin for move in self.axes])
        coordinates = []
        for d, (move, axis) in enumerate(moves):
            # One by one: graphs of whole tensors are recorded where a model is exported.
            along = (torch.tensor(place, dtype=torch.float64) for place in points.axes[move.origin])
            moved = [float(_along(move, axis, place)) for place in along]
            order = sorted(range(len(moved)), key=moved.__getitem__)
            coordinates.append([moved[i] for i in order])
            numbers = numbers.index_select(d, torch.tensor(order, device=device))
        return Grid(*coordinates), numbers.flatten()


def _along(move: AxisMove, axis: Axis, x: Tensor) -> Tensor:
    """New coordinates along an axis, wrapped if it is periodic."""
    x = axis.lower + axis.upper - x if move.mirrored else x
    if not axis.periodic:
        return x.clamp(axis.lower, axis.upper)
    wrapped = torch.remainder(x + move.shift - axis.lower, axis.length) + axis.lower
    return torch.where(wrapped < axis.upper, wrapped, axis.lower)


def _identity(dim: int) -> Isometry:
    return Isometry(tuple(AxisMove(d) for d in range(dim)))


def _mirrors(dim: int) -> list[Isometry]:
    each = itertools.product([False, True], repeat=dim)
    return [Isometry(tuple(AxisMove(d, mirrored) for d, mirrored in enumerate(which))) for which in each]


def _members(problem: Problem, family: str) -> list[Isometry]:
    """The members of a family; of shifts the identity alone."""
    dim, length = problem.dim, problem.axes[0].length
    identity = _identity(dim)
    members: dict[str, Callable[[], list[Isometry]]] = {
        "translation": lambda: [identity],
        "diagonal_translation": lambda: [identity],
        "mirror": lambda: _mirrors(dim),
        "transpose": lambda: [Isometry(tuple(map(AxisMove, order))) for order in itertools.permutations(range(dim))],
        "negation": lambda: [identity, Isometry(identity.axes, True)],
        "odd_mirror": lambda: [identity, Isometry(_mirrors(dim)[-1].axes, True)],
        "shifted_transpose": lambda: [identity, Isometry((AxisMove(1, False, length / 2), AxisMove(0)), True)],
        "shifted_rotation": lambda: [identity, Isometry((AxisMove(0, True, length / 4), AxisMove(1, True)))],
    }
    return members[known("symmetries", family, *members)]()


def isometries(card: dict[str, Any], problem: Problem) -> list[Isometry]:
    """Those that predictions of a model are means over: every member of every family of its card, one after the other."""
    maps = [_identity(problem.dim)]
    for family in card.get("symmetries", []):
        maps = [map.then(member) for map in maps for member in _members(problem, family)]
    return maps


def moved_values(values: Tensor, order: Tensor | None, sign: int) -> Tensor:
    """Values ``[…, N]`` of moved points."""
    return sign * (values if order is None else values[..., order])


def carried_back(predicted: Tensor, order: Tensor | None, sign: int) -> Tensor:
    """Predictions ``[…, M]`` at moved points, at the points that these were."""
    return sign * (predicted if order is None else predicted[..., torch.argsort(order)])
