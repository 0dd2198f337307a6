"""Encoding, evolving and decoding from Python."""

from __future__ import annotations

import copy
import pickle
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import lto
from conftest import ROOT

X = np.array([0.05, 0.3, 0.55, 0.8])
U = np.array([0.9, 0.2, -0.8, -0.1])


@pytest.mark.parametrize("name", ["burgers", "burgers_29k"])
def test_the_program_predicts_the_same_numbers(name: str, program: str, tmp_path: Path) -> None:
    sensors = np.random.default_rng(0).random((40, 1))
    values = np.sin(2 * np.pi * sensors[:, 0])
    np.savetxt(tmp_path / "s.csv", np.column_stack([sensors, values]), delimiter=",", header="x,value", comments="")
    run = ROOT / "results" / name
    files = ["--model", run, "--context", tmp_path / "s.csv", "-o", tmp_path / "p.npz"]
    options = "--from 0 --to 0.05,0.5 --query grid:100 --column value --quiet".split()
    subprocess.run([program, "predict", *map(str, files), *options], check=True)
    told = np.load(tmp_path / "p.npz")
    sensors, values = np.loadtxt(tmp_path / "s.csv", delimiter=",", skiprows=1).T
    state = lto.load(run).encode(sensors, values, s=0.0)
    for i, t in enumerate((0.05, 0.5)):
        field = state.at(t).decode(lto.Grid(100))
        np.testing.assert_array_equal(field.values, told["values"][i])
        np.testing.assert_array_equal(field.points[:, 0], told["x"])


def test_a_state_serves_any_number_of_times_and_queries(model: lto.Model) -> None:
    state = model.encode(X, U, s=0.0)
    grid = state.at(0.5).decode(lto.Grid(64))
    assert grid.values.shape == (1, 64) and grid.channels == ["u"] and grid.times.tolist() == [0.5]
    assert grid.coordinates is not None
    points = state.at(0.5).decode(grid.coordinates[0][:, None])
    np.testing.assert_allclose(points.values, grid.values, rtol=0, atol=1e-6)
    assert points.coordinates is None and points.points.shape == (64, 1)
    assert not np.allclose(state.at(1.0).decode(lto.Grid(64)).values, grid.values)
    assert state.at(0.5).decode().values.shape == (1, *model.info["problem"]["native"])


def test_layout_and_type_of_arrays_do_not_matter(model: lto.Model) -> None:
    wide = np.asfortranarray(np.stack([X, X + 0.01], axis=1))
    query = lto.Grid(16)
    expected = model.encode(X, U, s=0.0).at(0.5).decode(query).values
    same: list[tuple[Any, Any]] = [(wide[:, :1], U), (list(X), list(U)), (X[:, None], U[:, None]), (X[::-1], U[::-1])]
    for points, values in same:
        found = model.encode(points, values, s=0.0).at(0.5).decode(query).values
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)
    single = model.encode(X.astype(np.float32), U.astype(np.float32), s=0.0).at(0.5).decode(query).values
    np.testing.assert_allclose(single, expected, rtol=0, atol=1e-5)


def test_arrays_in_column_order_mean_the_same(tmp_path: Path) -> None:
    """As NumPy gives of pandas, of MATLAB and of a transpose: also such whose memory is in one piece."""
    heat = lto.load(ROOT / "results" / "heat")
    rng = np.random.default_rng(0)
    points, frame = rng.random((30, 2)), 0.1 * rng.random((8, 6))
    table = pd.DataFrame(points, columns=["x", "y"])
    values, query = np.sin(2 * np.pi * points[:, 0]), rng.random((9, 2))
    one = heat.encode(points, values, s=0.0).at(0.004)
    for other in (np.asfortranarray(points), points.T.copy().T, table):
        again = heat.encode(other, values, s=0.0).at(0.004)
        np.testing.assert_array_equal(again.decode(query).values, one.decode(query).values)
        bounds = [lto.certify(each, "0:1,0:1", periodic=True, curvature=30).bound for each in (points, other)]
        assert bounds[0] == bounds[1]
    np.testing.assert_array_equal(one.decode(np.asfortranarray(query)).values, one.decode(query).values)
    on_grid = [
        heat.encode(lto.Grid(8, 6), each, s=0.0, force=True).at(0.004).decode(query).values
        for each in (frame, np.asfortranarray(frame))
    ]
    np.testing.assert_array_equal(on_grid[1], on_grid[0])
    axes = {"x": np.arange(8) / 8, "y": np.arange(6) / 6}
    lto.Dataset({"u": np.asfortranarray(frame[None])}, axes).save(tmp_path / "frame.npz")
    with np.load(tmp_path / "frame.npz") as file:
        np.testing.assert_array_equal(file["u"], frame[None])


def test_values_on_a_grid_are_those_at_its_points(model: lto.Model) -> None:
    x = np.arange(64) / 64
    u = np.sin(2 * np.pi * x)
    query = lto.Grid(32)
    scattered = model.encode(x, u, s=0.0).at(0.25).decode(query).values
    for grid, values in [(lto.Grid(64), u), (lto.Grid(x), u[None])]:
        on_grid = model.encode(grid, values, s=0.0).at(0.25).decode(query).values
        np.testing.assert_allclose(on_grid, scattered, rtol=0, atol=2e-4)


def test_results_are_not_copied(model: lto.Model) -> None:
    field = model.encode(X, U, s=0.0).at(0.5).decode(lto.Grid(64))
    assert np.shares_memory(field.values, field.values)
    assert np.shares_memory(np.asarray(field), field.values)
    assert not np.shares_memory(np.array(field), field.values)
    np.testing.assert_array_equal(np.asarray(field, dtype=np.float32), field.values.astype(np.float32))


def test_models_are_pickled_with_their_weights(model: lto.Model) -> None:
    for again in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert type(again) is lto.Model
        one, other = (m.encode(X, U, s=0.0).at(0.5).decode(lto.Grid(64)).values for m in (model, again))
        np.testing.assert_array_equal(one, other)
    for grid in (lto.Grid(8), lto.Grid([0.0, 0.1, 0.7])):
        again, there = (model.encode(X, U, s=0.0).at(0.5).decode(g).values for g in (pickle.loads(pickle.dumps(grid)), grid))
        np.testing.assert_array_equal(again, there)
    free = lto.load(ROOT / "results" / "burgers_29k", allow_extrapolation=True)
    assert pickle.loads(pickle.dumps(free)).encode(X, U, s=0.0).at(5.0).decode(lto.Grid(8)).values.shape == (1, 8)


def test_models_are_saved_and_loaded(model: lto.Model, tmp_path: Path) -> None:
    model.save(tmp_path / "model.safetensors")
    for path in (tmp_path, tmp_path / "model.safetensors"):
        assert lto.load(path).info["model"] == model.info["model"]


def test_a_model_repository_loads(model: lto.Model, program: str, tmp_path: Path) -> None:
    model.save(tmp_path / "model.safetensors")
    subprocess.run([program, "info", tmp_path, "--card", "--license", "mit", "--quiet"], check=True)
    assert (tmp_path / "README.md").read_text().startswith("---\nlibrary_name: latent-twin\nlicense: mit\n")
    assert (tmp_path / "config.json").exists()
    assert lto.load(tmp_path).info["parameters"] == model.info["parameters"]


def test_everything_says_what_it_is(model: lto.Model) -> None:
    state = model.encode(X, U, s=0.0)
    assert repr(model).startswith("Model(twin, 29395 parameters: u over x in [0, 1] periodic")
    assert repr(state) == "State of a twin: 4 observations at t = 0"
    assert repr(state.at(0.5)) == "State of a twin at t = 0.5"
    assert repr(state.at(0.5).decode(lto.Grid(8))) == "Field of u, shape (1, 8), t = 0.5"
    assert "encoder" in model._repr_html_()


def test_fields_are_shown_and_written(model: lto.Model, tmp_path: Path) -> None:
    field = model.encode(X, U, s=0.0).at(0.5).decode(lto.Grid(64))
    assert field._repr_html_().startswith('<img src="data:image/png;base64,')
    assert field.plot("u").png == field.plot(0).png
    assert field.plot("u").png.startswith(b"\x89PNG")
    for suffix in ("npz", "csv", "png"):
        field.save(tmp_path / f"f.{suffix}")
    np.testing.assert_array_equal(np.load(tmp_path / "f.npz")["values"][0], field.values)
    field.plot().save(tmp_path / "p.png")
    assert (tmp_path / "p.png").stat().st_size > 1000
