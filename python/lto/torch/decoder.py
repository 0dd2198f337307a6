"""The decoder: the latent state read at the query points, then an MLP at each of them."""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

from .checks import known
from .encoder import length_scale
from .kernel import cubic, normalized
from .layers import Mlp
from .points import Grid, Points, factors, read
from .problem import Problem


class Decoder(nn.Module):
    """Weights of a normalized kernel with a learned ℓ, or of cubics; then MLP k → d → d → q."""

    def __init__(self, twin: dict[str, Any], problem: Problem, n_out: int, zero: bool) -> None:
        super().__init__()
        config = twin["decoder"]
        d = config["hidden"]
        self.problem = problem
        self.log_length_scale: nn.Parameter | None = None
        if (
            known("decoder.interpolation", config.get("interpolation", "kernel"), "kernel", "cubic")
            == "kernel"
        ):
            ell = length_scale(config.get("length_scale", 0.1), problem, twin["latent_points"])
            self.log_length_scale = nn.Parameter(torch.tensor([math.log(ell)]))
        self.mlp = Mlp(twin["latent_channels"], d, d, n_out, zero=zero)

    def forward(self, z: Tensor, grid: Grid, query: Points) -> Tensor:
        """Shapes: z ``[b, k, n0, n1]`` → ``[b, q, M]``."""
        axes = self.problem.axes

        def weights(d: int, x: Tensor, y: Tensor) -> Tensor:
            if self.log_length_scale is None:
                return cubic(axes[d], x, y)
            return normalized(axes[d], x, y, self.log_length_scale.exp())

        latent = read(query, factors(self.problem, query, grid, weights, z), z)
        return self.mlp(latent.mT).mT
