"""NVIDIA's client of the Open Inference Protocol against a running service: `triton_check.py HOST:PORT`."""

import json
import sys
import urllib.request

import numpy as np
import tritonclient.http as triton
from tritonclient.utils import InferenceServerException

address = sys.argv[1]
client = triton.InferenceServerClient(address)
assert client.is_server_live() and client.is_server_ready() and client.is_model_ready("heat")
assert not client.is_model_ready("none")
assert client.get_server_metadata()["name"] == "lto"
described = {tensor["name"]: tensor for tensor in client.get_model_metadata("heat")["inputs"]}
assert described["sensors"]["shape"] == [-1, 2], described

random = np.random.default_rng(0)
arrays = {
    "sensors": random.random((50, 2)),
    "values": random.random((50, 1)),
    "s": np.array([0.0]),
    "times": np.array([0.004, 0.008]),
    "query": random.random((200, 2)),
}


def asked(type_: type, binary: bool) -> list[triton.InferInput]:
    """The arrays as tensors of a type."""
    inputs = []
    for name, array in arrays.items():
        tensor = triton.InferInput(name, list(array.shape), "FP32" if type_ is np.float32 else "FP64")
        tensor.set_data_from_numpy(array.astype(type_), binary_data=binary)
        inputs.append(tensor)
    return inputs


body = {name: array.tolist() for name, array in arrays.items()}
body |= {"s": 0.0, "query": {"points": body["query"]}}
request = urllib.request.Request(f"http://{address}/v1/models/heat/predict", json.dumps(body).encode())
with urllib.request.urlopen(request) as answer:
    expected = np.array(json.load(answer)["values"]).reshape(2, 1, 200)

for type_, tolerance in [(np.float64, 1e-6), (np.float32, 1e-4)]:
    for binary in (True, False):
        wanted = [triton.InferRequestedOutput("field", binary_data=binary)]
        for outputs in (wanted, None):
            result = client.infer("heat", asked(type_, binary), outputs=outputs, request_id="7")
            field = result.as_numpy("field")
            assert field.shape == (2, 1, 200) and field.dtype == np.float32
            assert np.abs(field - expected).max() < tolerance * np.abs(expected).max(), (type_, binary)
            assert result.get_response()["id"] == "7"

try:
    client.infer("heat", asked(np.float64, True)[:1])
    raise SystemExit("a request without readings was answered")
except InferenceServerException as refused:
    assert "values is missing" in refused.message(), refused
