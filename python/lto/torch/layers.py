"""Layers whose parameters have the names and shapes of a model file.

Spatial tensors are ``[b, c, n0, n1]``, with n0 = 1 in one dimension.
"""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional


def _uniform(shape: tuple[int, ...], fan_in: int) -> nn.Parameter:
    """Uniform in ±1/√(fan in)."""
    bound = 1 / math.sqrt(fan_in)
    return nn.Parameter(torch.empty(shape).uniform_(-bound, bound))


class Linear(nn.Module):
    """``y = x W + b`` with weights ``[in, out]``, along the last dimension."""

    def __init__(self, n_in: int, n_out: int, zero: bool = False) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.zeros(n_in, n_out)) if zero else _uniform((n_in, n_out), n_in)
        self.bias = nn.Parameter(torch.zeros(n_out)) if zero else _uniform((n_out,), n_in)

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight + self.bias


class NormedLinear(nn.Module):
    """A linear layer whose weights of each output are ``g v/‖v‖``: a size and a direction, learned apart."""

    def __init__(self, n_in: int, n_out: int) -> None:
        super().__init__()
        self.direction = _uniform((n_in, n_out), n_in)
        self.scale = nn.Parameter(self.direction.detach().norm(dim=0))
        self.bias = _uniform((n_out,), n_in)

    def forward(self, x: Tensor) -> Tensor:
        return x @ (self.direction * (self.scale / self.direction.norm(dim=0))) + self.bias


class Mlp(nn.Module):
    """Linear layers with ReLU between them, of the given widths; the last may be zero at first."""

    def __init__(self, *widths: int, zero: bool = False) -> None:
        super().__init__()
        last = len(widths) - 2
        self.layers = nn.ModuleList(
            Linear(widths[i], widths[i + 1], zero and i == last) for i in range(last + 1)
        )

    def forward(self, x: Tensor) -> Tensor:
        *inner, last = self.layers
        for layer in inner:
            x = torch.relu(layer(x))
        return last(x)


class ResidualMlp(nn.Module):
    """``r = GELU(x W + b)``, some steps ``r ← r + GELU(r W + b)``, then ``r W + b``."""

    def __init__(self, n_in: int, width: int, steps: int, n_out: int) -> None:
        super().__init__()
        self.input = Linear(n_in, width)
        self.hidden = nn.ModuleList(Linear(width, width) for _ in range(steps))
        self.output = Linear(width, n_out)

    def forward(self, x: Tensor) -> Tensor:
        r = functional.gelu(self.input(x))
        for layer in self.hidden:
            r = r + functional.gelu(layer(r))
        return self.output(r)


class Conv(nn.Module):
    """``y = w ⋆ x + b`` that keeps the size: k × k taps, 1 × k in one dimension; each axis continues around or by zeros."""

    def __init__(
        self,
        n_in: int,
        n_out: int,
        taps: int,
        periodic: tuple[bool, ...],
        dilation: int = 1,
        zero: bool = False,
    ) -> None:
        super().__init__()
        kernel = (taps if len(periodic) == 2 else 1, taps)
        fan_in = n_in * math.prod(kernel)
        self.weight = (
            nn.Parameter(torch.zeros(n_out, n_in, *kernel))
            if zero
            else _uniform((n_out, n_in, *kernel), fan_in)
        )
        self.bias = nn.Parameter(torch.zeros(n_out)) if zero else _uniform((n_out,), fan_in)
        self.dilation, self.periodic = dilation, periodic

    def forward(self, x: Tensor) -> Tensor:
        reach = self.dilation * (self.weight.shape[3] // 2)
        zeros = [0, 0]
        for axis, periodic in zip((3, 2), reversed(self.periodic), strict=False):
            if periodic:
                x = _around(x, axis, reach)
            else:
                zeros[axis - 2] = reach
        return functional.conv2d(x, self.weight, self.bias, padding=zeros, dilation=self.dilation)


def _around(x: Tensor, axis: int, reach: int) -> Tensor:
    """A periodic axis with ``reach`` more points at both ends, which may be more than it has."""
    n = x.shape[axis]
    turns = -(-reach // n)
    return torch.cat([x] * (2 * turns + 1), axis).narrow(axis, turns * n - reach, n + 2 * reach)


class Film(nn.Module):
    """``h (1 + γ) + β`` for each channel, ``[γ, β]`` linear in an embedding ``[b, f]``."""

    def __init__(self, embedding: int, channels: int) -> None:
        super().__init__()
        self.linear = Linear(embedding, 2 * channels)

    def forward(self, h: Tensor, embedding: Tensor) -> Tensor:
        gamma, beta = self.linear(embedding)[:, :, None, None].chunk(2, 1)
        return h * (1 + gamma) + beta


class LayerNorm(nn.Module):
    """Normalization over the last dimension, scaled by γ and shifted by β."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))

    def forward(self, x: Tensor) -> Tensor:
        return functional.layer_norm(x, self.gamma.shape, self.gamma, self.beta)
