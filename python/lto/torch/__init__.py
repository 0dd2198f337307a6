"""The same networks in PyTorch: load a run, train it on any device, export it, save it back.

>>> import lto.torch                                    # doctest: +SKIP
>>> model = lto.torch.load("demo/run").to("cuda")       # doctest: +SKIP
>>> field = model(points, values, 0.0, 0.004, model.grid(128, 128))   # doctest: +SKIP
"""

from __future__ import annotations

import os
from typing import Any

from .._errors import UnsupportedError
from .._extras import needed

with needed("torch"):
    from . import files
    from .deeponet import DeepOnet
    from .f_fno import FFno
    from .fno import Fno
    from .lno import Lno
    from .model import Model
    from .onnx import export
    from .points import Grid
    from .twin import Twin

__all__ = ["DeepOnet", "FFno", "Fno", "Grid", "Lno", "Model", "Twin", "export", "load"]

KINDS: dict[str, type[Model[Any]]] = {kind.kind: kind for kind in (Twin, Fno, FFno, Lno, DeepOnet)}


def load(run: str | os.PathLike[str]) -> Model[Any]:
    """The model of a run folder or a model file, of whatever kind it is."""
    card, tensors = files.read(run)
    kind = card["model"]["kind"]
    if kind not in KINDS:
        raise UnsupportedError(
            f"{os.fspath(run)}: models of kind {kind!r} have no network; PyTorch has {', '.join(KINDS)}"
        )
    return KINDS[kind].with_weights(card, tensors, run)
