"""A state between its observations, from the observations alone."""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

import torch
from torch import Tensor

from . import tables
from .kernel import gaussian
from .points import (
    Grid,
    Points,
    Scattered,
    along,
    displacements,
    factors,
    mean_spacing,
    precise,
    spread,
    squares,
)
from .problem import Problem

NEIGHBORS = 6
"""Neighbors in a fit through the nearest observations, per axis."""
REACH = 2
"""The neighbor, per axis, whose distance sets ℓ."""
SCALE = 0.4
"""ℓ in units of that distance."""
SMOOTH = 0.75
"""ℓ of a fit of one width, in mean spacings of the observations."""
DETERMINED = 1e-6
"""A line counts as determined if its points spread by more than this share of their mean squared distance."""


def interpolated(problem: Problem, points: Points, values: Tensor, query: Points) -> Tensor:
    """The base of a residual output: from grid to grid by resampling, else by local lines with Gaussian weights of one width.

    Shapes: values ``[b, p, N]`` → ``[b, p, M]``.
    """
    exact = values.to(precise(values.device))
    found = _resampled(problem, points, exact, query)
    if found is None:
        found = _smooth(problem, points.scattered(values.device), exact, query)
    return found.to(values.dtype)


def closely(problem: Problem, points: Points, values: Tensor, query: Points) -> Tensor:
    """The closest interpolation of the observations: from grid to grid by resampling, else through the nearest ones.

    Shapes: values ``[b, p, N]`` → ``[b, p, M]``.
    """
    found = _resampled(problem, points, values, query)
    if found is None:
        device = values.device
        found = nearest_linear(problem, points.scattered(device), values, query.scattered(device))
    return found


def nearest_linear(problem: Problem, points: Scattered, values: Tensor, places: Scattered) -> Tensor:
    """At each place the affine function fitted to the 6 D nearest observations, never outside the range of their values.

    Weights are exp(−(d_j² − d_1²) / 2ℓ²) with the distance d_j of the j-th nearest and ℓ = 0.4 d_{2D}.

    Shapes: values ``[b, p, N]``, M places → ``[b, p, M]``.
    """
    ways = displacements(problem, places, points)
    k = min(NEIGHBORS * problem.dim, len(points))
    near, index = torch.topk(squares(ways), k, -1, largest=False)
    ways = [way.gather(-1, index) for way in ways]
    width = 2 * SCALE**2 * near[..., min(REACH * problem.dim, k) - 1, None]
    weights = torch.exp(-(near - near[..., :1]) / torch.clamp(width, min=torch.finfo(near.dtype).tiny))
    b, p, _ = values.shape
    m = index.shape[1]
    chosen = values.gather(2, index.flatten(1)[:, None].expand(b, p, -1)).unflatten(2, (m, k))
    share = weights / weights.sum(-1, keepdim=True)
    mean = (share[:, None] * chosen).sum(-1)
    cross = [(share * way)[:, None].mul(chosen).sum(-1) for way in ways]
    first = [(share * way).sum(-1) for way in ways]
    second = [[(share * a * b).sum(-1) for b in ways] for a in ways]
    fitted, determined = _intercept(first, second, mean, cross)
    return torch.minimum(
        torch.maximum(torch.where(determined, fitted, mean), chosen.amin(-1)), chosen.amax(-1)
    )


def _resampled(problem: Problem, points: Points, values: Tensor, query: Points) -> Tensor | None:
    """Resampled from one grid to another; ``None`` if one is not a grid, or there is no way between them."""
    if not (isinstance(points, Grid) and isinstance(query, Grid)):
        return None
    matrices = tables.resampling(problem.axes, points.axes, query.axes)
    if matrices is None:
        return None
    maps = [tables.tensor(matrix, values) for matrix in matrices]
    u = maps[-1] @ values.unflatten(2, points.plane).mT
    return (u.mT if len(maps) == 1 else maps[0] @ u.mT).flatten(2)


def _smooth(problem: Problem, points: Scattered, values: Tensor, query: Points) -> Tensor:
    """Local lines with Gaussian weights κ of one width; the weighted mean where neighbors determine no line."""
    length_scale = values.new_tensor(SMOOTH * mean_spacing(problem, points))
    axes = range(problem.dim)
    ones = torch.ones_like(values[:1, :1])

    def total(f: Tensor, *powers: int) -> Tensor:
        """Σ_j f_j κ(x, c_j) Π δ_d over the axes d in ``powers``, δ the way from x to c_j."""
        return _moment(problem, points, f, query, length_scale, [powers.count(d) for d in axes])

    tiny = torch.finfo(values.dtype).tiny
    density = total(ones)
    share = 1 / torch.clamp(density, min=tiny)
    first = [(total(ones, d) * share)[:, 0] for d in axes]
    second = [[(total(ones, d, e) * share)[:, 0] for e in axes] for d in axes]
    mean = total(values) * share
    fitted, determined = _intercept(first, second, mean, [total(values, d) * share for d in axes])
    return torch.where(determined & (density > max(1e-280, tiny)), fitted, mean)


def _moment(
    problem: Problem, points: Scattered, f: Tensor, query: Points, length_scale: Tensor, powers: list[int]
) -> Tensor:
    """``[b, c, N]`` → ``[b, c, M]``; on a grid the weights factorize."""
    if isinstance(query, Grid):

        def weights(d: int, c: Tensor, x: Tensor) -> Tensor:
            axis = problem.axes[d]
            return gaussian(axis, c, x, length_scale) * axis.displacement(x, c[..., None]) ** powers[d]

        return spread(points, factors(problem, points, query, weights, f), f).flatten(2)
    kernel = f.new_ones(())
    for d, axis in enumerate(problem.axes):
        x, c = along(query, d, f.device), along(points, d, f.device)
        way = axis.displacement(x[..., None], c[:, None])
        kernel = kernel * torch.exp(-0.5 * (way / length_scale) ** 2) * way ** powers[d]
    return f @ kernel.mT


def _intercept(
    first: list[Tensor], second: list[list[Tensor]], mean: Tensor, cross: list[Tensor]
) -> tuple[Tensor, Tensor]:
    """The affine fit at displacement zero, and where it is determined, from weighted means: of δ and δδᵀ ``[1 or b, M]``, of u and u δ
    ``[b, p, M]``.

    With the covariance C = L Lᵀ of δ it is mean u − (L⁻¹ mean δ) · (L⁻¹ cov(δ, u)).
    """
    dim = len(first)
    factor: list[list[Tensor]] = []
    determined = torch.ones_like(first[0], dtype=torch.bool)
    fitted = mean
    left: list[Tensor] = []
    right: list[Tensor] = []
    for d in range(dim):
        row: list[Tensor] = []
        for e in range(d):
            rest = second[d][e] - first[d] * first[e] - sum(row[i] * factor[e][i] for i in range(e))
            row.append(rest / factor[e][e])
        rest = second[d][d] - first[d] ** 2 - sum(x**2 for x in row)
        enough = rest > DETERMINED * second[d][d]
        determined = determined & enough
        row.append(torch.sqrt(torch.where(enough, rest, torch.ones_like(rest))))
        factor.append(row)
        a = (first[d] - sum(row[i] * left[i] for i in range(d))) / row[d]
        covariance = cross[d] - first[d][:, None] * mean
        b = (covariance - sum(row[i][:, None] * right[i] for i in range(d))) / row[d][:, None]
        left.append(a)
        right.append(b)
        fitted = fitted - a[:, None] * b
    return fitted, determined[:, None]
