"""The mean course of the training samples: their mean state at every time, estimated, not trained."""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from .estimate import closely
from .points import Grid, Points, precise
from .problem import Problem

SAME_TIME = 1e-6
"""Times closer than this share of the period are the same."""


class MeanCourse(nn.Module):
    """m(x, t), known on a grid at increasing times, all within the first period if there is one.

    Its values ``mean [frame, channel, point]`` are stored beside the weights. Before they are loaded they are the mean of each channel, so
    that nothing departs from it.
    """

    mean: Tensor

    def __init__(self, course: dict[str, Any], problem: Problem, means: list[float]) -> None:
        super().__init__()
        self.problem, self.grid = problem, Grid(*course["coordinates"])
        self.period: float | None = course.get("period")
        times = course["times"]
        n = len(times)
        first, last = times[0], times[-1]
        # One more frame on either side: of the neighboring periods, or without a period the ends, which hold.
        before, after = (
            (first - 1, last + 1) if self.period is None else (last - self.period, first + self.period)
        )
        self.times = (before, *times, after)
        self.frames = (n - 1 if self.period else 0, *range(n), 0 if self.period else n - 1)
        usual = torch.tensor(means)[None, :, None].expand(n, -1, len(self.grid))
        self.register_buffer("mean", usual.clone())

    def forward(self, t: Tensor, query: Points) -> Tensor:
        """m(·, t): linear between frames, interpolated in space. Shapes: t ``[b]`` → ``[b, q, M]``."""
        if self.period is not None:
            t = torch.remainder(t, self.period)
            t = torch.where(self.period - t <= SAME_TIME * self.period, torch.zeros_like(t), t)
        times = torch.tensor(self.times, dtype=t.dtype, device=t.device)
        frames = torch.tensor(self.frames, device=t.device)
        i = torch.clamp((t[:, None] >= times).sum(-1) - 1, 0, len(times) - 2)
        share = torch.clamp((t - times[i]) / (times[i + 1] - times[i]), 0, 1)[:, None, None]
        before, after = (self.mean[frames[k]].to(precise(t.device)) for k in (i, i + 1))
        return closely(self.problem, self.grid, before + share * (after - before), query)
