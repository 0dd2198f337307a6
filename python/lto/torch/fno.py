"""The Fourier neural operator: spectral convolutions on the given grid."""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from .checks import known
from .layers import Linear
from .model import Context, Model
from .points import Points
from .spectral import Waves, convolved
from .whole_grid import along_axes, inputs


class Block(nn.Module):
    """``F⁻¹(R · F h) + W h + b``."""

    def __init__(self, width: int, modes: int, published: bool) -> None:
        super().__init__()
        shape, deviation = (width, width, modes), 1 / math.sqrt(width)
        draw = (
            (lambda: torch.rand(shape) / width**2)
            if published
            else (lambda: torch.randn(shape) * deviation / math.sqrt(2))
        )
        self.real, self.imaginary = nn.Parameter(draw()), nn.Parameter(draw())
        self.weight = nn.Parameter(torch.empty(width, width, 1, 1).uniform_(-deviation, deviation))
        bias = torch.empty(width)
        self.bias = nn.Parameter(
            bias.uniform_(-deviation, deviation) if published else bias.normal_(0, deviation)
        )

    def forward(self, h: Tensor, first: Waves, last: Waves) -> Tensor:
        return convolved(h, (self.real, self.imaginary), first, last) + functional.conv2d(
            h, self.weight, self.bias
        )


class Perceptron(nn.Module):
    """Linear, GELU, Linear at every point of ``[b, c, n0, n1]``."""

    def __init__(self, n_in: int, hidden: int, n_out: int) -> None:
        super().__init__()
        self.first, self.second = Linear(n_in, hidden), Linear(hidden, n_out)

    def forward(self, x: Tensor) -> Tensor:
        return self.second(functional.gelu(self.first(x.movedim(1, -1)))).movedim(-1, 1)


class Gate(nn.Module):
    """One factor for each channel."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, h: Tensor) -> Tensor:
        return h * self.weight[:, None, None]


class Fno(Model[None]):
    """A Fourier neural operator, in the published form or in that of the Python package ``neuraloperator``."""

    kind = "fno"
    goes_by_steps = True

    def __init__(self, card: dict[str, Any]) -> None:
        super().__init__(card)
        config, problem = self.card["model"], self.problem
        self.published = (
            known("form", config.get("form", "published"), "published", "neural_operator") == "published"
        )
        self.modes = along_axes(config["modes"], problem.dim)
        width, n = config["width"], config.get("blocks", 4)
        hidden = config.get("hidden") or (128 if self.published else 2 * width)
        n_in, n_out = problem.source_channels + problem.dim, problem.target_channels
        kept = math.prod(len(waves) for waves in self._waves((1, *problem.native)[-2:]))
        self.blocks = nn.ModuleList(Block(width, kept, self.published) for _ in range(n))
        if self.published:
            self.lift = Linear(n_in, width)
            self.hidden, self.output = Linear(width, hidden), Linear(hidden, n_out)
        else:
            self.lifting = Perceptron(n_in, 2 * width, width)
            self.mixers = nn.ModuleList(
                Perceptron(width, max(round(0.5 * width), 1), width) for _ in range(n)
            )
            self.gates = nn.ModuleList(Gate(width) for _ in range(n))
            self.projection = Perceptron(width, hidden, n_out)

    def _waves(self, shape: tuple[int, ...]) -> tuple[Waves, Waves]:
        """The kept wavenumbers on a grid ``[n0, n1]``."""
        n0, n1 = shape
        last = self.modes[-1] if self.published else self.modes[-1] // 2 + 1
        first = Waves.single()
        if self.problem.dim == 2:
            first = Waves.blocks(n0, self.modes[0]) if self.published else Waves.centered(n0, self.modes[0])
        return first, Waves.half(n1, n1, last)

    def encode(self, context: Context) -> None:
        return None

    def decode(self, latent: None, context: Context, s: Tensor, t: Tensor, query: Points) -> Tensor:
        x = inputs(self, context, query, self.modes if self.published else None)
        waves = self._waves(tuple(x.shape[2:]))
        predicted = self._published(x, waves) if self.published else self._package(x, waves)
        return predicted.flatten(2)

    def _published(self, x: Tensor, waves: tuple[Waves, Waves]) -> Tensor:
        """Linear to w channels; blocks, GELU after all but the last; Linear, GELU, Linear."""
        h = self.lift(x.movedim(1, -1)).movedim(-1, 1)
        for i, block in enumerate(self.blocks):
            h = block(h, *waves)
            h = functional.gelu(h) if i + 1 < len(self.blocks) else h
        return self.output(functional.gelu(self.hidden(h.movedim(1, -1)))).movedim(-1, 1)

    def _package(self, x: Tensor, waves: tuple[Waves, Waves]) -> Tensor:
        """An MLP lifts; blocks ``g ⊙ h + perceptron(a(F⁻¹(R · F h) + W h + b))`` with GELU inside and after all but the last; an MLP
        projects."""
        h = self.lifting(x)
        for i, block in enumerate(self.blocks):
            activation = functional.gelu if i + 1 < len(self.blocks) else nn.Identity()
            h = activation(self.mixers[i](activation(block(h, *waves))) + self.gates[i](h))
        return self.projection(h)
