"""Sensors certified and designed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import lto


def lattice(n: int) -> list[list[float]]:
    x = (np.arange(n) + 0.5) / n
    return [[a, b] for a in x for b in x]


def test_more_sensors_have_a_smaller_bound(tmp_path: Path) -> None:
    few, many = (lto.certify(lattice(n), [(0, 1), (0, 1)], curvature=30, sup=1) for n in (4, 8))
    assert few.bound is not None and many.bound is not None and many.bound < few.bound
    assert many.certified and abs(many.fill_distance - np.sqrt(0.5) / 8) < 1e-6
    assert many.plot().png.startswith(b"\x89PNG") and many._repr_html_().startswith("<img")
    assert "64 sensors" in repr(many) and json.loads(many.to_json())["certain"]
    many.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_text().startswith("<!")


def test_periodic_axes_need_no_other_bound() -> None:
    points = lattice(5)
    assert lto.certify(points, "0:1,0:1", periodic=True, curvature=30).certified
    assert lto.certify(points, "0:1,0:1", periodic=["x", "y"], curvature=30, length_scale=0.1).bound is not None


def test_curvature_alone_certifies_what_reproduces_planes() -> None:
    found = lto.certify(lattice(6), "0:1,0:1", curvature=30)
    known = lto.certify(lattice(6), "0:1,0:1", curvature=30, gradient=1e6)
    assert found.certified and found.bound == pytest.approx(known.bound, rel=0.1)
    assert [bound["estimator"] for bound in json.loads(found.to_json())["weights"]] == ["local_linear"]
    assert found.plot().png.startswith(b"\x89PNG") and "--sup" in repr(found)
    with pytest.raises(lto.DataError, match="no affine function around .*(sup)"):
        lto.certify([[0.1, 0.5], [0.4, 0.5], [0.9, 0.5]], "0:1,0:1", curvature=30)


def test_bounds_are_estimated_from_data(tmp_path: Path) -> None:
    lto.generate("heat", n=2, resolution=32, n_frames=3, out=tmp_path / "heat.hdf5")
    found = json.loads(lto.certify(lattice(6), data=tmp_path / "heat.hdf5", margin=1.5).to_json())
    assert not found["certain"] and found["data"]["margin"] == 1.5
    assert [axis["periodic"] for axis in found["domain"]["axes"]] == [True, True]
    for wrong, told in [
        ({"curvature": 3}, "curvature and data exclude each other"),
        ({"margin": 0.5}, "margin = 0.5: must be a number, at least 1"),
    ]:
        with pytest.raises(lto.ConfigError, match=told):
            lto.certify(lattice(6), data=tmp_path / "heat.hdf5", **wrong)  # type: ignore[arg-type]
    with pytest.raises(lto.ConfigError, match="margin has no effect without data"):
        lto.certify(lattice(6), "0:1,0:1", curvature=3, sup=1, margin=2)
    with pytest.raises(lto.ConfigError, match="domain is missing"):
        lto.certify(lattice(6), curvature=3, sup=1)


def test_the_encoder_of_a_model_is_certified(run: lto.Run) -> None:
    found = json.loads(lto.certify(lattice(6), curvature=30, model=run.model).to_json())
    assert not found["length_scale_chosen"]
    assert [axis["periodic"] for axis in found["domain"]["axes"]] == [True, True]


def test_new_sensors_fill_gaps_and_avoid_regions(tmp_path: Path) -> None:
    there = [[0.1, 0.1], [0.2, 0.1]]
    layout = lto.design("0:1,0:1", 6, existing=there, avoid=["circle:0.5,0.5,0.2"])
    assert layout.sensors.shape == (8, 2) and layout.n_existing == 2
    np.testing.assert_array_equal(layout.sensors[:2], there)
    assert (np.linalg.norm(layout.sensors[2:] - 0.5, axis=1) >= 0.2).all()
    assert layout.fill_distance < lto.design("0:1,0:1", 2, existing=there).fill_distance
    layout.save(tmp_path / "sensors.csv")
    assert (tmp_path / "sensors.csv").read_text().count("new") == 6
    assert layout.plot().png.startswith(b"\x89PNG") and "6" in repr(layout)
    certified = lto.design("0:1,0:1", 5, objective="certificate", curvature=30, sup=1, estimator="nadaraya_watson")
    assert json.loads(certified.to_json())["estimator"] == "nadaraya_watson"
    for arguments, told in [
        ({"avoid": ["square:1"]}, "circle:X,Y,RADIUS"),
        ({"objective": "beauty"}, "must be fill or certificate"),
        ({"objective": "certificate", "curvature": 3, "sup": 1, "estimator": "best"}, "nadaraya_watson"),
    ]:
        with pytest.raises(lto.ConfigError, match=told):
            lto.design("0:1,0:1", 3, **arguments)  # type: ignore[arg-type]
