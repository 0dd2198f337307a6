"""A learned linear semigroup beside the network: every wave of the source fades and turns at a rate of its own."""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

from .points import Grid, Points
from .problem import Problem

FADE = 0.1
"""Initial √fade of every wave."""


class Semigroup(nn.Module):
    """``(S_τ − 1) û_s = Re Σ_k w_k (e^{−(1 + |k|²)(θ_k² + i φ_k) τ} − 1) ĉ_k e^{2πi k·ξ}`` over one k of each pair ±k, with the Fourier
    coefficients ĉ of the source on the latent grid and the lead τ as a share of the trained range; a mean does not turn, φ_0 = 0."""

    def __init__(self, config: dict[str, Any], problem: Problem) -> None:
        super().__init__()
        m = config["modes"]
        first = range(1 - m, m) if problem.dim == 2 else [0]
        kept = [(k0, k1) for k0 in first for k1 in range(m) if k1 > 0 or k0 >= 0]
        self.problem = problem
        self.waves = [k[2 - problem.dim :] for k in kept]
        self.fade = nn.Parameter(torch.full((problem.source_channels, len(kept)), FADE))
        self.turn = nn.Parameter(torch.zeros(problem.source_channels, len(kept)))

    def forward(self, source: Tensor, lead: Tensor, grid: Grid, query: Points) -> Tensor:
        """Shapes: source ``[b, p, n0 n1]`` on the latent grid, lead ``[b]``, M places → ``[b, p, M]``."""
        waves = source.new_tensor(self.waves)
        cos, sin = self._basis(waves, grid, source)
        real, imaginary = (source @ cos.mT) / len(grid), -(source @ sin.mT) / len(grid)
        time = lead.to(source.dtype)[:, None, None] * (1 + (waves**2).sum(1))
        pairs = torch.where((waves == 0).all(1), 1.0, 2.0).to(source.dtype)
        fade, turn = self.fade.to(source.dtype), self.turn.to(source.dtype) * (pairs - 1)
        left, angle = torch.exp(-(fade**2) * time), turn * time
        change, turned = left * torch.cos(angle) - 1, -left * torch.sin(angle)
        cos, sin = self._basis(waves, query, source)
        even, odd = real * change - imaginary * turned, real * turned + imaginary * change
        return (pairs * even) @ cos - (pairs * odd) @ sin

    def _basis(self, waves: Tensor, points: Points, like: Tensor) -> tuple[Tensor, Tensor]:
        """cos and sin of 2π k·ξ, ``[1 or b, K, M]``."""
        places = points.scattered(like.device).coordinates
        shares = torch.stack([axis.share(places[..., d]) for d, axis in enumerate(self.problem.axes)], 1)
        angle = 2 * math.pi * (waves.to(shares.dtype) @ shares)
        return torch.cos(angle).to(like.dtype), torch.sin(angle).to(like.dtype)
