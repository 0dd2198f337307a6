"""The same model behind FastAPI and PyTorch: the route `predict` as somebody would write it in an afternoon.

`MODEL=twin/model.safetensors uvicorn --app-dir bench/peers server:app --port 8001 --workers 2`
"""

from __future__ import annotations

import os
import sys
import types
from pathlib import Path

import torch
from fastapi import FastAPI
from pydantic import BaseModel

# Its part in PyTorch alone: the native module of the package need not be built for this.
package = types.ModuleType("lto")
package.__path__ = [str(Path(__file__).parents[2] / "python" / "lto")]
sys.modules["lto"] = package
import lto.torch  # noqa: E402

torch.set_num_threads(int(os.environ.get("TORCH_THREADS", "1")))
model = lto.torch.load(os.environ["MODEL"]).eval()
app = FastAPI()


class Query(BaseModel):
    """Points or a grid."""

    points: list[list[float]] | None = None
    grid: list[int] | None = None


class Request(BaseModel):
    """Readings, and where and when the field is wanted."""

    sensors: list[list[float]]
    values: list[list[float]]
    s: float
    times: list[float]
    query: Query


@app.post("/v1/models/heat/predict")
def predict(request: Request) -> dict[str, object]:
    """The field at each time."""
    sensors = torch.tensor(request.sensors, dtype=torch.float64)
    values = torch.tensor(request.values, dtype=torch.float64).mT
    query = model.grid(*request.query.grid) if request.query.grid else torch.tensor(request.query.points, dtype=torch.float64)
    with torch.inference_mode():
        fields = [model(sensors, values, request.s, t, query) for t in request.times]
    field = torch.stack(fields)
    return {"times": request.times, "shape": list(field.shape), "values": field.flatten().tolist()}
