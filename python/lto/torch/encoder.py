"""Encoders: observations of any number and placement become a latent state on the fixed grid."""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

from .checks import known
from .kernel import central_mass, gaussian
from .layers import Conv, Mlp
from .points import Grid, Points, factors, mean_spacing, spread
from .problem import Problem


class _Convolved(nn.Module):
    """Three convolutions of five taps with ReLU between them."""

    def __init__(self, widths: list[int], periodic: tuple[bool, ...]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(Conv(widths[i], widths[i + 1], 5, periodic) for i in range(3))

    def convolved(self, x: Tensor) -> Tensor:
        first, second, third = self.layers
        return third(torch.relu(second(torch.relu(first(x)))))


class SetConvEncoder(_Convolved):
    """The Gaussian set convolution, then convolutions.

    At the points x of the latent grid it gives the density ρ = Σ_j κ_ℓ(x, c_j), scaled, and the signals
    û = Σ_j u_j κ_ℓ(x, c_j) / (ρ + ε). ℓ is learned, or a learned multiple of the mean spacing of the observations. The convolutions may
    also see the estimated source and the position of x.
    """

    def __init__(self, twin: dict[str, Any], problem: Problem, periodic: tuple[bool, ...]) -> None:
        config = twin["encoder"]
        estimate = bool(config.get("estimate", False))
        places = bool(config.get("position", False))
        channels = 1 + problem.source_channels * (2 if estimate else 1)
        channels += problem.position_channels if places else 0
        super().__init__([channels, config["hidden"], config["hidden"], twin["latent_channels"]], periodic)
        self.estimate, self.position = estimate, places
        self.problem = problem
        self.density = known(
            "encoder.density", config.get("density", "per_point"), "per_point", "coverage", "raw"
        )
        self.density_floor = config.get("density_floor", 1e-8)
        scale = config.get("length_scale", 0.1)
        follows = isinstance(scale, dict) and "layout" in scale
        self.least_spacing = latent_spacing(problem, twin["latent_points"]) if follows else None
        learned = scale["layout"] if follows else length_scale(scale, problem, twin["latent_points"])
        self.log_length_scale = nn.Parameter(torch.tensor([math.log(learned)]))

    def forward(self, points: Points, values: Tensor, estimate: Tensor | None, grid: Grid) -> Tensor:
        """Shapes: values ``[b, p, N]``, the estimated source on the grid ``[b, p, n0, n1]`` if it is seen → ``[b, k, n0, n1]``."""
        seen = [self.channels(points, values, grid)]
        if estimate is not None:
            seen.append(estimate)
        if self.position:
            where = position(self.problem, grid, values.device).to(seen[0].dtype)
            seen.append(where.mT.unflatten(2, grid.plane).expand(len(values), -1, -1, -1))
        return self.convolved(torch.cat(seen, 1))

    def channels(self, points: Points, values: Tensor, grid: Grid) -> Tensor:
        """Density and signals, ``[b, 1 + p, n0, n1]``."""
        ell = self.log_length_scale.exp()
        if self.least_spacing is not None:
            ell = ell * max(mean_spacing(self.problem, points), self.least_spacing)
        values = values.to(ell.dtype)
        axes = self.problem.axes
        weights = factors(self.problem, points, grid, lambda d, c, x: gaussian(axes[d], c, x, ell), values)
        density = spread(points, weights, torch.ones_like(values[:, :1]))
        signals = spread(points, weights, values) / (density + self.density_floor)
        if self.density == "per_point":
            density = density * (self.problem.volume / (len(points) * central_mass(axes, ell)))
        elif self.density == "coverage":
            density = -torch.expm1(-density)
        return torch.cat([density, signals], 1)


class AttentionEncoder(_Convolved):
    """Every point of the latent grid attends to the observations, by ``softmax(q · k / √a)`` of learned features of the places; then
    convolutions."""

    estimate = False

    def __init__(self, twin: dict[str, Any], problem: Problem, periodic: tuple[bool, ...]) -> None:
        a = twin["encoder"]["width"]
        super().__init__([a, a, a, twin["latent_channels"]], periodic)
        self.problem = problem
        self.query = Mlp(problem.dim, a, a)
        self.key = Mlp(problem.dim, a, a)
        self.value = Mlp(problem.source_channels, a, a)

    def forward(self, points: Points, values: Tensor, _estimate: Tensor | None, grid: Grid) -> Tensor:
        """Shapes: values ``[b, p, N]`` → ``[b, k, n0, n1]``."""
        like = next(self.parameters())
        query = self.query(unit_places(self.problem, grid, like))
        key = self.key(unit_places(self.problem, points, like))
        value = self.value(values.to(query.dtype).mT)
        attended = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), -1) @ value
        return self.convolved(attended.mT.unflatten(2, grid.plane))


def encoder(
    twin: dict[str, Any], problem: Problem, periodic: tuple[bool, ...]
) -> SetConvEncoder | AttentionEncoder:
    """The encoder that a configuration names."""
    kinds: dict[str, type[SetConvEncoder | AttentionEncoder]] = {
        "set_conv": SetConvEncoder,
        "attention": AttentionEncoder,
    }
    return kinds[known("encoder.kind", twin["encoder"]["kind"], *kinds)](twin, problem, periodic)


def unit_places(problem: Problem, points: Points, like: Tensor) -> Tensor:
    """Coordinates in [0, 1], ``[1 or b, N, D]``."""
    places = points.scattered(like.device).coordinates
    shares = [axis.share(places[..., d]) for d, axis in enumerate(problem.axes)]
    return torch.stack(shares, -1).to(like.dtype)


def position(problem: Problem, points: Points, device: torch.device) -> Tensor:
    """Where points are, ξ from 0 to 1 along each axis: sin 2πξ and cos 2πξ on periodic axes, 2ξ − 1 on others.

    Shapes: ``[1 or b, N, c]`` with the problem's ``position_channels`` c.
    """
    places = points.scattered(device).coordinates
    found = []
    for d, axis in enumerate(problem.axes):
        share = axis.share(places[..., d])
        angle = 2 * math.pi * share
        found += [torch.sin(angle), torch.cos(angle)] if axis.periodic else [2 * share - 1]
    return torch.stack(found, -1)


def latent_spacing(problem: Problem, n: int) -> float:
    """The largest spacing of a latent grid of n points an axis."""
    return max(axis.length / n for axis in problem.axes)


def length_scale(scale: Any, problem: Problem, n: int) -> float:
    """An initial ℓ: a number, or a multiple of the spacing of the latent grid, or of it and the training grid."""
    if isinstance(scale, dict) and "layout" in scale:
        return float(scale["layout"]) * latent_spacing(problem, n)
    if isinstance(scale, dict):
        spacings = [
            max(axis.length / native, axis.length / n)
            for axis, native in zip(problem.axes, problem.native, strict=True)
        ]
        return float(scale["spacings"]) * max(spacings)
    return float(scale)
