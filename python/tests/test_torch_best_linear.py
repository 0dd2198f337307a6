"""Sources by the best linear estimate: in PyTorch as in the program."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from conftest import ROOT
from test_torch_parity import ENCODERS, check, twin
from torch_program import sensors, shaken, timed_data

import lto.torch

KEYS = {"source": "'best_linear'", "max_step": "2.0", "encoder": ENCODERS["estimate"]}


@pytest.mark.parametrize("n", [60, 300])
@pytest.mark.parametrize("periodic", ["all", "x"])
@pytest.mark.parametrize("output", ["transport", "gated"])
def test_the_program_predicts_the_same(tmp_path: Path, output: str, periodic: str, n: int) -> None:
    """By waves on a periodic domain, else by distances; from all observations, and from the nearest of many. A rollout goes on on a whole
    grid, which random weights have made noisy."""
    data = timed_data(tmp_path, 2).replace('"x"', f'"{periodic}"')
    if periodic == "all":
        data = data.replace("0.5:2.5", "0.5:2.75")
    run, module = shaken(tmp_path, data, twin(output=f"'{output}'", **KEYS))
    waves = module.card["problem"]["measured"]["covariances"][0].get("waves", [])
    assert bool(waves) == (periodic == "all")
    for way in ("direct", "rollout"):
        check(run, module, n, to=3.0, flags=("--way", way))


def test_departures_that_persist(tmp_path: Path) -> None:
    """States are departures from a mean course, of which a share is kept over each lead."""
    data = timed_data(tmp_path, 2) + "anomalies = true\n"
    run, module = shaken(tmp_path, data, twin(output="'gated'", **KEYS))
    module.card["problem"]["measured"]["memory"] = [[0.5, 0.9], [1.5, 0.4]]
    module.save(run)
    module = lto.torch.load(run)
    for to in (1.3, 2.2, 3.0):
        check(run, module, to=to, flags=("--way", "direct"))


def test_gradients_and_batches() -> None:
    """Each example has weights of its own; sums of them have gradients."""
    module = lto.torch.load(ROOT / "results" / "heat").double()
    contexts = [sensors(module, 30, seed) for seed in range(2)]
    points = torch.stack([torch.tensor(at) for at, _ in contexts])
    values = torch.stack([torch.tensor(seen) for _, seen in contexts]).requires_grad_()
    query = points[0, :10]
    together = module(points, values, 0.0, 0.004, query)
    for i in range(2):
        torch.testing.assert_close(together[i], module(points[i], values[i], 0.0, 0.004, query))
    together.sum().backward()
    assert values.grad is not None
    step = torch.zeros_like(values)
    step[1, 0, 3] = 1e-6
    with torch.no_grad():
        change = module(points, values + step, 0.0, 0.004, query).sum() - together.sum()
    torch.testing.assert_close(change / 1e-6, values.grad[1, 0, 3], rtol=1e-4, atol=1e-6)


def test_graphs_cannot_have_it(tmp_path: Path) -> None:
    module = lto.torch.load(ROOT / "results" / "heat")
    points, values = (torch.tensor(part) for part in sensors(module, 9))
    with pytest.raises(lto.UnsupportedError, match="source = 'best_linear': its weights depend on"):
        lto.torch.export(module, tmp_path / "heat.onnx", points, values[None], points)
