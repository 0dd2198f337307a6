"""Global convolutions in Fourier space, as products with truncated DFT matrices: any size, and no complex numbers."""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import torch
from torch import Tensor

from . import tables


@dataclass(frozen=True)
class Waves:
    """The points of one axis, the period in points, and the kept wavenumbers with how often the inverse transform counts each."""

    points: int
    period: int
    kept: tuple[tuple[int, float], ...]

    @staticmethod
    def single() -> Waves:
        """The missing axis of a one-dimensional state."""
        return Waves(1, 1, ((0, 1.0),))

    @staticmethod
    def half(points: int, period: int, modes: int) -> Waves:
        """0 ≤ k < modes of a real signal: all but 0 and the Nyquist number count twice, those past it not at all."""

        def weight(k: int) -> float:
            return 1.0 if k == 0 or 2 * k == period else 2.0 if 2 * k < period else 0.0

        return Waves(points, period, tuple((k, weight(k)) for k in range(modes)))

    @staticmethod
    def symmetric(points: int, period: int, modes: int) -> Waves:
        """−modes < k < modes."""
        return Waves(
            points, period, tuple((k, 1.0 if 2 * abs(k) <= period else 0.0) for k in range(1 - modes, modes))
        )

    @staticmethod
    def blocks(points: int, modes: int) -> Waves:
        """0 ≤ k < modes, then −modes ≤ k < 0, which replace the first ones where both are the same wave."""
        first = [(k, 1.0 if k + modes < points else 0.0) for k in range(modes)]
        return Waves(points, points, (*first, *((k, 1.0) for k in range(-modes, 0))))

    @staticmethod
    def centered(points: int, n: int) -> Waves:
        """n wavenumbers with 0 in the middle, −n/2 the first; no more than there are points."""
        fits = min(n, points)
        kept = range(-(fits // 2), fits - fits // 2)
        return Waves(
            points, points, tuple((k, 1.0 if k in kept else 0.0) for k in range(-(n // 2), n - n // 2))
        )

    def __len__(self) -> int:
        return len(self.kept)


@lru_cache(maxsize=64)
def _circle(waves: Waves) -> tuple[tables.Matrix, tables.Matrix, tables.Matrix]:
    """Cosines and sines of 2πkj/P ``[n, modes]``, and the factors of the inverse ``[modes]``."""
    k = np.array([k for k, _ in waves.kept])
    angle = 2 * np.pi * (np.outer(np.arange(waves.points), k) % waves.period) / waves.period
    return np.cos(angle), np.sin(angle), np.array([weight for _, weight in waves.kept]) / waves.period


def _tables(waves: Waves, like: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    cos, sin, factor = _circle(waves)
    return tables.tensor(cos, like), tables.tensor(sin, like), tables.tensor(factor, like)


def mixed(real: Tensor, imaginary: Tensor, weights: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    """One complex matrix for each wavenumber: ``[b, in, …, K]`` with weights ``[in, out, K]`` → ``[b, out, …, K]``."""

    def product(x: Tensor, weight: Tensor) -> Tensor:
        return torch.einsum("bi...k,iok->bo...k", x, weight)

    re, im = weights
    return product(real, re) - product(imaginary, im), product(real, im) + product(imaginary, re)


def convolved(x: Tensor, weights: tuple[Tensor, Tensor], first: Waves, last: Waves) -> Tensor:
    """``F⁻¹(R · F x)`` on planes.

    Shapes: x ``[b, in, n0, n1]``, real and imaginary weights ``[in, out, K0 K1]`` → ``[b, out, n0, n1]``.
    """
    cos0, sin0, factor0 = _tables(first, x)
    cos1, sin1, factor1 = _tables(last, x)
    re, im = x @ cos1, -(x @ sin1)
    re, im = cos0.mT @ re + sin0.mT @ im, cos0.mT @ im - sin0.mT @ re
    re, im = mixed(re.flatten(2), im.flatten(2), weights)
    factor = torch.outer(factor0, factor1)
    re, im = factor * re.unflatten(2, factor.shape), factor * im.unflatten(2, factor.shape)
    re, im = cos0 @ re - sin0 @ im, cos0 @ im + sin0 @ re
    return re @ cos1.mT - im @ sin1.mT


def convolved_rows(x: Tensor, weights: tuple[Tensor, Tensor], waves: Waves) -> Tensor:
    """``F⁻¹(R · F x)`` along the last axis alone.

    Shapes: x ``[b, in, n0, n1]``, weights ``[in, out, K]`` → ``[b, out, n0, n1]``.
    """
    cos, sin, factor = _tables(waves, x)
    re, im = mixed(x @ cos, -(x @ sin), weights)
    return (factor * re) @ cos.mT - (factor * im) @ sin.mT
