"""The examples of docs/pytorch.md run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from conftest import ROOT, blocks

import lto
import lto.torch


def test_examples_of_the_document(run: lto.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks, one after the other, on the processor."""
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "run").symlink_to(run.path)
    (tmp_path / "results").symlink_to(ROOT / "results")
    monkeypatch.chdir(tmp_path)
    points = torch.rand(20, 2, dtype=torch.float64)
    batch = (points, torch.rand(1, 20), 0.0, 0.004, points), torch.rand(1, 20)
    known: dict[str, Any] = {"batches": [batch]}
    for block in blocks(ROOT / "docs" / "pytorch.md"):
        exec(compile(block.replace('"cuda"', '"cpu"'), "docs/pytorch.md", "exec"), known)  # noqa: S102
    assert known["field"].shape == (1, 512)
    assert lto.load("runs/heat_longer").info["problem"] == run.model.info["problem"]
    assert known["names"] == ["points", "values", "times"]
