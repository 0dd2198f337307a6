"""Sets of points, and products with Gaussian or other weights that factorize over the axes."""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from numbers import Real

import torch
from torch import Tensor

from .._errors import DataError
from .problem import Axis, Problem


class Grid:
    """All combinations of increasing coordinates along each axis, the last axis fastest.

    ``Grid(x, y)`` takes one sequence of numbers for each axis of the domain. A model treats its points as a whole grid; the same points as
    a tensor are scattered.
    """

    def __init__(self, *coordinates: Iterable[float]) -> None:
        if any(isinstance(along, Real) for along in coordinates):
            raise TypeError(
                f"Grid{coordinates}: give the coordinates along each axis; model.grid makes a uniform grid"
            )
        self.axes = tuple(tuple(float(x) for x in along) for along in coordinates)
        for d, along in enumerate(self.axes):
            if not along or not all(map(math.isfinite, along)):
                raise DataError(
                    f"coordinates of axis {d} of a grid must be finite numbers, at least one: {along}"
                )
            for i in range(1, len(along)):
                if along[i] <= along[i - 1]:
                    raise DataError(
                        f"coordinates of axis {d} of a grid must increase, but {along[i]} follows {along[i - 1]}"
                    )

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of points along each axis."""
        return tuple(len(along) for along in self.axes)

    @property
    def plane(self) -> tuple[int, int]:
        """The shape as two axes, the first with one point in one dimension."""
        n0, n1 = (1, *self.shape)[-2:]
        return n0, n1

    def __len__(self) -> int:
        return math.prod(self.shape)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Grid) and self.axes == other.axes

    def __hash__(self) -> int:
        return hash(self.axes)

    def __repr__(self) -> str:
        return f"Grid of {' × '.join(map(str, self.shape))} points"

    def scattered(self, device: torch.device) -> Scattered:
        """The same points without their structure."""
        along = [torch.tensor(x, dtype=precise(device), device=device) for x in self.axes]
        return Scattered(torch.stack(torch.meshgrid(*along, indexing="ij"), -1).reshape(1, -1, len(along)))


class Scattered:
    """Points anywhere, ``[1, N, D]`` for all examples of a batch or ``[b, N, D]``."""

    def __init__(self, coordinates: Tensor) -> None:
        self.coordinates = coordinates

    @property
    def plane(self) -> tuple[int, int] | None:
        """Points on one axis are a row, whose weights factorize; others have no such shape."""
        return (1, len(self)) if self.coordinates.shape[2] == 1 else None

    def __len__(self) -> int:
        return self.coordinates.shape[1]

    def scattered(self, _device: torch.device) -> Scattered:
        """Itself."""
        return self


Points = Grid | Scattered


def precise(device: torch.device) -> torch.dtype:
    """The type of coordinates: a place is known better than a network computes. Apple's GPUs have no double precision."""
    return torch.float32 if device.type == "mps" else torch.float64


def uniform_axis(axis: Axis, n: int, placement: str) -> list[float]:
    """n coordinates: ``left`` i/n, ``center`` (i+½)/n, ``vertex`` i/(n−1) of the way from bound to bound."""
    offset = 0.5 if placement == "center" else 0.0
    intervals = max(n - 1, 1) if placement == "vertex" else n
    return [min(axis.lower + axis.length * ((i + offset) / intervals), axis.upper) for i in range(n)]


def whole_grid(problem: Problem, shape: Iterable[int]) -> Grid:
    """A uniform grid over the domain: from bound to bound, without the upper one on periodic axes."""
    axes = zip(problem.axes, shape, strict=True)
    return Grid(*(uniform_axis(axis, n, "left" if axis.periodic else "vertex") for axis, n in axes))


def mean_spacing(problem: Problem, points: Points) -> float:
    """(|Ω| / N)^(1/D)."""
    return math.pow(problem.volume / len(points), 1 / problem.dim)


def displacements(problem: Problem, places: Scattered, points: Scattered) -> list[Tensor]:
    """The shortest ways from M places to N points along each axis, ``[1 or b, M, N]``."""
    return [
        axis.displacement(places.coordinates[..., d][..., None], points.coordinates[..., d][:, None])
        for d, axis in enumerate(problem.axes)
    ]


def squares(ways: list[Tensor]) -> Tensor:
    """Squared lengths of ways."""
    return sum((way**2 for way in ways[1:]), start=ways[0] ** 2)


def same_points(a: Points, b: Points) -> bool:
    """Whether two sets are the same points in the same order."""
    if isinstance(a, Scattered) and isinstance(b, Scattered):
        return a is b or torch.equal(a.coordinates, b.coordinates)
    return a == b


def along(points: Points, d: int, device: torch.device) -> Tensor:
    """Coordinates along axis d: ``[1, n_d]`` of a grid, ``[1 or b, N]`` of scattered points."""
    if isinstance(points, Grid):
        return torch.tensor(points.axes[d], dtype=precise(device), device=device)[None]
    return points.coordinates[..., d]


def factors(
    problem: Problem,
    points: Points,
    grid: Grid,
    weights: Callable[[int, Tensor, Tensor], Tensor],
    like: Tensor,
) -> list[Tensor]:
    """Weights of points against a grid along both axes, ``[1 or b, n, g]``; the first is 1 in one dimension.

    ``weights(d, x, y)`` are those along axis d, of places ``x [1 or b, n]`` against the points ``y [g]`` of the grid.
    """
    device = like.device
    found = [
        weights(d, along(points, d, device), along(grid, d, device)[0]).to(like.dtype)
        for d in range(problem.dim)
    ]
    return found if len(found) == 2 else [like.new_ones(1, 1, 1), *found]


def spread(points: Points, weights: list[Tensor], values: Tensor) -> Tensor:
    """``Σ_j v_j w⁰_j(i₀) w¹_j(i₁)`` at the points (i₀, i₁) of a grid.

    Shapes: values ``[b, c, N]`` → ``[b, c, g0, g1]``.
    """
    first, last = (w[:, None] for w in weights)
    if points.plane:
        return first.mT @ values.unflatten(2, points.plane) @ last
    return (values[:, :, None] * first.mT) @ last


def read(points: Points, weights: list[Tensor], z: Tensor) -> Tensor:
    """``Σ_ij w⁰_m(i) w¹_m(j) z_ij`` at every point m.

    Shapes: z ``[b, k, g0, g1]`` → ``[b, k, M]``.
    """
    first, last = (w[:, None] for w in weights)
    if points.plane:
        return (first @ z @ last.mT).flatten(2)
    return ((first @ z) * last).sum(-1)
