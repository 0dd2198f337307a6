"""What models on whole grids read."""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from .._errors import DataError
from .encoder import unit_places
from .points import Grid, Points
from .tables import SAME_PLACE

if TYPE_CHECKING:
    from .model import Context, Model


def along_axes(modes: int | list[int], dim: int) -> list[int]:
    """The wavenumbers kept along each axis."""
    return [modes] * dim if isinstance(modes, int) else list(modes)


def inputs(model: Model[Any], context: Context, query: Points, needed: list[int] | None) -> Tensor:
    """Values and coordinates in [0, 1] of a whole regular grid, which is also the query: ``[b, p + D, n0, n1]``.

    The grid must have the wavenumbers that are needed along each axis.
    """
    points, problem = context.points, model.problem
    if not isinstance(points, Grid):
        raise DataError(
            f"points: a model of kind {model.kind} needs values on a whole grid; give the {len(points)} points as lto.torch.Grid"
        )
    if query != points:
        raise DataError(
            f"query: a model of kind {model.kind} predicts only on the grid of its observations; give that grid"
        )
    for axis, line in zip(problem.axes, points.axes, strict=True):
        steps = np.diff(line)
        if steps.size and np.ptp(steps) > SAME_PLACE * axis.length:
            raise DataError(
                f"points: the spacing of the grid along {axis.name} varies; a model of kind {model.kind} needs an even one"
            )
    for n, modes in zip(points.shape, needed or [], strict=False):
        if modes > n // 2 + 1:
            raise DataError(
                f"points: the {modes} modes of the model along an axis need more than the {n // 2 + 1} of {n} points"
            )
    values = context.values.to(model.dtype)
    places = unit_places(problem, points, values).mT.expand(values.shape[0], -1, -1)
    return torch.cat([values, places], 1).unflatten(2, points.plane)
