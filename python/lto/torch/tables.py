"""Matrices that depend on grids alone, in double precision: computed once for each grid, by NumPy."""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .problem import Axis

Matrix = NDArray[np.float64]
Line = tuple[float, ...]

SAME_PLACE = 1e-6
"""Coordinates are the same if they differ by less than this share of the axis."""
FEWEST = 4
"""Points that a spline needs along an axis."""


def tensor(matrix: Matrix, like: Tensor) -> Tensor:
    """A table in the type and on the device of a tensor."""
    return torch.as_tensor(matrix, dtype=like.dtype, device=like.device)


def intervals(axis: Axis, points: Line) -> Matrix:
    """Lengths between points; on a periodic axis also of the one that closes the circle."""
    between = np.diff(points)
    return np.append(between, axis.length - (points[-1] - points[0])) if axis.periodic else between


@lru_cache(maxsize=32)
def curvatures(axis: Axis, points: Line) -> Matrix:
    """Second derivatives at its points of the C² cubic spline through values there, ``[n, n]``.

    ``h_{i−1} M_{i−1} + 2 (h_{i−1} + h_i) M_i + h_i M_{i+1} = 6 ((u_{i+1} − u_i) / h_i − (u_i − u_{i−1}) / h_{i−1})``, around the circle on
    periodic axes; on open ones the third derivative does not jump at the second and the last but one point.
    """
    n, h = len(points), intervals(axis, points)
    system, right = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n) if axis.periodic else range(1, n - 1):
        before, after = (i - 1) % n, (i + 1) % n
        left, ahead = h[i - 1], h[i]
        for j, m, u in [
            (before, left, 6 / left),
            (i, 2 * (left + ahead), -6 / left - 6 / ahead),
            (after, ahead, 6 / ahead),
        ]:
            system[i, j] += m
            right[i, j] += u
    if not axis.periodic:
        for i, inner, ratio in [(0, 1, h[0] / h[1]), (n - 1, -1, h[-1] / h[-2])]:
            system[i, [i, i + inner, i + 2 * inner]] = 1, -1 - ratio, ratio
    return np.asarray(np.linalg.solve(system, right), dtype=np.float64)


def resampling(
    axes: tuple[Axis, ...], source: tuple[Line, ...], target: tuple[Line, ...]
) -> list[Matrix] | None:
    """Matrices along each axis that carry values from one grid to another: the same points, else trigonometric interpolation, else
    splines; ``None`` if no way fits all axes."""
    for method in (_picking, _trigonometric, _splines):
        found = [method(*line) for line in zip(axes, source, target, strict=True)]
        if all(matrix is not None for matrix in found):
            return [matrix for matrix in found if matrix is not None]
    return None


@lru_cache(maxsize=32)
def _picking(axis: Axis, source: Line, target: Line) -> Matrix | None:
    """The values of points that both grids have."""
    near = np.abs(np.subtract.outer(target, source)) <= SAME_PLACE * axis.length
    return np.eye(len(source))[near.argmax(1)] if near.any(1).all() else None


def _is_even(axis: Axis, points: Line) -> bool:
    ideal = points[0] + np.arange(len(points)) * axis.length / len(points)
    return bool(np.all(np.abs(ideal - points) <= SAME_PLACE * axis.length))


@lru_cache(maxsize=32)
def _trigonometric(axis: Axis, source: Line, target: Line) -> Matrix | None:
    """Between evenly spaced points of a circle. The highest wave of an even number of points is a cosine about its own points."""
    if not (axis.periodic and _is_even(axis, source) and _is_even(axis, target)):
        return None
    n, m = len(source), len(target)
    k = np.arange(min(n, m) // 2 + 1)
    factor = np.exp(2j * np.pi * k * (target[0] - source[0]) / axis.length) * m / n
    splits, merges = (k > 0) & (2 * k == n), (k > 0) & (2 * k == m)
    factor[splits & ~merges] *= 0.5
    factor[merges & ~splits] *= 2.0
    image = np.zeros((m // 2 + 1, n), dtype=complex)
    image[: len(k)] = factor[:, None] * np.fft.rfft(np.eye(n), axis=0)[: len(k)]
    return np.fft.irfft(image, n=m, axis=0)


@lru_cache(maxsize=32)
def _splines(axis: Axis, source: Line, target: Line) -> Matrix | None:
    """The spline through the source's points, up to one interval past them."""
    if len(source) < FEWEST:
        return None
    n, h, x = len(source), intervals(axis, source), np.array(target)
    if axis.periodic:
        x = np.where(x < source[0], x + axis.length, x)
    elif np.any(source[0] - x > h[0]) or np.any(x - source[-1] > h[-1]):
        return None
    i = np.clip(np.searchsorted(source, x, side="right") - 1, 0, len(h) - 1)
    right = (x - np.array(source)[i]) / h[i]
    curvature, itself = curvatures(axis, source), np.eye(n)
    matrix = np.zeros((len(x), n))
    for weight, end in [(1 - right, i), (right, (i + 1) % n)]:
        matrix += (
            weight[:, None] * itself[end] + ((weight**3 - weight) * h[i] ** 2 / 6)[:, None] * curvature[end]
        )
    return matrix


@lru_cache(maxsize=64)
def prolongation(n: int, periodic: bool) -> Matrix:
    """Linear interpolation at n even points from the ⌈n/2⌉ of the next coarser grid, ``[n, ⌈n/2⌉]``."""
    m = -(-n // 2)
    fine, coarse = (n, m) if periodic else (max(n - 1, 1), m - 1)
    matrix = np.zeros((n, m))
    for i in range(n):
        left, rest = divmod(i * coarse, fine)
        matrix[i, left] += 1 - rest / fine
        matrix[i, (left + 1) % m] += rest / fine
    return matrix


@lru_cache(maxsize=64)
def restriction(n: int, periodic: bool) -> Matrix:
    """The transposed interpolation with rows that sum to one, ``[⌈n/2⌉, n]``."""
    transposed = prolongation(n, periodic).T
    return transposed / transposed.sum(1, keepdims=True)
