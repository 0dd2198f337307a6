"""The Latent Twin Operator: fields at any place and time from any number of sensors, placed anywhere.

>>> model = lto.load("results/burgers_29k")
>>> state = model.encode([0.05, 0.3, 0.55, 0.8], [0.9, 0.2, -0.8, -0.1], s=0.0)  # once
>>> field = state.at(0.5).decode(lto.Grid(512))  # as often as wanted
>>> field
Field of u, shape (1, 512), t = 0.5
"""

from ._dataset import Dataset, generate, read
from ._errors import ConfigError, DataError, Error, FileError, UnsupportedError
from ._estimator import Estimator
from ._evaluation import Evaluations, evaluate
from ._lto import Certificate, Evolved, Field, Grid, Layout, Picture, State
from ._model import Model, load
from ._sensors import certify, design
from ._training import Run, train

__all__ = [
    "Certificate",
    "ConfigError",
    "DataError",
    "Dataset",
    "Error",
    "Estimator",
    "Evaluations",
    "Evolved",
    "Field",
    "FileError",
    "Grid",
    "Layout",
    "Model",
    "Picture",
    "Run",
    "State",
    "UnsupportedError",
    "certify",
    "design",
    "evaluate",
    "generate",
    "load",
    "read",
    "train",
]
