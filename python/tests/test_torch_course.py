"""The mean course of a model between frames, by hand."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch
from test_torch_parity import twin
from torch_program import sensors, shaken, timed_data

import lto.torch
from lto.torch.course import MeanCourse
from lto.torch.points import Grid
from lto.torch.problem import Axis, Problem

PROBLEM = Problem((Axis("x", 0.0, 1.0, True),), 1, 1, (4,), (0.0, 8.0), ())
GRID = Grid([0.0, 0.25, 0.5, 0.75])


@pytest.mark.parametrize(
    ("times", "period", "asked", "expected"),
    [
        ([0.0, 1.0, 2.0, 3.0], 4.0, [2.5, 3.75, -1.5, 7.0, 8 - 1e-9], [25.0, 7.5, 25.0, 30.0, 0.0]),
        ([2.0], 4.0, [1.0, 3.0], [0.0, 0.0]),
        ([1.0, 2.0, 4.0], None, [3.5, 0.0, 9.0, 2.0], [17.5, 0.0, 20.0, 10.0]),
        ([1.0], None, [0.0, 1.0, 2.0], [0.0, 0.0, 0.0]),
    ],
    ids=["day", "one frame a day", "once", "one frame"],
)
def test_times(times: list[float], period: float | None, asked: list[float], expected: list[float]) -> None:
    """Frame k is 10 k everywhere: after the last comes the first of the next period, or without a period the ends hold."""
    course = MeanCourse({"times": times, "coordinates": GRID.axes, "period": period}, PROBLEM, [0.0])
    course.mean.copy_(10 * torch.arange(len(times))[:, None, None].expand(-1, 1, 4))
    found = course(torch.tensor(asked, dtype=torch.float64), GRID)
    torch.testing.assert_close(
        found, torch.tensor(expected, dtype=torch.float64)[:, None, None].expand(-1, 1, 4)
    )


def test_a_course_comes_with_the_weights(tmp_path: Path) -> None:
    """Without them, states depart from the mean of each channel: as if there were no course."""
    _, module = shaken(tmp_path, timed_data(tmp_path, 1) + "anomalies = true\n", twin())
    assert module.course.mean.shape == (5, 2, 16)
    assert "course.mean" not in dict(module.named_parameters())
    fresh = lto.torch.Twin(module.card)
    plain = lto.torch.Twin({key: value for key, value in module.card.items() if key != "course"})
    plain.load_state_dict(dict(fresh.named_parameters()))
    points, values = (torch.tensor(part) for part in sensors(module, 20))
    with torch.no_grad():
        ahead = [model(points, values, 1.0, 1.7, points) for model in (fresh, plain)]
        torch.testing.assert_close(*ahead, rtol=1e-5, atol=1e-4)
        fresh.load_state_dict(copy.deepcopy(module.state_dict()))
        assert torch.equal(*(model(points, values, 1.0, 1.7, points) for model in (fresh, module)))
