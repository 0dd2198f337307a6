"""The answers of a running service against KServe's description of the Open Inference Protocol: `protocol.py HOST:PORT`."""

import importlib.util
import json
import sys
import urllib.error
import urllib.request
from pathlib import Path

# The description alone: importing the package would need everything that serves models.
package = Path(next(iter(importlib.util.find_spec("kserve").submodule_search_locations)))
spec = importlib.util.spec_from_file_location("described", package / "protocol" / "rest" / "v2_datamodels.py")
described = importlib.util.module_from_spec(spec)
spec.loader.exec_module(described)

root = f"http://{sys.argv[1]}/v2"


def ask(path: str, body: object = None) -> dict:
    """The answer of a route."""
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(root + path, data)) as answer:
        return json.load(answer)


for path, kind in [
    ("", described.ServerMetadataResponse),
    ("/health/live", described.ServerLiveResponse),
    ("/health/ready", described.ServerReadyResponse),
    ("/models/heat", described.ModelMetadataResponse),
    ("/models/heat/ready", described.ModelReadyResponse),
    ("/models/heat/versions/1", described.ModelMetadataResponse),
    ("/models/heat/versions/1/ready", described.ModelReadyResponse),
]:
    # Nothing is missing, and nothing is there that the description does not have.
    answer = ask(path)
    assert kind.model_validate(answer).model_dump(exclude_none=True) == answer, (path, answer)

request = described.InferenceRequest(
    id="42",
    inputs=[
        described.RequestInput(name="sensors", shape=[2, 2], datatype="FP64", data=[0.1, 0.2, 0.6, 0.7]),
        described.RequestInput(name="values", shape=[2, 1], datatype="FP64", data=[0.3, 0.8]),
        described.RequestInput(name="s", shape=[1], datatype="FP64", data=[0.0]),
        described.RequestInput(name="times", shape=[1], datatype="FP64", data=[0.008]),
        described.RequestInput(name="query", shape=[3, 2], datatype="FP64", data=[0.5, 0.5, 0.1, 0.9, 0.3, 0.2]),
    ],
)
answer = ask("/models/heat/infer", request.model_dump(exclude_none=True))
read = described.InferenceResponse.model_validate(answer)
assert read.model_dump(exclude_none=True) == answer and read.id == "42", answer
assert read.outputs[0].shape == [1, 1, 3] and len(read.outputs[0].data) == 3

try:
    ask("/models/none")
    raise SystemExit("a model that is not there was described")
except urllib.error.HTTPError as refused:
    assert refused.code == 404 and isinstance(json.load(refused)["error"], str)
