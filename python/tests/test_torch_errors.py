"""What a model cannot do is refused by name, with the value and the remedy."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from conftest import ROOT
from safetensors.torch import load_file, save_file
from test_torch_grids import BASELINES
from test_torch_parity import twin
from torch_program import WHOLE, card, sensors, shaken, timed_data

import lto.torch

MODEL = lto.torch.load(ROOT / "results" / "burgers_29k")
POINTS, VALUES = (torch.tensor(part) for part in sensors(MODEL, 12))
GOOD: dict[str, Any] = {"points": POINTS, "values": VALUES, "s": 0.0, "t": 0.5, "query": POINTS, "way": None}


@pytest.mark.parametrize(
    ("wrong", "kind", "message"),
    [
        ({"points": POINTS[:, 0]}, ValueError, r"points\.shape = \[12\]: must be \[N, 1\] or \[b, N, 1\]"),
        ({"points": POINTS.numpy()}, TypeError, "points must be a floating-point tensor .* got ndarray"),
        ({"points": (10 * POINTS).long()}, TypeError, "points must be .* got a tensor of torch.int64"),
        (
            {"points": POINTS + 5},
            ValueError,
            r"points\[0, 0, 0\] = x = .*not in the domain, x in \[0, 1\] periodic",
        ),
        ({"query": POINTS * torch.nan}, ValueError, r"query\[0, 0, 0\] = x = nan: not in the domain"),
        (
            {"query": lto.torch.Grid([0.0, 0.5], [0.0, 0.5])},
            ValueError,
            "query = Grid of 2 × 2 points: the domain has 1 axes",
        ),
        (
            {"query": lto.torch.Grid([0.0, 0.5, 1.0])},
            ValueError,
            "both ends of a periodic axis are one point",
        ),
        ({"query": lto.torch.Grid([0.0, 1.5])}, ValueError, r"x from 0\.0 to 1\.5: outside the domain"),
        (
            {"values": VALUES[:, :5]},
            ValueError,
            r"values\.shape = \[1, 5\]: must be \[1, 12\] or \[b, 1, 12\]",
        ),
        ({"values": VALUES.T}, ValueError, r"values\.shape = \[12, 1\]"),
        ({"values": VALUES.int()}, TypeError, "values must be a floating-point tensor"),
        (
            {"values": torch.where(VALUES > 0.5, torch.nan, VALUES)},
            ValueError,
            "= nan: observations must be finite; leave missing",
        ),
        ({"points": POINTS.expand(3, -1, -1)}, ValueError, "values have 1 examples: give one set or 1"),
        ({"s": None}, TypeError, "s must be a number or a floating-point tensor of 1 numbers; got NoneType"),
        ({"t": -0.1}, ValueError, r"t = -0\.1: is before the observations at s = 0\.0"),
        (
            {"t": 7.0},
            ValueError,
            r"time = 7\.0: the model was trained on \[0, 2\]; set model.extrapolates = True",
        ),
        ({"t": float("nan")}, ValueError, "t = nan"),
        ({"way": "fast"}, ValueError, "way = 'fast': must be one of direct, chain, rollout"),
    ],
)
def test_wrong_arguments(wrong: dict[str, Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=message) as refused:
        MODEL(**(GOOD | wrong))
    assert kind is TypeError or isinstance(refused.value, lto.Error)


def test_what_is_refused_may_be_asked_for() -> None:
    """Outside the trained times, and a place on another turn of the circle."""
    model = lto.torch.load(ROOT / "results" / "burgers_29k")
    model.extrapolates = True
    with torch.no_grad():
        assert torch.isfinite(model(POINTS, VALUES, 0.0, 2.5, POINTS)).all()
        torch.testing.assert_close(
            MODEL(POINTS - 1, VALUES, 0.0, 0.5, POINTS + 1), MODEL(POINTS, VALUES, 0.0, 0.5, POINTS)
        )


def test_grids() -> None:
    for wrong, message in [
        ([0.0, 0.0], "must increase, but 0.0 follows 0.0"),
        ([], "at least one"),
        ([0.0, np.inf], "finite"),
    ]:
        with pytest.raises(ValueError, match=message):
            lto.torch.Grid(wrong)
    with pytest.raises(
        TypeError, match=r"Grid\(64, 64\): give the coordinates along each axis; model.grid makes"
    ):
        lto.torch.Grid(64, 64)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"grid\(4, 4\): one positive number for each axis of the domain"):
        MODEL.grid(4, 4)


def test_one_batch_has_one_way() -> None:
    model = lto.torch.load(ROOT / "results" / "burgers")
    values, early = VALUES.expand(2, -1, -1), torch.tensor([0.05, 0.4], dtype=torch.float64)
    with pytest.raises(
        ValueError, match=r"best way differs within the batch, \['direct', 'rollout'\]: split it by t − s"
    ):
        model(POINTS, values, 0.0, early, POINTS)
    with pytest.raises(
        ValueError, match=r"number of steps differs within the batch, \[8, 16\]: split it by t − s"
    ):
        model(POINTS, values, 0.0, early + torch.tensor([0.35, 0.4]), POINTS)


def test_models_of_whole_grids(tmp_path: Path) -> None:
    _, module = shaken(tmp_path, timed_data(tmp_path, 1), BASELINES["fno"], WHOLE)
    grid = module.grid(16)
    values = torch.tensor(sensors(module, 16)[1])
    uneven = lto.torch.Grid([*grid.axes[0][:-1], 1.99])
    for points, query, t, message in [
        (
            torch.tensor(grid.axes)[0, :, None],
            grid,
            1.5,
            "needs values on a whole grid; give the 16 points as lto.torch.Grid",
        ),
        (grid, module.grid(8), 1.5, "predicts only on the grid of its observations"),
        (uneven, uneven, 1.5, "the spacing of the grid along x varies"),
        (grid, grid, 1.7, r"goes one native interval of 0\.5 at a time, and t − s is not a whole number"),
    ]:
        with pytest.raises(ValueError, match=message):
            module(points, values, 1.0, t, query)
    coarse = module.grid(4)
    with pytest.raises(
        ValueError, match="the 4 modes of the model along an axis need more than the 3 of 4 points"
    ):
        module(coarse, values[:, :4], 1.0, 1.5, coarse)
    with pytest.raises(ValueError, match="only a rollout goes further"):
        module(grid, values, 1.0, 2.0, grid, "chain")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("padding", "mirror"),
        ("output", "flux"),
        ("boundary", "one"),
        ("latent_placement", "right"),
        ("encoder.kind", "graph"),
        ("encoder.density", "log"),
        ("evolution.kind", "wavelet"),
        ("decoder.interpolation", "linear"),
    ],
)
def test_cards_of_networks_that_are_not_known(key: str, value: str) -> None:
    """A card of a later version must not become another network."""
    known = json.loads(json.dumps(MODEL.card))
    *parts, last = key.split(".")
    inner = known["model"]
    for part in parts:
        inner = inner[part]
    inner[last] = value
    with pytest.raises(ValueError, match=rf"model\.{key} = '{value}': these networks know"):
        lto.torch.Twin(known)


def test_deeponets_miss_their_sensors(tmp_path: Path) -> None:
    _, module = shaken(tmp_path, timed_data(tmp_path, 1), BASELINES["deeponet"], WHOLE)
    points, values = (torch.tensor(part) for part in sensors(module, 9))
    with pytest.raises(
        ValueError, match="the 8 sensors of a DeepONet must be among the observed points, but the one at"
    ):
        module(points, values, 1.0, 1.5, points)


def test_files(tmp_path: Path) -> None:
    run, _ = shaken(tmp_path, timed_data(tmp_path, 1), twin())
    with pytest.raises(lto.FileError, match="nowhere.*no such model; give the folder of a run"):
        lto.torch.load(tmp_path / "nowhere")
    with pytest.raises(
        ValueError,
        match="the card is of a model of kind 'twin', not 'fno'; lto.torch.load makes the right one",
    ):
        lto.torch.Fno.from_run(run)
    whole = (run / "model.safetensors").read_bytes()
    (tmp_path / "half.safetensors").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(lto.FileError, match=r"half\.safetensors: not a whole \.safetensors file"):
        lto.torch.load(tmp_path / "half.safetensors")
    weights, known = load_file(run / "model.safetensors"), card(run)
    save_file(weights, tmp_path / "bare.safetensors")
    with pytest.raises(lto.FileError, match="holds weights only, no description of a model by lto"):
        lto.torch.load(tmp_path / "bare.safetensors")
    missing = weights.pop("encoder.log_length_scale")
    save_file(weights, tmp_path / "less.safetensors", {"lto": json.dumps(known)})
    with pytest.raises(
        lto.FileError, match="do not fit the architecture of the card(.|\n)*encoder.log_length_scale"
    ):
        lto.torch.load(tmp_path / "less.safetensors")
    known["model"] = {"kind": "persistence"}
    save_file(
        {"encoder.log_length_scale": missing}, tmp_path / "other.safetensors", {"lto": json.dumps(known)}
    )
    with pytest.raises(
        lto.UnsupportedError, match="models of kind 'persistence' have no network; PyTorch has twin, fno"
    ):
        lto.torch.load(tmp_path / "other.safetensors")


def test_export_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "onnxscript", None)
    with pytest.raises(ModuleNotFoundError, match=r"onnxscript.*: pip install 'latent-twin\[onnx\]'"):
        lto.torch.export(MODEL, tmp_path / "model.onnx", POINTS, VALUES[None], POINTS)
