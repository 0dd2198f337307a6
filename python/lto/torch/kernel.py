"""Weights along one axis: of the Gaussian kernel, alone or normalized, and of cubic interpolation.

Shapes: places ``x [1 or b, n]`` against the points ``y [g]`` of a grid → ``[1 or b, n, g]``.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from .problem import Axis


def _squares(axis: Axis, x: Tensor, y: Tensor, length_scale: Tensor) -> Tensor:
    """−|x − y|² / 2ℓ²; the way is found in the precision of the places, the rest in that of ℓ."""
    way = axis.displacement(x[..., None], y).to(length_scale.dtype)
    return -0.5 * (way / length_scale) ** 2


def gaussian(axis: Axis, x: Tensor, y: Tensor, length_scale: Tensor) -> Tensor:
    """κ_ℓ(x, y) = exp(−|x − y|² / 2ℓ²)."""
    return torch.exp(_squares(axis, x, y, length_scale))


def normalized(axis: Axis, x: Tensor, y: Tensor, length_scale: Tensor) -> Tensor:
    """κ_ℓ(x, y) / Σ_y κ_ℓ(x, y), which never vanishes, however far away the grid is."""
    return torch.softmax(_squares(axis, x, y, length_scale), -1)


def central_mass(axes: tuple[Axis, ...], length_scale: Tensor) -> Tensor:
    """κ̄: the integral of κ_ℓ about the center of the domain."""
    sides = [
        math.sqrt(2 * math.pi) * length_scale * torch.erf(axis.length / (math.sqrt(8) * length_scale))
        for axis in axes
    ]
    return math.prod(sides[1:], start=sides[0])


def cubic(axis: Axis, x: Tensor, y: Tensor) -> Tensor:
    """Keys' cubic convolution on a uniform grid: exact on quadratics and at the points themselves. Past the ends of an open axis the
    quadratic through the three outermost points continues the values."""
    n = y.shape[0]
    place = (x - y[0]) / (y[1] - y[0])
    whole = torch.round(place)
    place = torch.where((place - whole).abs() < 1e-6, whole, place)
    cell = torch.floor(place)
    f = place - cell
    four = [
        f * (-0.5 + f * (1.0 - 0.5 * f)),
        1.0 + f * f * (-2.5 + 1.5 * f),
        f * (0.5 + f * (2.0 - 1.5 * f)),
        f * f * (-0.5 + 0.5 * f),
    ]
    # Row 2 of the table is point 0 of the grid.
    rows = cell.long()[..., None] + torch.arange(1, 5, device=x.device)
    return (torch.stack(four, -1)[..., None] * _continued(n, axis.periodic, y)[rows]).sum(-2)


def _continued(n: int, periodic: bool, like: Tensor) -> Tensor:
    """Values at points −2 … n + 1 as sums of those at 0 … n − 1, ``[n + 4, n]``."""
    itself = torch.eye(n, dtype=like.dtype, device=like.device)
    if periodic:
        return torch.cat([itself[-2:], itself, itself[:2]])
    beyond = [[0.5 * (t - 1) * (t - 2), t * (2 - t), 0.5 * t * (t - 1)] for t in (-2.0, -1.0)]
    left = torch.nn.functional.pad(like.new_tensor(beyond), (0, n - 3))
    return torch.cat([left, itself, left.flip(0, 1)])
