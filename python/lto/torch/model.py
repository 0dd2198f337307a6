"""A trained model in physical units, as a PyTorch module."""

from __future__ import annotations

import copy
import hashlib
import os
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, TypeVar

import torch
from torch import Tensor, nn
from typing_extensions import Self

from .._errors import ConfigError, DataError, FileError
from . import files, stepping
from .checks import checked_batch, checked_points, checked_times, checked_values
from .course import MeanCourse
from .points import Grid, Points, whole_grid
from .problem import Problem
from .symmetry import carried_back, isometries, moved_values

Latent = TypeVar("Latent")


@dataclass
class Context:
    """Observed points and their values ``[b, p, N]``."""

    points: Points
    values: Tensor


class Model(nn.Module, Generic[Latent]):
    """decode ∘ evolve ∘ encode, in physical units.

    Made of a model card, with random weights; :meth:`from_run` loads a trained one. Parameters have the names and shapes of the
    model file.
    """

    kind: ClassVar[str]
    """Name in model cards."""
    goes_by_steps: ClassVar[bool] = False
    """Whether one application goes one native interval, whatever s and t."""

    def __init__(self, card: dict[str, Any]) -> None:
        super().__init__()
        kind = card["model"]["kind"]
        if kind != self.kind:
            raise ConfigError(
                f"the card is of a model of kind {kind!r}, not {self.kind!r}; lto.torch.load makes the right one"
            )
        self.card = copy.deepcopy(card)
        self.problem = Problem.of(card)
        course, means = card.get("course"), card["target_normalizer"]["mean"]
        self.course = None if course is None else MeanCourse(course, self.problem, means)
        """The mean course that states are departures from, if they are."""
        self.isometries = isometries(card, self.problem)
        """The symmetries that predictions are means over; of most models the identity alone."""
        self.extrapolates = False
        """Whether times outside the training data's are accepted."""
        self._trained: str | None = None

    @classmethod
    def from_run(cls, run: str | os.PathLike[str]) -> Self:
        """The model of a run folder, or of its model file."""
        return cls.with_weights(*files.read(run), run)

    @classmethod
    def with_weights(
        cls, card: dict[str, Any], tensors: dict[str, Tensor], run: str | os.PathLike[str]
    ) -> Self:
        """The model of a card with the weights beside it; messages name the run."""
        model = cls(card)
        try:
            model.load_state_dict(tensors)
        except RuntimeError as error:
            raise FileError(
                f"{os.fspath(run)}: the weights do not fit the architecture of the card: {error}"
            ) from error
        model._trained = model._fingerprint()
        return model

    def save(self, run: str | os.PathLike[str]) -> None:
        """Writes ``model.safetensors`` into a run folder, for ``lto predict`` and the other commands.

        The card is that of the model. If the weights have changed since they were loaded, it says so, and errors and bands measured
        before are left out; how later times are reached stays as it was.
        """
        card = copy.deepcopy(self.card)
        if self._fingerprint() != self._trained:
            card["errors"] = {}
            for measured in ("calibration", "cpu_minutes"):
                card.pop(measured, None)
            card["data"] = card["data"].removesuffix(TRAINED_HERE) + TRAINED_HERE
        files.write(
            run,
            card,
            {name: tensor.detach().float().cpu().contiguous() for name, tensor in self.state_dict().items()},
        )

    def grid(self, *shape: int) -> Grid:
        """A whole grid over the domain, as ``--query grid:128x128`` names it; the training grid's size if none is given."""
        shape = shape or self.problem.native
        if len(shape) != self.problem.dim or min(shape) < 1:
            raise DataError(
                f"grid{tuple(shape)}: one positive number for each axis of the domain, {self.problem.domain}"
            )
        return whole_grid(self.problem, shape)

    def forward(
        self,
        points: Tensor | Grid,
        values: Tensor,
        s: float | Tensor | None,
        t: float | Tensor | None,
        query: Tensor | Grid,
        way: str | None = None,
    ) -> Tensor:
        """The state at time t from observations at time s, as ``lto predict`` gives it.

        Shapes: points ``[N, D]`` or a :class:`Grid`, values ``[p, N]``, query ``[M, D]`` or a grid → ``[q, M]``.
        Values of b examples are ``[b, p, N]``, and so is the result; points, query, s and t are shared or have b too.
        A steady model takes ``None`` for s and t.

        Later times are reached by the way that was best on held-out samples, or by the one given: ``"direct"``, ``"chain"`` or
        ``"rollout"``.
        """
        device = next(self.parameters()).device
        placed = checked_points(self.problem, "points", points, device)
        asked = checked_points(self.problem, "query", query, device)
        observed = checked_values(self.problem, values, placed, device)
        b = checked_batch(observed, placed, asked)
        times = checked_times(self.problem, s, t, b, device, self.extrapolates)
        predicted = stepping.predict(self, Context(placed, observed), times, asked, way)
        return predicted if values.dim() == 3 else predicted[0]

    def propagate(self, context: Context, s: Tensor, t: Tensor, query: Points, n: int = 1) -> Tensor:
        """Encode, evolve from s to t in n equal steps, decode: ``[b, p, N]`` → ``[b, q, M]``, in physical units."""
        if len(self.isometries) == 1:
            return self._applied(context, s, t, query, n)
        device, each = context.values.device, []
        for map in self.isometries:
            points, order = map.moved(self.problem, context.points, device)
            moved = Context(points, moved_values(context.values, order, map.sign))
            asked, order = map.moved(self.problem, query, device)
            each.append(carried_back(self._applied(moved, s, t, asked, n), order, map.sign))
        return torch.stack(each).mean(0)

    def _applied(self, context: Context, s: Tensor, t: Tensor, query: Points, n: int) -> Tensor:
        context = self.normalized(context, s)
        latent = self.encode(context)
        for k in range(n):
            first, last = (s, t) if n == 1 else (s + (t - s) * k / n, s + (t - s) * (k + 1) / n)
            latent = self.evolve(latent, first, last)
        return self.physical(self.decode(latent, context, s, t, query), context.values, t, query)

    def normalized(self, context: Context, s: Tensor) -> Context:
        """Observations at time s as the network sees them."""
        mean, scale = self._normalizer("source_normalizer", context.values)
        departed = self._depart(context.values, context.points, s, -1)
        return Context(context.points, (departed - mean) / scale)

    def physical(self, predicted: Tensor, like: Tensor, t: Tensor, query: Points) -> Tensor:
        """A prediction of the network at time t in physical units, in the type of the observations."""
        mean, scale = self._normalizer("target_normalizer", like)
        return self._depart(predicted.to(like.dtype) * scale + mean, query, t, 1)

    def _depart(self, values: Tensor, points: Points, t: Tensor, sign: int) -> Tensor:
        """Adds ``sign`` times the mean course to a state at time t, less its mean over everything, which the normalizers keep."""
        if self.course is None:
            return values
        mean, _ = self._normalizer("target_normalizer", values)
        course: Tensor = self.course(t, points)
        return values + sign * (course.to(values.dtype) - mean)

    def _normalizer(self, key: str, like: Tensor) -> tuple[Tensor, Tensor]:
        mean, scale = (like.new_tensor(self.card[key][part])[:, None] for part in ("mean", "scale"))
        return mean, scale

    @property
    def dtype(self) -> torch.dtype:
        """The type in which the network computes."""
        return next(self.parameters()).dtype

    def _fingerprint(self) -> str:
        """What tells whether weights are the same."""
        digest = hashlib.blake2b()
        for tensor in self.state_dict().values():
            digest.update(tensor.detach().float().cpu().contiguous().numpy().tobytes())
        return digest.hexdigest()

    @abstractmethod
    def encode(self, context: Context) -> Latent:
        """The latent states at time s of normalized observations."""

    def evolve(self, latent: Latent, s: Tensor, t: Tensor) -> Latent:
        """The latent states at time t; unchanged if only decoding uses the times."""
        return latent

    @abstractmethod
    def decode(self, latent: Latent, context: Context, s: Tensor, t: Tensor, query: Points) -> Tensor:
        """Normalized predictions ``[b, q, M]``."""


TRAINED_HERE = ", then trained in PyTorch"
"""What the card of a model says about its data if the weights have changed."""
