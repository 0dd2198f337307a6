"""Models as ONNX graphs give the numbers of the module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from conftest import ROOT
from test_torch_grids import BASELINES
from test_torch_parity import CLOSE, ENCODERS, EVOLUTIONS, twin
from torch_program import TRAIN, WHOLE, difference, sensors, shaken, steady_data, timed_data

import lto.torch

onnxruntime = pytest.importorskip("onnxruntime")

CASES = {
    "timed": twin(),
    "spectral": twin(evolution=EVOLUTIONS["spectral"], encoder=ENCODERS["coverage"]),
    "multigrid": twin(evolution=EVOLUTIONS["multigrid"], decoder="{ hidden = 5, interpolation = 'cubic' }"),
    "attention": twin(encoder=ENCODERS["attention"], evolution=EVOLUTIONS["residual"]),
    "residual": twin(output="'residual'"),
    "transport": twin(output="'transport'", encoder=ENCODERS["estimate"]),
    "gated": twin(output="'gated'", encoder=ENCODERS["position"]),
    "fno": BASELINES["fno"],
    "f_fno": BASELINES["f_fno"],
    "lno": BASELINES["lno"],
    "deeponet": BASELINES["deeponet"],
}


def run(path: Path, inputs: dict[str, Any]) -> Any:
    """What the graph gives."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    assert [put.name for put in session.get_inputs()] == list(inputs)
    return session.run(["prediction"], {name: tensor.numpy() for name, tensor in inputs.items()})[0]


@pytest.mark.parametrize("case", CASES)
def test_the_graph_gives_the_numbers_of_the_module(tmp_path: Path, case: str) -> None:
    """Exported with some observations, run with others."""
    on_grid = case in BASELINES
    _, module = shaken(tmp_path, timed_data(tmp_path, 2), CASES[case], WHOLE if on_grid else TRAIN)
    grid = module.grid(16, 9)
    made = [sensors(module, len(grid) if on_grid else 20, seed) for seed in range(4)]
    points, values = (torch.tensor(np.stack(part)) for part in zip(*made, strict=True))
    query = grid if on_grid else points[:1, :13].expand(2, -1, -1).contiguous()
    names = lto.torch.export(
        module, tmp_path / "model.onnx", grid if on_grid else points[:2], values[:2], query
    )
    times = torch.tensor([[1.0, 1.5], [1.5, 2.5]], dtype=torch.float64)
    given = {"points": points[2:], "values": values[2:], "times": times, "query": query}
    got = run(tmp_path / "model.onnx", {name: given[name] for name in names})
    with torch.no_grad():
        if module.goes_by_steps:
            expected = module(grid, values[2:], 1.0, 1.5, grid)
        else:
            expected = module(
                grid if on_grid else points[2:], values[2:], times[:, 0], times[:, 1], query, "direct"
            )
    scale = np.array(module.card["target_normalizer"]["scale"])[:, None]
    assert np.abs((got - expected.numpy()) / scale).max() < 1e-5 * max(
        1, np.ptp(expected.numpy() / scale, axis=-1).max()
    )


def test_a_mean_course_needs_times(tmp_path: Path) -> None:
    """Also of a model that always goes one native interval: from the second frame, past the end of a period."""
    data = timed_data(tmp_path, 2) + "anomalies = true\ntime_period = 2.0\n"
    _, module = shaken(tmp_path, data, BASELINES["fno"], WHOLE)
    grid = module.grid(16, 9)
    values = torch.tensor(sensors(module, len(grid))[1])[None]
    assert lto.torch.export(module, tmp_path / "model.onnx", grid, values, grid) == ["values", "times"]
    for s in (1.0, 1.5):
        times = torch.tensor([[s, s + 0.5]], dtype=torch.float64)
        got = run(tmp_path / "model.onnx", {"values": values, "times": times})
        with torch.no_grad():
            expected = module(grid, values, s, s + 0.5, grid)
        scale = np.array(module.card["target_normalizer"]["scale"])[:, None]
        assert np.abs((got - expected.numpy()) / scale).max() < 1e-5 * np.abs(expected.numpy() / scale).max()


def test_steady_models_have_no_times(tmp_path: Path) -> None:
    _, module = shaken(
        tmp_path, steady_data(tmp_path), twin(evolution=EVOLUTIONS["steady"], boundary="'zero'")
    )
    points, values = (torch.tensor(part) for part in sensors(module, 30))
    names = lto.torch.export(module, tmp_path / "model.onnx", points, values[None], module.grid(6, 5))
    assert names == ["points", "values"]
    got = run(tmp_path / "model.onnx", {"points": points, "values": values[None]})
    with torch.no_grad():
        expected = module(points, values[None], None, None, module.grid(6, 5))
    assert np.abs(got - expected.numpy()).max() < 1e-5 * np.abs(expected.numpy()).max()


@pytest.mark.parametrize("name", ["burgers", "navier_stokes", "darcy"])
def test_trained_models_with_many_sensors(tmp_path: Path, name: str) -> None:
    """Kernels are then so narrow that the floor of the density counts in the gaps between sensors; ``-s`` shows how close."""
    module = lto.torch.load(ROOT / "results" / name)
    points, values = (torch.tensor(part) for part in sensors(module, 400))
    names = lto.torch.export(module, tmp_path / "model.onnx", points, values[None], module.grid())
    s = t = None
    given = {"points": points, "values": values[None]}
    if module.problem.times:
        s = module.problem.times[0]
        t = s + module.card["native_interval"]
        given["times"] = torch.tensor([[s, t]], dtype=torch.float64)
    assert names == list(given)
    got = torch.from_numpy(run(tmp_path / "model.onnx", given)[0])
    with torch.no_grad():
        single = module(points, values, s, t, module.grid(), "direct").numpy()
        double = module.double()(points, values, s, t, module.grid(), "direct").numpy()
    off = difference(module, got, single)
    print(f"{name}, 400 sensors: {off:.1e} from the module, {difference(module, got, double):.1e} from double")
    assert off < CLOSE
