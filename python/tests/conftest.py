"""What tests share: the repository, a trained model, the program, a small run."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

import lto

ROOT = Path(__file__).resolve().parents[2]

TORCH = importlib.util.find_spec("torch") is not None
collect_ignore_glob = [] if TORCH else ["test_torch*.py"]

SMALL: dict[str, Any] = {
    "data": {
        "generate": {"pde": "heat", "resolution": 16, "n_frames": 5},
        "samples": 12,
        "split": {"counts": {"train": 8, "validation": 2, "test": 2}},
    },
    "model": {
        "kind": "twin",
        "latent_points": 8,
        "latent_channels": 4,
        "encoder": {"kind": "set_conv", "hidden": 4},
        "evolution": {"kind": "residual", "width": 4},
        "decoder": {"hidden": 8},
    },
    "train": {"batch": 4, "steps": 6, "validation": {"every": 3, "leads": [1]}},
}
"""A configuration that trains in a second."""


def pytest_report_header() -> list[str]:
    """What is left out for want of a package."""
    return [] if TORCH else ["no torch: the tests of lto.torch are left out"]


def found_program() -> str:
    """The program `lto`: LTO_PROGRAM, else the one on the path; tests that need it are skipped without."""
    found = os.environ.get("LTO_PROGRAM") or shutil.which("lto")
    if found is None:
        pytest.skip("the program lto is neither in LTO_PROGRAM nor on the path")
    return found


def blocks(document: Path) -> list[str]:
    """The Python examples of a document."""
    return re.findall(r"```python\n(.*?)```", document.read_text(), flags=re.DOTALL)


@pytest.fixture(scope="session")
def model() -> lto.Model:
    """A twin of the Burgers equation."""
    return lto.load(ROOT / "results" / "burgers_29k")


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> lto.Run:
    """A small run that was trained here."""
    return lto.train(SMALL, out=tmp_path_factory.mktemp("runs") / "heat")


@pytest.fixture(scope="session")
def program() -> str:
    """The program `lto`."""
    return found_program()
