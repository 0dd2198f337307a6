"""States read at displaced points of their own grid."""

from __future__ import annotations

import torch
from torch import Tensor


def _taps(n: int, own: Tensor, shares: Tensor, wraps: bool) -> list[tuple[Tensor, Tensor]]:
    """The four points along an axis around its points ``own``, moved by shares of the axis, with their weights (Keys' cubics)."""
    place = n * shares if wraps else (own + n * shares).clamp(0, n - 1)
    cell = place.detach().floor()
    t = place - cell
    first = cell + own if wraps else cell
    weights = (
        t * (-0.5 + t * (1 - 0.5 * t)),
        1 + t * t * (-2.5 + 1.5 * t),
        t * (0.5 + t * (2 - 1.5 * t)),
        t * t * (-0.5 + 0.5 * t),
    )
    at = (first + k - 1 for k in range(4))
    return [(i % n if wraps else i.clamp(0, n - 1), w) for i, w in zip(at, weights, strict=True)]


def advected(h: Tensor, displacement: Tensor, wraps: tuple[bool, ...]) -> Tensor:
    """``h [b, c, n0, n1]`` at its grid points moved by ``displacement [b, g D, n0, n1]``, in shares of each of the last D axes; the
    channels form g equal groups. Places beyond the end of an axis that does not wrap have the value there."""
    b, c, n0, n1 = h.shape
    groups = displacement.shape[1] // len(wraps)
    flat = h.reshape(b, groups, c // groups, n0 * n1)
    d = displacement.reshape(b, groups, len(wraps), n0 * n1)
    point = torch.arange(n0 * n1, device=h.device)
    own = (point // n1).to(h.dtype), (point % n1).to(h.dtype)
    last = _taps(n1, own[1], d[:, :, -1], wraps[-1])
    one = torch.ones((), dtype=h.dtype, device=h.device)
    first = _taps(n0, own[0], d[:, :, 0], wraps[0]) if len(wraps) == 2 else [(0 * one, one)]
    out = torch.zeros_like(flat)
    for row, across in first:
        for column, along in last:
            index = (row * n1 + column).long()[:, :, None].expand(flat.shape)
            out = out + flat.gather(3, index) * (across * along)[:, :, None]
    return out.reshape(h.shape)
