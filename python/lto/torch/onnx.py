"""Models as ONNX graphs of fixed sizes."""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

import os
from typing import Any

import torch
from torch import Tensor, nn

from .._errors import DataError, UnsupportedError
from .._extras import needed
from .checks import checked_batch, checked_points, checked_values
from .model import Context, Model
from .points import Grid
from .twin import Twin


class _Direct(nn.Module):
    """A model as a function of tensors alone; whatever is fixed is part of it."""

    def __init__(self, model: Model[Any], points: Grid | None, query: Grid | None) -> None:
        super().__init__()
        self.model, self.points, self.query = model, points, query
        uses_times = model.course is not None or not model.goes_by_steps
        self.takes_times = model.problem.times is not None and uses_times

    def forward(self, *inputs: Tensor) -> Tensor:
        model, rest = self.model, iter(inputs)
        device = next(model.parameters()).device
        points = checked_points(model.problem, "points", self.points or next(rest), device)
        values = checked_values(model.problem, next(rest), points, device)
        times = next(rest) if self.takes_times else torch.zeros(values.shape[0], 2, device=device)
        query = checked_points(model.problem, "query", self.query or next(rest), device)
        checked_batch(values, points, query)
        return model.propagate(Context(points, values), times[:, 0], times[:, 1], query)


def export(
    model: Model[Any],
    path: str | os.PathLike[str],
    points: Tensor | Grid,
    values: Tensor,
    query: Tensor | Grid,
) -> list[str]:
    """Writes one direct step of a model as an ONNX graph and returns the names of its inputs.

    Inputs are ``points``, ``values``, ``times [b, 2]`` (s and t of every example) and ``query``, in this order, with the shapes and types
    of the given tensors; the output is ``prediction [b, q, M]``. A :class:`Grid` is fixed in the graph and no input. Neither are times
    of steady models, nor of those that go one native interval at a time, unless they learn departures from a mean course.

    The graph checks nothing: places must be in the domain and values finite.
    """
    if isinstance(model, Twin) and model.best_linear is not None:
        raise UnsupportedError(
            "model.source = 'best_linear': its weights depend on how noisy values look, which no graph can tell; "
            "export a model with source = 'local_linear'"
        )
    if values.dim() != 3:
        raise DataError(f"values.shape = {list(values.shape)}: an exported graph takes a batch, [b, p, N]")
    with needed("onnx"):
        from onnxscript import optimizer
    direct = _Direct(
        model, points if isinstance(points, Grid) else None, query if isinstance(query, Grid) else None
    )
    first = (model.problem.times or (0.0,))[0]
    times = torch.full((values.shape[0], 2), first, dtype=torch.float64) if direct.takes_times else None
    given = {"points": points, "values": values, "times": times, "query": query}
    inputs = {name: tensor for name, tensor in given.items() if isinstance(tensor, Tensor)}
    with torch.no_grad():
        direct(*inputs.values())
        program: Any = torch.onnx.export(
            direct.eval(),
            tuple(inputs.values()),
            input_names=list(inputs),
            output_names=["prediction"],
            dynamo=True,
            verbose=False,
            optimize=False,
        )
    # All of this is exact. PyTorch's own optimization also drops sums with constants up to 1e-8 and products with constants within
    # 1e-5 of 1: the floor of a density would be lost, and predictions in gaps between sensors be wrong.
    optimizer.inline(program.model)
    optimizer.fold_constants(program.model)
    optimizer.remove_unused_nodes(program.model)
    program.save(os.fspath(path))
    return list(inputs)
