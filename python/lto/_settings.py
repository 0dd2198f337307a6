"""Settings on their way to the libraries: plain numbers and texts, whatever they were."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

from ._errors import ConfigError

Settings = Mapping[str, Any] | Sequence[str] | str
"""``{"train.steps": 100}``, or texts as in ``lto train --set``."""


def texts(settings: Settings) -> list[str]:
    """Settings as ``--set`` takes them: ``train.steps=100``, in TOML."""
    if isinstance(settings, Mapping):
        return [f"{key}={_toml(_plain(key, value))}" for key, value in settings.items()]
    return [settings] if isinstance(settings, str) else list(settings)


def as_json(settings: Mapping[str, Any]) -> str:
    """A mapping of settings as JSON; ``None`` is the default, as if it were not there."""
    return json.dumps({key: _plain(key, value) for key, value in settings.items() if value is not None})


def natural(name: str, value: int, least: int) -> int:
    """A whole number that is large enough."""
    if not isinstance(value, Integral) or value < least:
        raise ConfigError(f"{name} = {value}: must be a whole number, at least {least}")
    return value


def _plain(key: str, value: Any) -> Any:
    """Arrays and numbers of NumPy as lists and numbers, paths as texts."""
    if isinstance(value, Mapping):
        given = {str(name): inner for name, inner in value.items() if inner is not None}
        return {name: _plain(f"{key}.{name}", inner) for name, inner in given.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(f"{key}[{i}]", inner) for i, inner in enumerate(value)]
    if hasattr(value, "tolist"):
        return _plain(key, value.tolist())
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (bool, int, float, str)):
        return value
    raise ConfigError(f"{key} = {value!r}: must be a number, a text, a list or a mapping; leave it out for its default")


def _toml(value: Any) -> str:
    """A plain value as TOML writes it."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(name)} = {_toml(inner)}" for name, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return repr(value) if isinstance(value, float) else json.dumps(value)
