"""States on a grid as smooth functions of the place."""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

import torch
from torch import Tensor

from . import tables
from .points import Grid
from .problem import Axis

End = tuple[Tensor, Tensor, Tensor]
"""An end of an interval: its index, and the weights of the value and of the second derivative there."""


class SplineField:
    """The C² tensor-product spline through values on a grid: exact at its points, and constant past the bounds of open axes.

    Shapes: values ``[b, p, N]`` on a grid of N points, four at least along each axis.
    """

    def __init__(self, axes: tuple[Axis, ...], grid: Grid, values: Tensor) -> None:
        self.axes, self.grid = axes, grid
        u = values.unflatten(2, grid.plane)
        last = u @ tables.tensor(tables.curvatures(axes[-1], grid.axes[-1]), u).mT
        nodes = [u, last]
        if len(axes) == 2:
            first = tables.tensor(tables.curvatures(axes[0], grid.axes[0]), u)
            nodes += [first @ u, first @ last]
        self._nodes = torch.stack(nodes, 2).flatten(3)

    def at(self, places: Tensor) -> Tensor:
        """The values at places: ``[1 or b, M, D]`` → ``[b, p, M]``."""
        ends = [
            _ends(axis, line, places[..., d])
            for d, (axis, line) in enumerate(zip(self.axes, self.grid.axes, strict=True))
        ]
        none = places.new_zeros(1, 1)
        first = ends[0] if len(ends) == 2 else [(none.long(), none + 1, none)]
        n_last = self.grid.shape[-1]
        b, p, n_nodes, _ = self._nodes.shape
        total = self._nodes.new_zeros(())
        for i, value_i, bend_i in first:
            for j, value_j, bend_j in ends[-1]:
                index = (i * n_last + j)[:, None, None]
                found = self._nodes.gather(3, index.expand(b, p, n_nodes, -1)).unbind(2)
                total = total + value_i * (value_j * found[0] + bend_j * found[1])
                if len(ends) == 2:
                    total = total + bend_i * (value_j * found[2] + bend_j * found[3])
        return total


def _ends(axis: Axis, line: tables.Line, x: Tensor) -> list[End]:
    """Both ends of the intervals that hold places ``x [1 or b, M]``."""
    points = torch.tensor(line, dtype=x.dtype, device=x.device)
    h = tables.tensor(tables.intervals(axis, line), x)
    inside = (
        points[0] + torch.remainder(x - points[0], axis.length)
        if axis.periodic
        else torch.clamp(x, axis.lower, axis.upper)
    )
    interval = torch.clamp((inside.detach()[..., None] >= points).sum(-1) - 1, 0, len(h) - 1)
    width = h[interval]
    right = (inside - points[interval]) / width
    ends = [(1 - right, interval), (right, (interval + 1) % len(line))]
    return [(end, w[:, None], ((w**3 - w) * width**2 / 6)[:, None]) for w, end in ends]
