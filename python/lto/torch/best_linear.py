"""The best linear estimate of a source from noisy observations."""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

import json
from functools import lru_cache
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor

from .. import _lto
from .checks import known
from .points import Grid, Points, Scattered


@lru_cache(maxsize=8)
def _native(problem: str) -> _lto.BestLinear:
    """The covariances of a problem, prepared once."""
    return _lto.BestLinear(problem)


class BestLinear:
    """û = W u with the weights that are best for the covariance of the training data. They depend on the places and on how noisy the
    values look; :mod:`lto._lto` finds them, so they are constants for gradients."""

    def __init__(self, problem: dict[str, Any]) -> None:
        self._problem = json.dumps(problem)
        self._memory = [(0.0, 1.0), *problem.get("measured", {}).get("memory", [])]

    def estimated(self, points: Points, values: Tensor, places: Scattered) -> Tensor:
        """At places, from observations: ``[b, p, N]`` → ``[b, p, M]``."""
        native, observed = _native(self._problem), points.scattered(values.device).coordinates
        query = places.coordinates[0].cpu().numpy()
        found = []
        for i, example in enumerate(values):
            at = observed[i % len(observed)].cpu().numpy()
            for c, channel in enumerate(example):
                index, weights = native.weights(c, at, channel.detach().cpu().numpy(), query)
                chosen = channel[torch.from_numpy(index).to(values.device)]
                found.append((torch.from_numpy(weights).to(channel) * chosen).sum(-1))
        return torch.stack(found).unflatten(0, values.shape[:2])

    def smoothed(self, grid: Grid, values: Tensor) -> Tensor:
        """On a whole grid, without the noise that the values show: ``[b, p, N]`` → ``[b, p, N]``."""
        native, found = _native(self._problem), []
        for example in values:
            for c, channel in enumerate(example):
                gains = native.gains(c, grid.axes, channel.detach().cpu().numpy())
                if gains is not None:
                    waves = torch.fft.fftn(channel.unflatten(0, grid.shape))
                    channel = torch.fft.ifftn(torch.from_numpy(gains).to(channel) * waves).real.flatten()
                found.append(channel)
        return torch.stack(found).unflatten(0, values.shape[:2])

    def persisting(self, lead: Tensor) -> Tensor:
        """The share of a state that persists over a lead ``[b]``: linear between the measured ones, as there after the last."""
        share = torch.ones_like(lead)
        for (a, low), (b, high) in pairwise(self._memory):
            share = torch.where(lead > a, low + torch.clamp((lead - a) / (b - a), max=1.0) * (high - low), share)
        return share


def best_linear(card: dict[str, Any]) -> BestLinear | None:
    """What estimates the sources of a model card, if it is this."""
    measured = card["problem"].get("measured", {})
    source = known("source", card["model"].get("source", "local_linear"), "local_linear", "best_linear")
    for key in measured:
        known("problem.measured", key, "covariances", "memory")
    return BestLinear(card["problem"]) if source == "best_linear" else None
