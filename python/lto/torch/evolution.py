"""Latent evolutions m_{s→t}: z plus what a network adds, nothing at first."""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from . import tables
from .checks import known
from .layers import Conv, Film, Linear
from .advect import advected
from .spectral import Waves, convolved

Periodic = tuple[bool, ...]


class TimeEmbedding(nn.Module):
    """Linear (2 → f), SiLU, Linear (f → f) of (s, t)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.layers = nn.ModuleList([Linear(2, width), Linear(width, width)])

    def forward(self, times: Tensor) -> Tensor:
        first, second = self.layers
        return second(functional.silu(first(times)))


class SteadyEvolution(nn.Module):
    """``z + conv3 SiLU conv3 SiLU conv3 z``."""

    def __init__(self, config: dict[str, Any], k: int, periodic: Periodic, **_: Any) -> None:
        super().__init__()
        f = config["width"]
        self.layers = nn.ModuleList(
            [Conv(k, f, 3, periodic), Conv(f, f, 3, periodic), Conv(f, k, 3, periodic, zero=True)]
        )

    def forward(self, z: Tensor, _times: Tensor | None) -> Tensor:
        first, second, third = self.layers
        return z + third(functional.silu(second(functional.silu(first(z)))))


class TimedEvolution(nn.Module):
    """conv3, FiLM, SiLU; five dilated conv3 with SiLU; FiLM; conv3; added to z."""

    def __init__(self, config: dict[str, Any], k: int, periodic: Periodic, **_: Any) -> None:
        super().__init__()
        f = config["width"]
        self.time = TimeEmbedding(f)
        self.input = Conv(k, f, 3, periodic)
        self.input_film = Film(f, f)
        self.dilated = nn.ModuleList(Conv(f, f, 3, periodic, dilation) for dilation in (2, 4, 8, 16, 32))
        self.output_film = Film(f, f)
        self.output = Conv(f, k, 3, periodic, zero=True)

    def forward(self, z: Tensor, times: Tensor) -> Tensor:
        embedding = self.time(times)
        h = functional.silu(self.input_film(self.input(z), embedding))
        for conv in self.dilated:
            h = functional.silu(conv(h))
        return z + self.output(self.output_film(h, embedding))


class _Modulated(nn.Module):
    """conv3 lifts to width f, blocks modulated by the times, conv3 back, added to z. Steady problems have no modulation."""

    adds = True
    """Whether the activated block is added to its input."""

    def __init__(self, f: int, k: int, periodic: Periodic, blocks: int, timed: bool) -> None:
        super().__init__()
        self.n_blocks = blocks
        self.time = TimeEmbedding(f) if timed else None
        self.input = Conv(k, f, 3, periodic)
        self.films = nn.ModuleList(Film(f, f) for _ in range(blocks if timed else 0))
        self.output = Conv(f, k, 3, periodic, zero=True)

    def moved(self, _i: int, h: Tensor) -> Tensor:
        """The state that block i takes."""
        return h

    def block(self, i: int, h: Tensor) -> Tensor:
        """Block i before its modulation."""
        raise NotImplementedError

    def forward(self, z: Tensor, times: Tensor | None) -> Tensor:
        embedding = self.time(times) if self.time is not None else None
        h = self.input(z)
        for i in range(self.n_blocks):
            h = self.moved(i, h)
            y = self.block(i, h)
            if embedding is not None:
                y = self.films[i](y, embedding)
            h = functional.gelu(y) + h if self.adds else functional.gelu(y)
        return z + self.output(h)


class ResidualEvolution(_Modulated):
    """Seven blocks ``h + GELU(FiLM(conv3 h))`` with growing and shrinking dilations."""

    def __init__(self, config: dict[str, Any], k: int, periodic: Periodic, timed: bool, **_: Any) -> None:
        f, dilations = config["width"], (1, 2, 4, 8, 4, 2, 1)
        super().__init__(f, k, periodic, len(dilations), timed)
        self.blocks = nn.ModuleList(Conv(f, f, 3, periodic, dilation) for dilation in dilations)

    def block(self, i: int, h: Tensor) -> Tensor:
        return self.blocks[i](h)


class SpectralConv(nn.Module):
    """``F⁻¹(R · F x)`` of wavenumbers below ``modes``; an axis that does not wrap is continued by zeros to 1.25 times its length."""

    def __init__(self, channels: int, modes: int, periodic: Periodic) -> None:
        super().__init__()
        first = 2 * modes - 1 if len(periodic) == 2 else 1
        shape, deviation = (first * modes, channels, channels), 0.5 / channels
        self.real = nn.Parameter(deviation * torch.randn(shape))
        self.imaginary = nn.Parameter(deviation * torch.randn(shape))
        self.modes, self.periodic = modes, periodic

    def forward(self, x: Tensor) -> Tensor:
        n0, n1 = x.shape[2:]
        period = [
            n if wraps else n + -(-n // 4)
            for n, wraps in zip((n0, n1)[-len(self.periodic) :], self.periodic, strict=True)
        ]
        first = Waves.symmetric(n0, period[0], self.modes) if len(period) == 2 else Waves.single()
        weights = self.real.permute(1, 2, 0), self.imaginary.permute(1, 2, 0)
        return convolved(x, weights, first, Waves.half(n1, period[-1], self.modes))


class SpectralEvolution(_Modulated):
    """Blocks ``h + GELU(FiLM(spectral h + conv h))`` with dilated local convolutions. With displacements, a block first moves each
    group of its channels."""

    reach = 1 / 64
    """A displacement of size one, as a share of an axis."""

    def __init__(
        self, config: dict[str, Any], k: int, periodic: Periodic, timed: bool, wraps: tuple[bool, bool]
    ) -> None:
        f, n = config["width"], config["blocks"]
        super().__init__(f, k, periodic, n, timed)
        taps, dilations = config.get("taps", 3), config.get("dilations", [1])
        self.spectral = nn.ModuleList(SpectralConv(f, config["modes"], periodic) for _ in range(n))
        self.local = nn.ModuleList(
            Conv(f, f, taps, periodic, dilations[i % len(dilations)]) for i in range(n)
        )
        groups, self.wraps = config.get("displacements", 0), wraps[-len(periodic) :]
        self.movers = nn.ModuleList(
            Conv(f, groups * len(periodic), 1, periodic, zero=True) for _ in range(n if groups else 0)
        )

    def moved(self, i: int, h: Tensor) -> Tensor:
        if not self.movers:
            return h
        return advected(h, self.reach * self.movers[i](h), self.wraps)

    def block(self, i: int, h: Tensor) -> Tensor:
        return self.spectral[i](h) + self.local[i](h)


class Level(nn.Module):
    """The convolutions of one grid of a cycle."""

    def __init__(self, f: int, periodic: Periodic) -> None:
        super().__init__()
        self.before, self.operator, self.after = (Conv(f, f, 3, periodic) for _ in range(3))


class Cycle(nn.Module):
    """An affine V-cycle. On every level ``u = S f``, ``u ← u + P V(R (f + A u))`` with the cycle V of the next coarser level, and
    ``u ← u + S′ (f + A u)``; the coarsest leaves out the second."""

    def __init__(self, f: int, levels: int, periodic: Periodic, wraps: tuple[bool, bool]) -> None:
        super().__init__()
        self.levels = nn.ModuleList(Level(f, periodic) for _ in range(levels))
        self.wraps = wraps

    def forward(self, f: Tensor, level: int = 0) -> Tensor:
        of = cast(Level, self.levels[level])
        u = of.before(f)
        if level + 1 < len(self.levels):
            residual = f + of.operator(u)
            sizes = list(zip(f.shape[2:], self.wraps, strict=True))
            r0, r1 = (tables.tensor(tables.restriction(n, wraps), f) for n, wraps in sizes)
            p0, p1 = (tables.tensor(tables.prolongation(n, wraps), f) for n, wraps in sizes)
            u = u + p0 @ self(r0 @ residual @ r1.mT, level + 1) @ p1.mT
        return u + of.after(f + of.operator(u))


class MultigridEvolution(_Modulated):
    """Layers ``h ← GELU(FiLM(V h + conv1 h))`` with a learned multigrid cycle V each."""

    adds = False

    def __init__(
        self, config: dict[str, Any], k: int, periodic: Periodic, timed: bool, wraps: tuple[bool, bool]
    ) -> None:
        f, n = config["width"], config["cycles"]
        super().__init__(f, k, periodic, n, timed)
        self.cycles = nn.ModuleList(Cycle(f, config["levels"], periodic, wraps) for _ in range(n))
        self.local = nn.ModuleList(Conv(f, f, 1, periodic) for _ in range(n))

    def block(self, i: int, h: Tensor) -> Tensor:
        return self.cycles[i](h) + self.local[i](h)


def evolution(twin: dict[str, Any], periodic: Periodic, wraps: tuple[bool, bool], timed: bool) -> nn.Module:
    """The evolution that a configuration names; convolutions wrap around axes as ``periodic`` says, grids as ``wraps``."""
    kinds: dict[str, type[nn.Module]] = {
        "steady": SteadyEvolution,
        "timed": TimedEvolution,
        "residual": ResidualEvolution,
        "spectral": SpectralEvolution,
        "multigrid": MultigridEvolution,
    }
    config = twin["evolution"]
    return kinds[known("evolution.kind", config["kind"], *kinds)](
        config, twin["latent_channels"], periodic, timed=timed, wraps=wraps
    )
