"""The twin Ψ = decode ∘ evolve ∘ encode."""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor

from .best_linear import best_linear
from .checks import known
from .decoder import Decoder
from .encoder import encoder
from .estimate import interpolated, nearest_linear
from .evolution import evolution
from .gate import freedom
from .model import Context, Model
from .points import Grid, Points, mean_spacing, precise, uniform_axis
from .semigroup import Semigroup
from .spline import SplineField
from .tables import FEWEST

REACH = 0.2
"""Largest displacement of a transport output that is of size one for the decoder, as a share of an axis."""


@dataclass
class TwinLatent:
    """The state of b examples between encoding and decoding: ``z [b, k, n0, n1]``, and the estimated source if anything uses it."""

    z: Tensor
    source: SplineField | None


class Twin(Model[TwinLatent]):
    """The Latent Twin Operator: observations anywhere, predictions anywhere, at any time."""

    kind = "twin"

    def __init__(self, card: dict[str, Any]) -> None:
        super().__init__(card)
        config, problem = self.card["model"], self.problem
        self.output = known(
            "output", config.get("output", "direct"), "direct", "residual", "transport", "gated"
        )
        known("encoder.each", config["encoder"].get("each", False), False)
        known("problem.history", problem.source_channels // problem.target_channels if problem.times else 1, 1)
        extra = {"transport": problem.dim, "gated": problem.dim + 1}.get(self.output, 0)
        self.moves = extra > 0
        """Whether the estimated source is moved, by a displacement that is decoded before the values of the channels."""
        self.boundary = known("boundary", config.get("boundary"), None, "zero")
        place = known("latent_placement", config.get("latent_placement", "left"), "left", "center")
        n = config["latent_points"]
        self.latent_grid = Grid(
            *(uniform_axis(axis, n, place if axis.periodic else "vertex") for axis in problem.axes)
        )
        wraps = known("padding", config.get("padding", "domain"), "domain", "zero") == "domain"
        periodic = tuple(wraps and axis.periodic for axis in problem.axes)
        around = (problem.axes[0].periodic, problem.axes[-1].periodic)
        self.encoder = encoder(config, problem, periodic)
        self.evolution = evolution(config, periodic, around, problem.times is not None)
        self.deviations = problem.target_channels if config["decoder"].get("deviation", False) else 0
        """How many logarithms of deviations are decoded before everything else."""
        decoded = self.deviations + extra + problem.target_channels
        self.decoder = Decoder(config, problem, decoded, zero=self.moves)
        own = config.get("semigroup")
        self.semigroup = None if own is None else Semigroup(own, problem)
        self.best_linear = best_linear(card)

    def encode(self, context: Context) -> TwinLatent:
        needed = self.moves or self.encoder.estimate or self.semigroup is not None
        source = self._source(context) if needed else None
        estimate = None
        if source is not None and self.encoder.estimate:
            estimate = self._on_grid(source).unflatten(2, self.latent_grid.plane)
        return TwinLatent(self.encoder(context.points, context.values, estimate, self.latent_grid), source)

    def evolve(self, latent: TwinLatent, s: Tensor, t: Tensor) -> TwinLatent:
        times = None
        if self.problem.times is not None:
            times = torch.stack([self.problem.fraction(s), self.problem.fraction(t)], 1).to(self.dtype)
        return TwinLatent(self.evolution(latent.z, times), latent.source)

    def decode(self, latent: TwinLatent, context: Context, s: Tensor, t: Tensor, query: Points) -> Tensor:
        """The target state itself, multiplied by what vanishes on its boundary if that is known; or the change of the source,
        ``û_s(q) + c r``; or the source moved and corrected, ``û_s(q + c L d) + c r``, with the typical change c over the lead; or this
        with a gate, ``(1 − g γ) û_s(q + c L d) + g r``, with the freedom g, which is c only where the source is well observed. A
        semigroup adds its change to the source."""
        decoded: Tensor = self.decoder(latent.z, self.latent_grid, query)[:, self.deviations :]
        if self.output == "direct":
            return decoded if self.boundary is None else decoded * self._vanishing(query, decoded)
        change = self.problem.change(t - s)
        scale = change.to(decoded.dtype)[:, None, None]
        if self.output == "residual":
            base = interpolated(self.problem, context.points, context.values, query)
            return base.to(decoded.dtype) + self._change(latent, t - s, query) + scale * decoded
        dim, source = self.problem.dim, cast(SplineField, latent.source)
        places = query.scattered(decoded.device).coordinates
        lengths = places.new_tensor([axis.length for axis in self.problem.axes])
        way = REACH * lengths * (scale * decoded[:, :dim]).mT.to(places.dtype)
        moved = source.at(places + way).to(decoded.dtype)
        if self.best_linear is not None:
            moved = moved * self.best_linear.persisting(t - s).to(moved.dtype)[:, None, None]
        moved = moved + self._change(latent, t - s, query)
        if self.output == "transport":
            return moved + scale * decoded[:, dim:]
        free = scale
        if self.best_linear is None:
            h = mean_spacing(self.problem, self.latent_grid)
            free = freedom(self.problem, context.points, query, change, h).to(decoded.dtype)[:, None]
        gate, correction = decoded[:, dim : dim + 1], decoded[:, dim + 1 :]
        return moved + free * (correction - gate * moved)

    def _on_grid(self, source: SplineField) -> Tensor:
        """The estimated source on the latent grid, ``[b, p, n0 n1]``."""
        everywhere = self.latent_grid.scattered(next(self.parameters()).device).coordinates
        return source.at(everywhere).to(self.dtype)

    def _change(self, latent: TwinLatent, lead: Tensor, query: Points) -> Tensor | float:
        """What the waves of the source do by themselves."""
        if self.semigroup is None:
            return 0.0
        share = self.problem.fraction(lead) - self.problem.fraction(torch.zeros_like(lead))
        return self.semigroup(self._on_grid(cast(SplineField, latent.source)), share, self.latent_grid, query)

    def _source(self, context: Context) -> SplineField:
        """û_s: the spline through a whole grid, else through the nearest observations' estimate on the latent grid; or the best linear
        estimate there, also from coarser grids, and whole grids without their noise."""
        axes, points = self.problem.axes, context.points
        values = context.values.to(precise(context.values.device))
        best = self.best_linear
        coarse = best is not None and len(points) < len(self.latent_grid)
        if isinstance(points, Grid) and min(points.shape) >= FEWEST and not coarse:
            return SplineField(axes, points, values if best is None else best.smoothed(points, values))
        everywhere = self.latent_grid.scattered(values.device)
        if best is not None:
            return SplineField(axes, self.latent_grid, best.estimated(points, values, everywhere))
        estimate = nearest_linear(self.problem, points.scattered(values.device), values, everywhere)
        return SplineField(axes, self.latent_grid, estimate)

    def _vanishing(self, query: Points, like: Tensor) -> Tensor:
        """Π 4 ξ (1 − ξ) over the axes that are not periodic, ξ from 0 to 1 along each, ``[1 or b, 1, M]``."""
        places = query.scattered(like.device).coordinates
        factor = torch.ones_like(places[..., 0])
        for d, axis in enumerate(self.problem.axes):
            if not axis.periodic:
                share = axis.share(places[..., d])
                factor = factor * (4 * share * (1 - share))
        return factor[:, None].to(like.dtype)
