"""Matrices between grids, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from lto.torch import tables
from lto.torch.points import uniform_axis
from lto.torch.problem import Axis

CIRCLE, LINE = Axis("x", -1.0, 2.0, True), Axis("x", -1.0, 2.0, False)


def line(axis: Axis, n: int, placement: str) -> tables.Line:
    """n evenly placed coordinates."""
    return tuple(uniform_axis(axis, n, placement))


@pytest.mark.parametrize("placement", ["left", "center"])
@pytest.mark.parametrize(("n", "m"), [(8, 20), (8, 21), (7, 16), (8, 8), (16, 6)])
def test_resolved_waves_are_exact_and_the_highest_is_a_cosine_about_its_points(
    n: int, m: int, placement: str
) -> None:
    source, target = line(CIRCLE, n, placement), line(CIRCLE, m, "center")
    (matrix,) = tables.resampling((CIRCLE,), (source,), (target,)) or []
    highest = min(n, m) // 2

    def wave(k: int, x: tables.Line) -> tables.Matrix:
        phase = 0.0 if 2 * k == n else 0.4
        return np.cos(2 * np.pi * k * (np.array(x) - source[0]) / 3 + phase)

    for k in range(highest + 1):
        np.testing.assert_allclose(matrix @ wave(k, source), wave(k, target), atol=1e-12)
    for k in range(highest + 1, (n - 1) // 2 + 1):
        np.testing.assert_allclose(matrix @ wave(k, source), 0, atol=1e-12, err_msg="dropped, not aliased")


def test_shared_points_are_copied_and_cubics_are_exact() -> None:
    fine, coarse = line(LINE, 9, "vertex"), line(LINE, 5, "vertex")
    (picked,) = tables.resampling((LINE,), (fine,), (coarse,)) or []
    np.testing.assert_array_equal(picked, np.eye(9)[::2])
    uneven = (-0.9, -0.2, 0.1, 1.0, 1.7)
    (spline,) = tables.resampling((LINE,), (uneven,), (fine,)) or []
    np.testing.assert_allclose(spline @ np.power(uneven, 3), np.power(fine, 3), atol=1e-11)
    assert tables.resampling((LINE,), (fine[:3],), (fine,)) is None, "too few points for a spline"


def test_second_derivatives_of_cubics_and_waves() -> None:
    x = np.array(line(LINE, 7, "vertex"))
    np.testing.assert_allclose(tables.curvatures(LINE, tuple(x)) @ x**3, 6 * x, atol=1e-10)
    errors = []
    for n in (16, 32):
        angle = 2 * np.pi * (np.array(line(CIRCLE, n, "left")) + 1) / 3
        found = tables.curvatures(CIRCLE, line(CIRCLE, n, "left")) @ np.sin(angle)
        errors.append(np.abs(found + (2 * np.pi / 3) ** 2 * np.sin(angle)).max())
    assert errors[1] < errors[0] / 3.5, "second order"


def test_coarser_grids_by_hand() -> None:
    np.testing.assert_allclose(tables.prolongation(5, False) @ [1, 2, 4], [1, 1.5, 2, 3, 4])
    np.testing.assert_allclose(tables.restriction(5, False) @ [3, 0, 8, 4, 1], [2, 5, 2])
    np.testing.assert_allclose(tables.prolongation(4, True) @ [2, 4], [2, 3, 4, 3])
    np.testing.assert_allclose(tables.restriction(4, True) @ [1, 2, 3, 6], [2.5, 3.5])
    np.testing.assert_array_equal(tables.prolongation(1, False), [[1.0]])
