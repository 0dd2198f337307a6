"""The habits of scikit-learn: fit, predict, score."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from . import _dataset
from ._errors import ConfigError, Error, UnsupportedError
from ._evaluation import evaluate
from ._model import Model
from ._settings import Settings
from ._training import Config, Run, train

if TYPE_CHECKING:
    import xarray


class Estimator:
    """A model to be trained, as scikit-learn would have it.

    The arguments are those of :func:`train`. After :meth:`fit`, ``run_`` and ``model_`` are the run and its model; fitting
    again replaces the run only with ``force``.
    """

    def __init__(
        self,
        config: Config,
        *,
        out: str | os.PathLike[str],
        settings: Settings = (),
        seed: int | None = None,
        force: bool = False,
    ) -> None:
        self.config = config
        self.out = out
        self.settings = settings
        self.seed = seed
        self.force = force

    def fit(self, data: _dataset.DataLike | None = None) -> Estimator:
        """Trains on ``data``, by default on the configuration's."""
        parameters = self.get_params()
        self.run_: Run = train(parameters.pop("config"), data=data, **parameters)
        self.model_: Model = self.run_.model
        return self

    def predict(self, data: Any, times: Any = None, query: Any = None, **options: Any) -> xarray.Dataset:
        """As :meth:`Model.predict`."""
        self._check()
        return self.model_.predict(data, times, query, **options)

    def score(self, data: _dataset.DataLike | None = None) -> float:
        """1 − relative L2 error of one native step from a whole grid, on ``data`` or on the held-out samples: 1 is perfect."""
        self._check()
        protocol: dict[str, Any] = {"fractions": [], "designs": [], "noise": [], "horizon": 0}
        measured = evaluate(self.run_, data=data, progress=False, **protocol).to_dict()[0]["one_step"]
        if "unsupported" in measured:
            raise UnsupportedError(measured["unsupported"])
        return 1.0 - float(measured["measured"]["relative_l2"]["mean"])

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The arguments of the constructor."""
        return {name: getattr(self, name) for name in ("config", "out", "settings", "seed", "force")}

    def set_params(self, **parameters: Any) -> Estimator:
        """Sets arguments of the constructor."""
        for name, value in parameters.items():
            if name not in self.get_params():
                raise ConfigError(f"there is no parameter {name}; the parameters are {', '.join(self.get_params())}")
            setattr(self, name, value)
        return self

    def _check(self) -> None:
        if not hasattr(self, "model_"):
            raise Error("nothing is fitted yet; call fit first")

    def __repr__(self) -> str:
        fitted = f", {self.model_!r}" if hasattr(self, "model_") else ", not fitted"
        shown = self.config if isinstance(self.config, (str, os.PathLike)) else "a mapping"
        return f"Estimator({shown}{fitted})"
