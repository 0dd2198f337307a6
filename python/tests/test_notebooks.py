"""The notebooks run at a small size, and end in pictures."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from conftest import ROOT

PEER = all(importlib.util.find_spec(name) for name in ("torch", "neuralop"))
NOTEBOOKS = sorted((ROOT / "python" / "examples").glob("*.ipynb"))


def test_there_are_notebooks() -> None:
    assert len(NOTEBOOKS) == 3


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs(path: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("LTO_STEPS", "20")
    notebook: Any = nbformat.read(path, as_version=4)  # type: ignore[no-untyped-call]
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are not kept"
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    pages = [
        output["data"]["text/html"]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "text/html" in output.get("data", {})
    ]
    assert any(page.startswith('<img src="data:image/png') for page in pages)
    if "neuraloperator" in path.stem:
        said = "".join(output.get("text", "") for cell in notebook.cells for output in cell.get("outputs", []))
        assert ("neuraloperator FNO:" if PEER else "skipped: No module named") in said
