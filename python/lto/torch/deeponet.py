"""DeepONet: the inner product of a branch that sees fixed sensors and a trunk that sees the query."""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from .._errors import DataError
from .checks import is_exporting
from .encoder import position
from .layers import Mlp
from .model import Context, Model
from .points import Grid, Points, displacements, squares, uniform_axis
from .tables import SAME_PLACE


class DeepOnet(Model[Tensor]):
    """``u_c(x, t) = Σ_k branch_ck(values at s) · trunk_ck(x, s, t) + bias_c``.

    The trunk sees the sine and cosine of periodic coordinates, other coordinates scaled to [−1, 1], and the times as shares of the
    trained range. The observations must contain all sensors: every k-th point of the training grid.
    """

    kind = "deeponet"

    def __init__(self, card: dict[str, Any]) -> None:
        super().__init__(card)
        config, problem = self.card["model"], self.problem
        stride, placement = config.get("sensor_stride", 1), config.get("placement")
        lines = [
            uniform_axis(axis, n, placement or ("left" if axis.periodic else "vertex"))[::stride]
            for axis, n in zip(problem.axes, problem.native, strict=True)
        ]
        self.sensors = Grid(*lines)
        q, self.basis = problem.target_channels, config["basis"]
        features = problem.position_channels + (0 if problem.times is None else 2)
        self.branch = Mlp(problem.source_channels * len(self.sensors), *config["branch"], q * self.basis)
        self.trunk = Mlp(features, *config["trunk"], q * self.basis)
        self.bias = nn.Parameter(torch.zeros(q))

    def encode(self, context: Context) -> Tensor:
        """The branch, ``[b, q, K]``."""
        values = context.values.to(self.dtype)
        if context.points != self.sensors:
            index = self._places(context.points, values.device).expand(values.shape[0], -1)
            values = values.gather(2, index[:, None].expand(-1, values.shape[1], -1))
        return self.branch(values.flatten(1)).unflatten(1, (-1, self.basis))

    def decode(self, latent: Tensor, context: Context, s: Tensor, t: Tensor, query: Points) -> Tensor:
        trunk = self.trunk(self._features(query, s, t).to(latent.dtype)).unflatten(2, (-1, self.basis))
        return (trunk * latent[:, None]).sum(-1).mT + self.bias[:, None]

    def _features(self, query: Points, s: Tensor, t: Tensor) -> Tensor:
        """``[b, M, features]``."""
        found = position(self.problem, query, s.device).expand(len(s), -1, -1)
        if self.problem.times is None:
            return found
        times = torch.stack([self.problem.fraction(s), self.problem.fraction(t)], -1).to(found.dtype)
        return torch.cat([found, times[:, None].expand(-1, len(query), -1)], -1)

    def _places(self, points: Points, device: torch.device) -> Tensor:
        """The index of each sensor among the observed points, ``[1 or b, S]``."""
        sensors = self.sensors.scattered(device)
        ways = displacements(self.problem, sensors, points.scattered(device))
        nearest, index = squares(ways).min(-1)
        far = nearest.sqrt() > SAME_PLACE * max(axis.length for axis in self.problem.axes)
        if not is_exporting() and bool(far.any()):
            place = sensors.coordinates[0, far.nonzero()[0, 1]].tolist()
            raise DataError(
                f"points: the {len(self.sensors)} sensors of a DeepONet must be among the observed points, but the one at {place} is not"
            )
        return index
