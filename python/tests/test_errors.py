"""Errors name the argument, the value and the remedy, and are of a few kinds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lto
from conftest import ROOT, SMALL

X = np.array([0.05, 0.3, 0.55, 0.8])
U = np.array([0.9, 0.2, -0.8, -0.1])
NAN = np.array([0.9, np.nan, -0.8, -0.1])


@pytest.mark.parametrize(
    ("points", "values", "told"),
    [
        (np.zeros((4, 2)), U, ["points has shape (4, 2)", "(n, 1)", "one row per point"]),
        (X, U[:3], ["values has shape (3,)", "must be (4, 1)", "1 channel (u)"]),
        (X, np.zeros((4, 2)), ["values has shape (4, 2)", "must be (4, 1)"]),
        (lto.Grid(4), np.zeros(5), ["values has shape (5,)", "must be (1, 4)"]),
        (lto.Grid(4, 4), np.zeros((4, 4)), ["(4, 4)", "one argument for each axis"]),
        (X, ["a", "b", "c", "d"], ["values holds <U1", "real numbers", "dtype=float"]),
        ([[0.1], [0.2, 0.3]], U[:2], ["points makes no array of numbers", "inhomogeneous"]),
        (X, U + 1j, ["values holds complex128", "real numbers"]),
        (X, U > 0, ["values holds bool", "real numbers"]),
        (X, NAN, ["points and values: row 1 (from 0)", "no value", "--skip-missing"]),
        (X, U * 1000, ["row 0 (from 0)", "900", "far from the training data", "check the unit"]),
        (X, np.copysign(np.inf, U), ["row 0 (from 0)", "infinite"]),
        (np.array([0.05, np.nan, 0.55, 0.8]), U, ["row 1 (from 0)", "x = NaN", "not finite"]),
        (np.array([0.05, 0.05, 0.55, 0.8]), U, ["row 1 (from 0)", "same place", "--merge-duplicates"]),
        (lto.Grid([0.0, 0.5, 0.4]), np.zeros(3), ["axis x", "must increase", "0.4 after 0.5"]),
    ],
)
def test_observations_are_refused_by_name(model: lto.Model, points: Any, values: Any, told: list[str]) -> None:
    with pytest.raises((lto.DataError, lto.ConfigError)) as error:
        model.encode(points, values, s=0.0)
    assert isinstance(error.value, ValueError)
    for part in told:
        assert part in str(error.value)


def test_what_is_refused_can_be_accepted(model: lto.Model) -> None:
    assert model.encode(X, NAN, s=0.0, skip_missing=True).at(0.5).decode(lto.Grid(8)).values.shape == (1, 8)
    assert model.encode(np.array([0.1, 0.1, 0.5]), U[:3], s=0.0, merge_duplicates=True)
    assert model.encode(X, U * 1000, s=0.0, force=True)


def test_times_are_refused_by_name(model: lto.Model) -> None:
    state = model.encode(X, U, s=1.0)
    with pytest.raises(lto.DataError, match=r"t = 500.0: the model was trained on times from 0 to 2"):
        state.at(500.0)
    with pytest.raises(lto.UnsupportedError, match=r"t = 0.5 is before the observations at s = 1"):
        state.at(0.5)
    with pytest.raises(lto.ConfigError, match="times must be finite"):
        state.at(float("nan"))
    with pytest.raises(lto.DataError, match="give the time of the observations"):
        model.encode(X, U)
    with pytest.raises(lto.ConfigError, match="t is missing: the model knows the times 0 to 2"):
        state.at()
    with pytest.raises(lto.ConfigError, match="way = jump: must be one of direct, chain, rollout"):
        state.at(2.0, way="jump")


def test_queries_are_refused_by_name(model: lto.Model) -> None:
    evolved = model.encode(X, U, s=0.0).at(0.5)
    cases: list[tuple[Any, str]] = [
        (np.zeros((3, 2)), "query has shape (3, 2), but must be (n, 1)"),
        (np.array([[7.5]]), "x = 7.5 is not in [0, 1]"),
        (lto.Grid(4, 4), "one argument for each axis"),
    ]
    for query, told in cases:
        with pytest.raises(lto.Error) as error:
            evolved.decode(query)
        assert told in str(error.value)
    with pytest.raises(lto.ConfigError, match="axis 0 of the grid = 0"):
        lto.Grid(0)
    with pytest.raises(lto.ConfigError, match="axis 1 of the grid = 'a': must be a whole number of points"):
        lto.Grid(4, "a")
    with pytest.raises(lto.ConfigError, match="an argument for each axis"):
        lto.Grid()


def test_files_are_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_text("no model")
    with pytest.raises(lto.FileError, match="model.safetensors: not a whole") as error:
        lto.load(tmp_path)
    assert isinstance(error.value, OSError)
    with pytest.raises(lto.FileError, match="missing: no such model; give the folder of a run"):
        lto.load(tmp_path / "missing")
    field = lto.load(ROOT / "results" / "burgers_29k").encode(X, U, s=0.0).at(0.5).decode(lto.Grid(8))
    for save in (field.save, field.plot().save):
        with pytest.raises(lto.FileError, match="no such folder; create it first"):
            save(tmp_path / "missing" / "a.png")
    with pytest.raises(lto.Error, match="missing.hdf5"):
        lto.read(tmp_path / "missing.hdf5")


def test_settings_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(lto.ConfigError, match="unknown field `colour`"):
        lto.generate("heat", n=1, colour=3)
    with pytest.raises(lto.ConfigError, match="unknown variant `wave`"):
        lto.generate("wave", n=1)
    with pytest.raises(lto.ConfigError, match="resolution = 1"):
        lto.generate("heat", n=1, resolution=1)
    with pytest.raises(lto.ConfigError, match="curvature is missing"):
        lto.certify([[0.5, 0.5]], "0:1,0:1")
    with pytest.raises(lto.DataError, match="sup"):
        lto.certify([[0.5, 0.5]], "0:1,0:1", curvature=1)
    with pytest.raises(lto.ConfigError, match="curvature has no effect"):
        lto.design("0:1", 3, curvature=1)
    wrong: list[tuple[Any, str]] = [
        ({"train.steps": 0}, "train.steps"),
        ({"train.steps": None}, "train.steps = None: must be a number"),
        ({"model": {"kind": object}}, "model.kind = <class 'object'>: must be"),
        ("train.stpes=3", "unknown field `stpes`"),
    ]
    for settings, told in wrong:
        with pytest.raises(lto.ConfigError) as error:
            lto.train(SMALL, out=tmp_path / "r", settings=settings)
        assert told in str(error.value)
    with pytest.raises(lto.ConfigError, match=r"domain = \[0, 1\]: must be bounds along each axis"):
        lto.certify([[0.5, 0.5]], [0, 1], curvature=1)  # type: ignore[list-item]
    with pytest.raises(lto.ConfigError, match="n = -1: must be a whole number, at least 1"):
        lto.design("0:1", -1)
    with pytest.raises(lto.ConfigError, match="n = 2.5: must be a whole number, at least 1"):
        lto.generate("heat", n=2.5)  # type: ignore[arg-type]
    with pytest.raises(lto.DataError, match=r"data is a dict.*lto.Dataset\("):
        lto.train(SMALL, out=tmp_path / "r", data={"u": np.zeros((2, 5))})
    with pytest.raises(lto.ConfigError, match="runs is empty"):
        lto.evaluate([])


def test_a_device_that_is_not_there_says_how_to_have_it(tmp_path: Path) -> None:
    """Before anything is done; the wheel is built for the processor."""
    for use in (lambda: lto.train(SMALL, out=tmp_path / "run", device="gpu"), lambda: lto.evaluate("persistence", device="gpu")):
        with pytest.raises(lto.Error, match="device gpu: this program was built without it; build it with the feature gpu"):
            use()
    with pytest.raises(lto.ConfigError, match="device: unknown variant `tpu`, expected one of `cpu`, `gpu`, `cuda`"):
        lto.train(SMALL, out=tmp_path / "run", device="tpu")
    assert not (tmp_path / "run").exists()


def test_a_missing_package_says_how_to_install_it(model: lto.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    field = model.encode(X, U, s=0.0).at(0.5).decode(lto.Grid(8))
    heat = lto.generate("heat", n=1, resolution=8)
    monkeypatch.setitem(sys.modules, "xarray", None)
    for use in (field.to_xarray, heat.to_xarray):
        with pytest.raises(ModuleNotFoundError, match=r"xarray.*: pip install 'latent-twin\[notebook\]'"):
            use()
    script = "import sys; sys.modules['torch'] = None; import lto.torch"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "pip install 'latent-twin[torch]'" in done.stderr
