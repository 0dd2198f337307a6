"""The factorized Fourier neural operator (F-FNO): spectral convolutions along one axis at a time, on the given grid."""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

from .layers import NormedLinear
from .model import Context, Model
from .points import Points
from .spectral import Waves, convolved_rows
from .whole_grid import along_axes, inputs


class AxisWeights(nn.Module):
    """R of one axis: a complex matrix for each kept wavenumber, ``[in, out, modes]``."""

    def __init__(self, width: int, modes: int, gain: float) -> None:
        super().__init__()
        deviation = gain / math.sqrt(2 * width * modes)
        self.real = nn.Parameter(deviation * torch.randn(width, width, modes))
        self.imaginary = nn.Parameter(deviation * torch.randn(width, width, modes))

    def forward(self, z: Tensor) -> Tensor:
        """``F⁻¹(R · F z)`` along the last axis."""
        n, modes = z.shape[-1], self.real.shape[2]
        return convolved_rows(z, (self.real, self.imaginary), Waves.half(n, n, modes))


class Spectral(nn.Module):
    """``Σ_d F_d⁻¹(R_d · F_d z)`` over the axes d."""

    def __init__(self, width: int, modes: list[int], gain: float) -> None:
        super().__init__()
        self.axes = nn.ModuleList(AxisWeights(width, m, gain) for m in modes)

    def forward(self, z: Tensor) -> Tensor:
        *first, last = self.axes
        return sum((axis(z.mT).mT for axis in first), start=last(z))


class Perceptron(nn.Module):
    """``W₂ ReLU(W₁ h + b₁) + b₂`` at every point."""

    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.first, self.second = NormedLinear(width, inner), NormedLinear(inner, width)

    def forward(self, h: Tensor) -> Tensor:
        return self.second(torch.relu(self.first(h.movedim(1, -1)))).movedim(-1, 1)


class FFno(Model[None]):
    """A factorized Fourier neural operator. Layers ``z ← z + b``; the projection reads the last b and not z."""

    kind = "f_fno"
    goes_by_steps = True

    def __init__(self, card: dict[str, Any]) -> None:
        super().__init__(card)
        config, problem = self.card["model"], self.problem
        self.modes = along_axes(config["modes"], problem.dim)
        width, n, share = config["width"], config.get("layers", 4), config.get("share", True)
        hidden = config.get("hidden", 128)
        self.lift = NormedLinear(problem.source_channels + problem.dim, width)
        self.spectral = nn.ModuleList(
            Spectral(width, self.modes, 0.1 if share else 1.0) for _ in range(1 if share else n)
        )
        self.layers = nn.ModuleList(Perceptron(width, config.get("expansion", 4) * width) for _ in range(n))
        self.hidden, self.output = NormedLinear(width, hidden), NormedLinear(hidden, problem.target_channels)

    def encode(self, context: Context) -> None:
        return None

    def decode(self, latent: None, context: Context, s: Tensor, t: Tensor, query: Points) -> Tensor:
        x = inputs(self, context, query, self.modes)
        z = self.lift(x.movedim(1, -1)).movedim(-1, 1)
        for i, layer in enumerate(self.layers):
            update = layer(self.spectral[min(i, len(self.spectral) - 1)](z))
            z = z + update
        return self.output(self.hidden(update.flatten(2).mT)).mT
