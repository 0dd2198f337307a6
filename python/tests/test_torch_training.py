"""A model that PyTorch has trained is a run for the program."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from test_torch_grids import BASELINES, frames
from test_torch_parity import ENCODERS, EVOLUTIONS, OUTPUTS, twin
from torch_program import (
    TRAIN,
    WHOLE,
    card,
    difference,
    lto_run,
    predicted_by_program,
    sensors,
    shaken,
    timed_data,
)

import lto.torch


def test_the_loss_falls_and_the_program_takes_the_run(tmp_path: Path) -> None:
    torch.manual_seed(0)
    data = timed_data(tmp_path, 1)
    (tmp_path / "config.toml").write_text(f"{data}[model]\n{twin(evolution=EVOLUTIONS['residual'])}\n{TRAIN}")
    lto_run("train", tmp_path / "config.toml", "-o", tmp_path / "run", "--quiet")
    model = lto.torch.Twin.from_run(tmp_path / "run")
    recorded, grid = frames(model, data)
    states = torch.tensor(recorded)
    scale = torch.tensor(model.card["target_normalizer"]["scale"])[:, None]
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    losses = []
    for step in range(80):
        frame = step % 4
        predicted = model(grid, states[:4, frame], 1 + 0.5 * frame, 1.5 + 0.5 * frame, grid)
        loss = (((predicted - states[:4, frame + 1]) / scale) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert np.mean(losses[-8:]) < 0.5 * np.mean(losses[:8]), losses
    assert all(
        parameter.grad is not None and parameter.grad.abs().max() > 0 for parameter in model.parameters()
    )

    model.save(tmp_path / "trained")
    after = card(tmp_path / "trained")
    assert after["errors"] == {} and after["data"].endswith(", then trained in PyTorch")
    lto_run("info", tmp_path / "trained")
    points, values = sensors(model, 20)
    expected = predicted_by_program(tmp_path / "trained", points, values, "--from", "1", "--to", "2")
    with torch.no_grad():
        got = model(torch.tensor(points), torch.tensor(values), 1.0, 2.0, model.grid())
    assert difference(model, got, expected) < 1e-5


def test_an_unchanged_model_keeps_its_card_and_every_bit(tmp_path: Path) -> None:
    run, _ = shaken(tmp_path, timed_data(tmp_path, 1), twin())
    trained = tmp_path / "trained"
    lto.torch.load(trained).save(tmp_path / "again")
    assert card(tmp_path / "again") == card(trained) != card(run)
    before, after = (lto.torch.load(path).state_dict() for path in (trained, tmp_path / "again"))
    assert all(torch.equal(before[name], after[name]) for name in before | after)


@pytest.mark.parametrize("output", OUTPUTS)
def test_gradients_reach_every_parameter_and_the_observations(tmp_path: Path, output: str) -> None:
    """The derivative in the values and in ℓ against central differences, in double precision."""
    model = shaken(
        tmp_path, timed_data(tmp_path, 2), twin(output=f"'{output}'", encoder=ENCODERS["estimate"])
    )[1].double()
    points, values = (torch.tensor(part) for part in sensors(model, 25))
    values = values.requires_grad_()
    weight = torch.randn(2, 12, generator=torch.Generator().manual_seed(2), dtype=torch.float64)

    def total() -> Any:
        return (weight * model(points, values, 1.0, 1.5, model.grid(4, 3))).sum()

    total().backward()
    assert all(
        parameter.grad is not None and parameter.grad.abs().max() > 0 for parameter in model.parameters()
    )
    for tensor in (values, model.encoder.log_length_scale):
        gradient = tensor.grad
        assert gradient is not None
        direction = torch.randn(tensor.shape, generator=torch.Generator().manual_seed(3), dtype=torch.float64)
        ends = []
        with torch.no_grad():
            for h in (1e-5, -2e-5):
                tensor += h * direction
                ends.append(total().item())
            tensor += 1e-5 * direction
        assert (ends[0] - ends[1]) / 2e-5 == pytest.approx((gradient * direction).sum().item(), rel=1e-4)


@pytest.mark.parametrize("kind", BASELINES)
def test_baselines_train(tmp_path: Path, kind: str) -> None:
    """One example is learned, by every parameter."""
    torch.manual_seed(0)
    data = timed_data(tmp_path, 1)
    model = shaken(tmp_path, data, BASELINES[kind], WHOLE)[1]
    states, grid = frames(model, data)
    source, target = torch.tensor(states[0, 0]), torch.tensor(states[0, 1])
    scale = torch.tensor(model.card["target_normalizer"]["scale"])[:, None]
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for _ in range(40):
        loss = (((model(grid, source, 1.0, 1.5, grid) - target) / scale) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.3 * losses[0]
    assert all(parameter.grad is not None for parameter in model.parameters())
