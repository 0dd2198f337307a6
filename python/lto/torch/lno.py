"""The Latent Neural Operator: points attend to a fixed number of modes and back, a transformer works on the modes."""

# mypy: disable-error-code="no-any-return, no-untyped-call"
from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from .._errors import DataError
from .checks import is_exporting, known
from .encoder import unit_places
from .layers import LayerNorm, Linear, ResidualMlp
from .model import Context, Model
from .points import Points, same_points


class SelfAttention(nn.Module):
    """``softmax(q kᵀ / √c) v`` of each head with its c channels, then a linear map of all heads."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.query, self.key, self.value, self.output = (Linear(dim, dim) for _ in range(4))
        self.heads = heads

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (
            part(x).unflatten(2, (self.heads, -1)).transpose(1, 2)
            for part in (self.query, self.key, self.value)
        )
        attended = torch.softmax(query @ key.mT / math.sqrt(query.shape[-1]), -1) @ value
        return self.output(attended.transpose(1, 2).flatten(2))


class TransformerBlock(nn.Module):
    """``x ← x + attention(norm x)``, ``x ← x + MLP(norm x)``."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.attention_norm, self.mlp_norm = LayerNorm(dim), LayerNorm(dim)
        self.attention = SelfAttention(dim, heads)
        self.mlp = nn.ModuleList([Linear(dim, 2 * dim), Linear(2 * dim, dim)])

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.attention_norm(x))
        first, second = self.mlp
        return x + second(functional.gelu(first(self.mlp_norm(x))))


class Lno(Model[Tensor]):
    """A Latent Neural Operator. Scores of a position are ``projector(trunk(x))``: softmaxed over the observations they encode
    ``branch(x, u)`` into modes, softmaxed over the modes they decode at the query."""

    kind = "lno"
    goes_by_steps = True

    def __init__(self, card: dict[str, Any]) -> None:
        super().__init__(card)
        config, problem = self.card["model"], self.problem
        dim, steps = config["dim"], config.get("layers", 2)
        self.anywhere = (
            known("queries", config.get("queries", "observations"), "observations", "any") == "any"
        )
        self.trunk = ResidualMlp(problem.dim, dim, steps, dim)
        self.branch = ResidualMlp(problem.dim + problem.source_channels, dim, steps, dim)
        self.projector = ResidualMlp(dim, dim, steps, config["modes"])
        self.blocks = nn.ModuleList(TransformerBlock(dim, config["heads"]) for _ in range(config["blocks"]))
        self.output = ResidualMlp(dim, dim, steps, problem.target_channels)

    def encode(self, context: Context) -> Tensor:
        """The modes, ``[b, modes, dim]``."""
        values = context.values.to(self.dtype).mT
        places = unit_places(self.problem, context.points, values)
        observed = torch.cat([places.expand(values.shape[0], -1, -1), values], 2)
        z: Tensor = torch.softmax(self._scores(places), 1).mT @ self.branch(observed)
        for block in self.blocks:
            z = block(z)
        return z

    def decode(self, latent: Tensor, context: Context, s: Tensor, t: Tensor, query: Points) -> Tensor:
        if not (self.anywhere or is_exporting() or _is_among(query, context.points, latent.device)):
            raise DataError(
                "query: with model.queries = 'observations' an LNO predicts only at observed points; some of these are not. A model with "
                "queries = 'any' predicts anywhere"
            )
        weights = torch.softmax(self._scores(unit_places(self.problem, query, latent)), 2)
        return self.output(weights @ latent).mT

    def _scores(self, places: Tensor) -> Tensor:
        return self.projector(self.trunk(places))


def _is_among(some: Points, every: Points, device: torch.device) -> bool:
    """Whether all points of ``some`` are points of ``every``, for every example."""
    if same_points(some, every):
        return True
    queried, known = (points.scattered(device).coordinates for points in (some, every))
    b = max(len(queried), len(known))
    return all(
        len(torch.cat([a, c]).unique(dim=0)) == len(a.unique(dim=0))
        for a, c in zip(known.expand(b, -1, -1), queried.expand(b, -1, -1), strict=True)
    )
