"""How a model reaches a later time: directly, by a chain of latent steps, or by a rollout that observes its own predictions."""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

import torch
from torch import Tensor

from .._errors import ConfigError, DataError
from .checks import is_exporting
from .points import Grid, Points, same_points, whole_grid

if TYPE_CHECKING:
    from .model import Context, Model

Choice = TypeVar("Choice", int, str)

WAYS = ("direct", "chain", "rollout")
SAME_TIME = 1e-6
"""Relative tolerance within which two times are the same."""
MOST_STEPS = 100_000
"""More steps are refused: errors have long taken over."""


def predict(
    model: Model[Any], context: Context, times: tuple[Tensor, Tensor], query: Points, way: str | None
) -> Tensor:
    """Physical values ``[b, q, M]`` at time t of observations at time s."""
    s, t = times
    if way is not None and way not in WAYS:
        raise ConfigError(f"way = {way!r}: must be one of {', '.join(WAYS)}")
    if model.problem.times is None:
        return model.propagate(context, s, t, query)
    if model.goes_by_steps:
        if way not in (None, "rollout"):
            raise ConfigError(
                f"way = {way!r}: a model of kind {model.kind} goes one native step at a time; only a rollout goes further"
            )
        return _roll(model, context, s, t, _native_steps(model, s, t), query, query)
    if way is None:
        way = _agreed("best way", [_way(model, lead) for lead in _numbers(t - s)[0]])
    if way == "direct":
        return model.propagate(context, s, t, query)
    n = _agreed("number of steps", [_n_steps(model, lead) for lead in _numbers(t - s)[0]])
    if way == "chain":
        return model.propagate(context, s, t, query, n)
    given = context.points
    on = given if isinstance(given, Grid) else whole_grid(model.problem, model.problem.native)
    return _roll(model, context, s, t, n, query, on)


def _roll(
    model: Model[Any], context: Context, s: Tensor, t: Tensor, n: int, query: Points, on: Points
) -> Tensor:
    """n equal steps; all but the last are decoded at the points ``on`` and observed there."""
    step = (t - s) / n
    for k in range(n - 1):
        predicted = model.propagate(context, s + k * step, s + (k + 1) * step, on)
        context = _fed_back(model, context, predicted, on)
    return model.propagate(context, s + (n - 1) * step, t, query)


def _fed_back(model: Model[Any], context: Context, predicted: Tensor, at: Points) -> Context:
    """A prediction as the newest frame of the observations; of several frames the oldest is dropped."""
    p, q = model.problem.source_channels, model.problem.target_channels
    if p == q:
        return type(context)(at, predicted)
    if p % q or not same_points(context.points, at):
        raise DataError(
            f"a rollout feeds {q} channels back into a source of {p}: earlier frames are known only at the "
            "points of the observations, so the query must be the same points"
        )
    return type(context)(at, torch.cat([context.values[:, q:], predicted], 1))


def _numbers(*times: Tensor) -> list[list[float]]:
    """Times as numbers, on which the steps depend."""
    if is_exporting():
        raise ConfigError("how many steps a model takes depends on the times; lto.torch.export records one")
    return [time.tolist() for time in times]


def _n_steps(model: Model[Any], lead: float) -> int:
    """Equal steps over a lead, none longer than the model's longest (or a native interval)."""
    longest = model.card["model"].get("max_step") or 1.0
    return min(
        max(math.ceil(lead / (longest * (model.card["native_interval"] or math.inf)) - SAME_TIME), 1),
        MOST_STEPS,
    )


def _way(model: Model[Any], lead: float) -> str:
    """The way that was best on held-out samples at the nearest lead; else a rollout if the model is trained on short steps."""
    interval = model.card["native_interval"]
    if interval is None or _n_steps(model, lead) == 1:
        return "direct"
    measured = model.card.get("ways", [])
    if not measured:
        return "rollout" if model.card["model"].get("max_step") else "direct"
    return min(measured, key=lambda best: abs(math.log(lead / interval / best["lead"])))["way"]


def _native_steps(model: Model[Any], s: Tensor, t: Tensor) -> int:
    """Native steps from s to t."""
    interval = model.card["native_interval"]
    if not interval:
        raise ConfigError("there are no steps in time: the model card has no native interval")
    found = []
    for begin, end in zip(*_numbers(s, t), strict=True):
        steps = round((end - begin) / interval)
        if steps < 1 or abs(begin + steps * interval - end) > SAME_TIME * max(abs(end), abs(begin), interval):
            raise DataError(
                f"s = {begin}, t = {end}: a model of kind {model.kind} goes one native interval of {interval} "
                "at a time, and t − s is not a whole number of them"
            )
        found.append(steps)
    steps = _agreed("number of steps", found)
    if steps > MOST_STEPS:
        raise DataError(f"t − s takes {steps} native steps, more than {MOST_STEPS}; ask for an earlier time")
    return steps


def _agreed(what: str, each: list[Choice]) -> Choice:
    """What is the same for all examples of a batch."""
    if len(set(each)) > 1:
        raise DataError(
            f"the {what} differs within the batch, {sorted(set(each))}: split it by t − s, or name way='direct'"
        )
    return each[0]
