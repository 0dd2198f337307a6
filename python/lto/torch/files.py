"""Model files: named tensors and the model card, in one ``model.safetensors``."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from .._errors import FileError

FILE_NAME = "model.safetensors"
"""The file of a run that holds its trained model."""
KEY = "lto"
"""Key of the metadata that holds the card as JSON."""
RENAMED = {"evolution.global.": "evolution.spectral.", "mean_course": "course.mean"}
"""Beginnings of names in files that differ from those of modules: ``global`` is a word of Python, and a mean course is a module."""


def read(run: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The card and the weights of a run folder or a model file."""
    path = Path(run) / FILE_NAME if Path(run).is_dir() else Path(run)
    if not path.exists():
        raise FileError(f"{path}: no such model; give the folder of a run or its {FILE_NAME}")
    try:
        with safe_open(path, "pt") as file:
            text = (file.metadata() or {}).get(KEY)
            tensors = {_renamed(name, RENAMED): file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise FileError(f"{path}: not a whole .safetensors file: {error}") from error
    if text is None:
        raise FileError(f"{path}: holds weights only, no description of a model by lto")
    return json.loads(text), tensors


def write(run: str | os.PathLike[str], card: dict[str, Any], tensors: dict[str, Tensor]) -> None:
    """Writes the model file of a run folder, whole or not at all; the folder is made if there is none."""
    folder = Path(run)
    folder.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(dir=folder, suffix=".safetensors")
    os.close(handle)
    try:
        named = {
            _renamed(name, {ours: theirs for theirs, ours in RENAMED.items()}): tensor
            for name, tensor in tensors.items()
        }
        save_file(named, beside, {KEY: json.dumps(card)})
        os.chmod(beside, 0o644)
        os.replace(beside, folder / FILE_NAME)
    except BaseException:
        os.unlink(beside)
        raise


def _renamed(name: str, beginnings: dict[str, str]) -> str:
    for old, new in beginnings.items():
        if name.startswith(old):
            return new + name.removeprefix(old)
    return name
