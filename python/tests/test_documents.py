"""The examples of docstrings and documents run, and mean what they say."""

from __future__ import annotations

import dataclasses
import doctest
import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lto
from conftest import ROOT, blocks


def docstrings() -> list[tuple[str, str]]:
    """All docstrings with examples: of the package, of its names, and of their methods."""
    found = [("lto", lto.__doc__ or "")]
    for name in lto.__all__:
        exported = getattr(lto, name)
        found.append((name, inspect.getdoc(exported) or ""))
        if inspect.isclass(exported):
            classes = [base for base in exported.__mro__ if base.__module__.startswith("lto")]
            members = [each for base in classes for each in vars(base).items() if not each[0].startswith("_")]
            found += [(f"{name}.{member}", inspect.getdoc(value) or "") for member, value in members]
    return found


def test_every_name_is_documented() -> None:
    fields = {f"{kind.__name__}.{field.name}" for kind in (lto.Dataset, lto.Run) for field in dataclasses.fields(kind)}
    assert not [name for name, text in docstrings() if not text and name not in fields]


@pytest.mark.parametrize(("name", "text"), [each for each in docstrings() if ">>>" in each[1]])
def test_examples_of_docstrings(name: str, text: str, model: lto.Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    test = doctest.DocTestParser().get_doctest(text, {"lto": lto, "model": model}, name, None, 0)
    told: list[str] = []
    failed, tried = doctest.DocTestRunner(verbose=False).run(test, out=told.append)
    assert tried > 0 and failed == 0, "".join(told)


@pytest.mark.parametrize("document", ["README.md", "docs/python.md", "python/README.md"])
def test_examples_of_documents(document: str, run: lto.Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All blocks of a document, one after the other, in a folder with a run, sensors and a small configuration."""
    found = blocks(ROOT / document)
    assert found
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "heat").symlink_to(run.path)
    (tmp_path / "heat.toml").write_text((run.path / "config.toml").read_text())
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    known: dict[str, Any] = {"points": rng.random((30, 2)), "values": rng.random(30)}
    for block in found:
        exec(compile(block, document, "exec"), known)  # noqa: S102
