"""How far a prediction may depart from the estimated source: a little where it is observed, freely where it is not."""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

import torch
from torch import Tensor

from .points import Grid, Points, Scattered, displacements, mean_spacing, squares
from .problem import Problem

PIECE = 1 << 12
"""Places whose distances to all observations are held at once."""


def freedom(problem: Problem, points: Points, query: Points, change: Tensor, latent_spacing: float) -> Tensor:
    """g = c + (1 − c) v, where c is the typical change over the lead and v = 1 − exp(−((s/h)² − 1)₊ / 4) the share of the state that
    is not observed around a place: s is the local spacing of the observations, h that of the latent grid.

    Shapes: N observed points, M places, change ``[b]`` → ``[b, M]``.
    """
    ratio = squared_spacing(problem, points, query.scattered(change.device)) / latent_spacing**2
    unobserved = -torch.expm1(-torch.clamp(ratio - 1, min=0) / 4)
    c = change[:, None].to(unobserved.dtype)
    return c + (1 - c) * unobserved


def squared_spacing(problem: Problem, points: Points, places: Scattered) -> Tensor:
    """s², how far apart points are around each place, ``[1 or b, M]``: the squared distance of its 2 D-th nearest one (of the
    farthest, if there are fewer). On a whole grid s is the mean spacing everywhere.
    """
    at = places.coordinates
    if isinstance(points, Grid):
        return torch.full_like(at[..., 0], mean_spacing(problem, points) ** 2)
    k = min(2 * problem.dim, len(points))
    found = []
    for piece in at.split(PIECE, 1):
        far = squares(displacements(problem, Scattered(piece), points))
        found.append(torch.topk(far, k, -1, largest=False).values[..., -1])
    return torch.cat(found, 1)
