"""What is asked of a user's points, values and times. Every refusal names the argument, the value and the remedy."""

from __future__ import annotations

from numbers import Real
from typing import Any

import torch
from torch import Tensor

from .._errors import DataError
from .points import Grid, Points, Scattered, precise
from .problem import Problem


def is_exporting() -> bool:
    """Whether operations are recorded for other programs, so that numbers cannot be looked at."""
    return torch.compiler.is_exporting()


def _refuse(argument: str, value: object, requirement: str) -> DataError:
    return DataError(f"{argument} = {value}: {requirement}")


def known(key: str, value: Any, *choices: Any) -> Any:
    """A choice of a model card, if these networks have it."""
    if value not in choices:
        raise _refuse(f"model.{key}", repr(value), f"these networks know {', '.join(map(str, choices))}")
    return value


def checked_points(problem: Problem, argument: str, points: Any, device: torch.device) -> Points:
    """Points of the domain, those past the ends of a periodic axis brought in."""
    dim = problem.dim
    if isinstance(points, Grid):
        if len(points.axes) != dim:
            raise _refuse(argument, points, f"the domain has {dim} axes: {problem.domain}")
        for axis, line in zip(problem.axes, points.axes, strict=True):
            if line[0] < axis.lower or line[-1] > axis.upper:
                raise _refuse(
                    argument,
                    f"{axis.name} from {line[0]} to {line[-1]}",
                    f"outside the domain, {problem.domain}",
                )
            if axis.periodic and len(line) > 1 and line[-1] - line[0] >= axis.length:
                raise _refuse(
                    argument,
                    f"{axis.name} from {line[0]} to {line[-1]}",
                    "both ends of a periodic axis are one point",
                )
        return points
    if not isinstance(points, Tensor) or not points.is_floating_point():
        raise TypeError(
            f"{argument} must be a floating-point tensor [N, {dim}] or [b, N, {dim}], or a Grid; got {_kind(points)}"
        )
    if points.dim() not in (2, 3) or points.shape[-1] != dim or points.shape[-2] == 0:
        raise _refuse(
            f"{argument}.shape", list(points.shape), f"must be [N, {dim}] or [b, N, {dim}], with N ≥ 1"
        )
    places = points.to(device, precise(device))
    return Scattered(_inside(problem, argument, places if places.dim() == 3 else places[None]))


def _inside(problem: Problem, argument: str, places: Tensor) -> Tensor:
    """Places in the domain; at most one period past the ends of a periodic axis they are wrapped."""
    wrapped = []
    for d, axis in enumerate(problem.axes):
        x = places[..., d]
        contained = (x >= axis.lower) & (x <= axis.upper)
        if axis.periodic:
            near = (x >= axis.lower - axis.length) & (x <= axis.upper + axis.length)
            x = torch.where(contained, x, axis.lower + torch.remainder(x - axis.lower, axis.length))
            contained = near
        if not is_exporting() and not bool(contained.all()):
            index = (~contained).nonzero()[0].tolist()
            value = float(places[(*index, d)])
            raise _refuse(
                f"{argument}{[*index, d]}", f"{axis.name} = {value}", f"not in the domain, {problem.domain}"
            )
        wrapped.append(x)
    return torch.stack(wrapped, -1)


def checked_values(problem: Problem, values: Any, points: Points, device: torch.device) -> Tensor:
    """Observed values as ``[b, p, N]``."""
    p, n = problem.source_channels, len(points)
    if not isinstance(values, Tensor) or not values.is_floating_point():
        raise TypeError(
            f"values must be a floating-point tensor [{p}, {n}] or [b, {p}, {n}]; got {_kind(values)}"
        )
    if values.dim() not in (2, 3) or tuple(values.shape[-2:]) != (p, n):
        raise _refuse(
            "values.shape", list(values.shape), f"must be [{p}, {n}] or [b, {p}, {n}]: channels, then points"
        )
    if not is_exporting() and not bool(torch.isfinite(values).all()):
        index = (~torch.isfinite(values)).nonzero()[0].tolist()
        raise _refuse(
            f"values{index}",
            float(values[tuple(index)]),
            "observations must be finite; leave missing ones out",
        )
    return values.to(device) if values.dim() == 3 else values.to(device)[None]


def checked_batch(values: Tensor, points: Points, query: Points) -> int:
    """The number of examples, which points and query share or have one set for all."""
    b = values.shape[0]
    for argument, given in (("points", points), ("query", query)):
        if isinstance(given, Scattered) and given.coordinates.shape[0] not in (1, b):
            raise _refuse(
                f"{argument}.shape",
                list(given.coordinates.shape),
                f"values have {b} examples: give one set or {b}",
            )
    return b


def checked_times(
    problem: Problem, s: Any, t: Any, b: int, device: torch.device, extrapolates: bool
) -> tuple[Tensor, Tensor]:
    """s and t of every example, ``[b]``; zeros for a steady problem."""
    if problem.times is None:
        if s is not None or t is not None:
            raise _refuse("s, t", (s, t), "the model is steady and takes no times: give None")
        return torch.zeros(b, device=device), torch.zeros(b, device=device)
    pair = []
    for argument, time in (("s", s), ("t", t)):
        if isinstance(time, Tensor) and time.is_floating_point() and tuple(time.shape) in ((), (1,), (b,)):
            pair.append(time.to(device, precise(device)).reshape(-1).expand(b))
        elif isinstance(time, Real):
            pair.append(torch.full((b,), float(time), dtype=precise(device), device=device))
        else:
            raise TypeError(
                f"{argument} must be a number or a floating-point tensor of {b} numbers; got {_kind(time)}"
            )
    if not is_exporting():
        begin, end = pair[0].tolist(), pair[1].tolist()
        for first, last in zip(begin, end, strict=True):
            if not first <= last:
                raise _refuse(
                    "t",
                    last,
                    f"is before the observations at s = {first}; models predict only forward in time",
                )
        outside = problem.outside_range(begin + end)
        if outside and not extrapolates:
            low, high = problem.times
            raise _refuse(
                "time",
                outside[0],
                f"the model was trained on [{low:g}, {high:g}]; set model.extrapolates = True to try",
            )
    return pair[0], pair[1]


def _kind(value: object) -> str:
    return (
        f"a tensor of {value.dtype}" + f" {list(value.shape)}"
        if isinstance(value, Tensor)
        else type(value).__name__
    )
