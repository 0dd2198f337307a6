"""What a model's problem says about leads and places, by hand."""

from __future__ import annotations

import math

import torch

from lto.torch.problem import Axis, Problem


def problem(changes: tuple[tuple[float, float], ...]) -> Problem:
    """A problem on the unit circle, with times from 0 to 8."""
    return Problem((Axis("x", 0.0, 1.0, True),), 1, 1, (8,), (0.0, 8.0), changes)


def test_changes_are_powers_of_the_lead_between_measurements() -> None:
    leads = torch.tensor([0.0, 0.5, 1.0, 2.0, 4.0, 9.0], dtype=torch.float64)
    expected = torch.tensor([0.0, 0.05, 0.1, 0.1 * math.sqrt(2), 0.2, 0.2], dtype=torch.float64)
    torch.testing.assert_close(problem(((1.0, 0.1), (4.0, 0.2))).change(leads), expected)
    torch.testing.assert_close(problem(()).change(leads), leads / 8)
    three = problem(((1.0, 0.1), (4.0, 0.2), (16.0, 0.1)))
    torch.testing.assert_close(
        three.change(leads[-1:] - 1), torch.tensor([0.2 / math.sqrt(2)], dtype=torch.float64)
    )


def test_times_have_some_slack() -> None:
    assert problem(()).outside_range([-0.1, -0.007, 0.0, 8.007, 8.01]) == [-0.1, 8.01]


def test_the_shorter_way_round() -> None:
    x, y = torch.tensor([0.9, 0.1, 0.2]), torch.tensor([0.1, 0.9, 0.5])
    torch.testing.assert_close(Axis("x", 0.0, 1.0, True).displacement(x, y), torch.tensor([0.2, -0.2, 0.3]))
    torch.testing.assert_close(Axis("x", 0.0, 1.0, False).displacement(x, y), torch.tensor([-0.8, 0.8, 0.3]))
