"""Training and evaluation, from files and from arrays."""

from __future__ import annotations

import pickle
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lto
from conftest import SMALL

ON_ARRAYS = {**SMALL, "data": {"split": {"counts": {"train": 4, "validation": 1, "test": 1}}}}


@pytest.fixture(scope="module")
def heat() -> lto.Dataset:
    return lto.generate("heat", n=6, resolution=16, n_frames=5)


def test_a_run_reports_its_steps(tmp_path: Path) -> None:
    seen: list[dict[str, Any]] = []
    run = lto.train(SMALL, out=tmp_path / "run", on_metrics=seen.append, progress=True)
    steps = [metrics for metrics in seen if "loss" in metrics]
    assert [metrics["step"] for metrics in steps] == [1, 2, 3, 4, 5, 6]
    assert all(metrics["loss"] > 0 and metrics["learning_rate"] > 0 for metrics in steps)
    assert [metrics["step"] for metrics in seen if "loss" not in metrics] == [3, 6]
    assert run.errors and "6 steps" in repr(run)
    assert run._repr_html_().startswith("<img")
    assert run.model.info["steps"] == 6
    with pytest.raises(lto.FileError, match="already holds a run"):
        lto.train(SMALL, out=tmp_path / "run")


def test_settings_are_what_python_has(tmp_path: Path) -> None:
    """Numbers of NumPy, paths, tables inside tables; None is the default."""
    settings = {
        "train.steps": np.int64(2),
        "train.betas": np.array([0.8, 0.9]),
        "model.encoder": {"kind": "set_conv", "hidden": 5},
    }
    run = lto.train({**SMALL, "seed": None}, out=tmp_path / "run", settings=settings)
    assert run.model.info["steps"] == 2
    assert run.model.info["model"]["encoder"]["hidden"] == 5
    assert re.search(r"betas = \[\s*0\.8,\s*0\.9", (tmp_path / "run" / "config.toml").read_text())


def test_arrays_train_as_a_file_of_them_does(heat: lto.Dataset, tmp_path: Path) -> None:
    from_file = heat.save(tmp_path / "heat.npz")
    runs = [
        lto.train(ON_ARRAYS, out=tmp_path / "a", data=heat),
        lto.train(ON_ARRAYS, out=tmp_path / "b", data=heat.to_xarray()),
        lto.train(ON_ARRAYS, out=tmp_path / "c", data=tmp_path / "heat.npz", settings=from_file),
    ]
    assert runs[0].errors == runs[1].errors == runs[2].errors
    assert (tmp_path / "a" / "data.npz").exists()
    # What a refused or failed training would have read is not left behind, nor does it replace what an earlier one reads.
    before = (tmp_path / "a" / "data.npz").stat().st_mtime_ns
    with pytest.raises(lto.FileError, match="already holds a run"):
        lto.train(ON_ARRAYS, out=tmp_path / "a", data=heat)
    assert (tmp_path / "a" / "data.npz").stat().st_mtime_ns == before
    with pytest.raises(lto.ConfigError, match="train.steps"):
        lto.train(ON_ARRAYS, out=tmp_path / "d", data=heat, settings={"train.steps": 0})
    assert not list((tmp_path / "d").iterdir())
    assert runs[0].model.info["problem"]["domain"]["axes"][0]["periodic"]


def test_runs_are_evaluated_beside_baselines(run: lto.Run, heat: lto.Dataset, tmp_path: Path) -> None:
    protocol: dict[str, Any] = {"fractions": [0.5], "designs": ["random"], "noise": [], "horizon": 2}
    found = lto.evaluate([run, "persistence"], **protocol)
    table = found.to_pandas()
    assert set(table["model"]) == {"heat", "persistence"} and (table["relative_l2"] > 0).all()
    assert [one["model"]["kind"] for one in found.to_dict()] == ["twin", "persistence"]
    found.save(tmp_path / "evaluation")
    assert {path.name for path in (tmp_path / "evaluation").iterdir()} == {"evaluation.json", "report.html"}
    assert "persistence" in repr(found) and found._repr_html_().startswith("<pre>") and len(found) == 2
    # On arrays: all of them.
    assert lto.evaluate(run, data=heat, **protocol).to_dict()[0]["data"]["samples"] == list(range(6))
    with pytest.raises(lto.ConfigError, match="unknown field `fraction`"):
        lto.evaluate(run, fraction=[0.5])


def test_an_estimator_has_the_habits_of_scikit_learn(heat: lto.Dataset, tmp_path: Path) -> None:
    estimator = lto.Estimator(ON_ARRAYS, out=tmp_path / "run", settings={"train.steps": 3})
    with pytest.raises(lto.Error, match="call fit first"):
        estimator.score(heat)
    assert estimator.fit(heat) is estimator
    assert estimator.model_.info["steps"] == 3
    score = estimator.score(heat)
    assert score < 1.0 and score == estimator.score(heat)
    field = estimator.predict({"x": [0.1, 0.6], "y": [0.2, 0.7], "tensor": [0.5, 0.4]}, [0.008], lto.Grid(8, 8), s=0.0)
    assert field["tensor"].shape == (1, 8, 8)
    again = pickle.loads(pickle.dumps(estimator))
    assert again.get_params() == estimator.get_params()
    assert estimator.set_params(seed=3).get_params()["seed"] == 3
    with pytest.raises(lto.ConfigError, match="no parameter depth"):
        estimator.set_params(depth=3)
    assert "not fitted" in repr(lto.Estimator("a.toml", out="b"))


def test_a_whole_grid_model_takes_and_gives_whole_grids(tmp_path: Path) -> None:
    config = {
        "data": {**SMALL["data"], "generate": {"pde": "burgers", "resolution": 64, "n_frames": 5}},
        "model": {"kind": "fno", "modes": 8, "width": 8, "blocks": 2},
        "train": {"batch": 4, "steps": 2, "context": {"designs": {"full": 1}}},
    }
    model = lto.train(config, out=tmp_path / "fno").model
    samples = lto.generate("burgers", n=1, resolution=64, n_frames=5)
    grid = lto.Grid(*samples.coordinates.values())
    assert samples.times is not None
    state = model.encode(grid, samples.fields["tensor"][0, 0], s=samples.times[0])
    assert np.isfinite(state.at(samples.times[1]).decode(grid).values).all()
    with pytest.raises(lto.UnsupportedError, match="whole grid"):
        model.encode([0.1, 0.5], [0.0, 0.1], s=0.0).at(samples.times[1]).decode(grid)
