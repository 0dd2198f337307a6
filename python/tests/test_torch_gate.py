"""How free a prediction is of the estimated source, by hand."""

from __future__ import annotations

import math

import pytest
import torch

from lto.torch import gate
from lto.torch.points import Grid, Scattered, whole_grid
from lto.torch.problem import Axis, Problem

LINE = Problem((Axis("x", 0.0, 1.0, False),), 1, 1, (8,), (0.0, 8.0), ())
TORUS = Problem((Axis("x", 0.0, 1.0, True), Axis("y", 0.0, 1.0, True)), 1, 1, (8, 8), (0.0, 8.0), ())


def scattered(*places: float) -> Scattered:
    """Places on a line."""
    return Scattered(torch.tensor(places, dtype=torch.float64)[None, :, None])


@pytest.mark.parametrize("piece", [1, 2, 4096])
def test_the_local_spacing_is_that_of_the_points_around(monkeypatch: pytest.MonkeyPatch, piece: int) -> None:
    """The second nearest on a line, whatever is held at once; of a single point its distance; on a grid its spacing, with and
    without its structure."""
    monkeypatch.setattr(gate, "PIECE", piece)
    places = scattered(0.0, 0.6, 1.0)
    for line, expected in [((0.0, 0.5, 0.9), [0.5, 0.3, 0.5]), ((0.2,), [0.2, 0.4, 0.8])]:
        found = gate.squared_spacing(LINE, scattered(*line), places).sqrt()
        torch.testing.assert_close(found, torch.tensor([expected], dtype=torch.float64))
    grid = whole_grid(TORUS, (8, 8))
    around = grid.scattered(torch.device("cpu"))
    for points in (grid, around):
        found = gate.squared_spacing(TORUS, points, around).sqrt()
        torch.testing.assert_close(found, torch.full((1, 64), 0.125, dtype=torch.float64))


def test_sparse_observations_leave_more_freedom() -> None:
    """From whole grids of three sizes and two leads, and from a gap in one."""
    change, h = torch.tensor([0.1, 0.4], dtype=torch.float64), 1 / 16
    query = whole_grid(TORUS, (4, 4))
    for n, v in [(32, 0.0), (16, 0.0), (8, 1 - math.exp(-0.75))]:
        found = gate.freedom(TORUS, whole_grid(TORUS, (n, n)), query, change, h)
        torch.testing.assert_close(found, (change + (1 - change) * v)[:, None].expand(2, 16))
    half = Grid([i / 16 for i in range(8)], [i / 16 for i in range(16)]).scattered(torch.device("cpu"))
    gap = gate.freedom(TORUS, half, query, change[:1], h)[0]
    assert gap[4].item() == pytest.approx(0.1, abs=1e-12) and gap[12].item() > 0.9
