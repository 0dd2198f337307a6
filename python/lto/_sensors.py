"""How far sensors can be trusted, and where to put them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _lto, _settings
from ._errors import ConfigError

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Domain = str | Sequence[tuple[float, float]]
"""``"0:1,0:2"``, or ``[(0, 1), (0, 2)]``."""

Periodic = str | bool | Sequence[str]
"""Whether all axes are periodic, or the names of those that are: ``"x"``, ``["x", "y"]``."""


def certify(
    points: ArrayLike,
    domain: Domain | None = None,
    *,
    periodic: Periodic = False,
    curvature: float | None = None,
    sup: float | None = None,
    gradient: float | None = None,
    data: str | os.PathLike[str] | None = None,
    margin: float | None = None,
    length_scale: float | None = None,
    model: _lto.Model | None = None,
) -> _lto.Certificate:
    """Bounds the error of estimates between sensors at ``points``, for every state no more curved than ``curvature``.

    ``sup`` and ``gradient`` bound the absolute value and the slope of the states. Without either, and unless all axes are
    periodic, only the local linear estimate has a bound, which needs the curvature alone; a ``model`` then needs one of them.
    ``data`` is a file to estimate these bounds from instead, times ``margin``, and to take the domain from.
    ``length_scale`` is ℓ of the set convolution (default: the best one); ``model`` takes domain and set convolution from a
    trained model.

    >>> sensors = [[x, y] for x in (0.1, 0.4, 0.6, 0.9) for y in (0.1, 0.4, 0.6, 0.9)]
    >>> found = lto.certify(sensors, "0:1,0:1", curvature=30)
    >>> found.certified
    True
    >>> lto.certify(sensors, "0:1,0:1", curvature=30, sup=1).bound < found.bound  # more is known of the states
    True
    """
    known = {"curvature": curvature, "sup": sup, "gradient": gradient, "data": data, "margin": margin}
    return _lto.certify(points, _place(domain, periodic), known, length_scale, model)


def design(
    domain: Domain | None,
    n: int,
    *,
    periodic: Periodic = False,
    existing: ArrayLike | None = None,
    avoid: Sequence[str] = (),
    objective: str = "fill",
    estimator: str | None = None,
    length_scale: float | None = None,
    curvature: float | None = None,
    sup: float | None = None,
    gradient: float | None = None,
    data: str | os.PathLike[str] | None = None,
    margin: float | None = None,
    seed: int = 0,
) -> _lto.Layout:
    """Places ``n`` sensors beside ``existing`` ones.

    ``avoid`` are regions without sensors: ``"box:0.2:0.4,0.1:0.3"``, ``"circle:0.5,0.5,0.1"``. ``objective`` is what to make
    small: ``"fill"``, the largest distance from any place to its nearest sensor, or ``"certificate"``, the largest bound of the
    error; the arguments from ``estimator`` to ``margin`` are for the latter, see :func:`certify`.

    >>> lto.design("0:1,0:1", 5).sensors.shape
    (5, 2)
    """
    known = {"curvature": curvature, "sup": sup, "gradient": gradient, "data": data, "margin": margin}
    goal = {"estimator": estimator, "length_scale": length_scale, "known": known}
    if objective not in ("fill", "certificate"):
        raise ConfigError(f"objective = {objective}: must be fill or certificate")
    idle = [name for name, value in {**goal, **known}.items() if name != "known" and value is not None]
    if objective == "fill" and idle:
        raise ConfigError(f"{idle[0]} has no effect without objective=\"certificate\"")
    wanted = goal if objective == "certificate" else None
    _settings.natural("n", n, 1)
    _settings.natural("seed", seed, 0)
    return _lto.design(_place(domain, periodic), n, existing, list(avoid), wanted, seed)


def _place(domain: Domain | None, periodic: Periodic) -> dict[str, Any]:
    try:
        bounds = domain if domain is None or isinstance(domain, str) else [(float(a), float(b)) for a, b in domain]
    except (TypeError, ValueError):
        raise ConfigError(f"domain = {domain!r}: must be bounds along each axis, \"0:1,0:2\" or [(0, 1), (0, 2)]") from None
    if isinstance(periodic, bool):
        names = "all" if periodic else "none"
    else:
        names = periodic if isinstance(periodic, str) else ",".join(periodic) or "none"
    return {"bounds": bounds, "periodic": names}
