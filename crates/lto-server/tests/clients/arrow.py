"""The service's tables as pyarrow reads them: `arrow.py HOST:PORT`."""

import io
import json
import sys
import urllib.request

import pyarrow as pa

MODEL = f"http://{sys.argv[1]}/v1/models/heat"
ARROW = "application/vnd.apache.arrow.stream"


def ask(path: str, body: object, accept: str) -> bytes:
    """The body of an answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(f"{MODEL}/{path}", data, {"accept": accept})
    with urllib.request.urlopen(request) as answer:
        assert answer.headers["content-type"] == accept
        return answer.read()


def both(path: str, body: object = None) -> tuple[dict, pa.Table]:
    """The same answer as JSON and as a table."""
    stream = pa.ipc.open_stream(io.BytesIO(ask(path, body, ARROW)))
    table = stream.read_all()
    table.validate(full=True)
    return json.loads(ask(path, body, "application/json")), table


body = {"sensors": [[0.1, 0.2], [0.6, 0.7], [0.4, 0.9]], "values": [0.3, 0.8, -0.2], "s": 0, "times": [0.004, 0.008]}
told, table = both("predict", body | {"query": {"grid": [3, 2]}, "band": 0.9})
assert table.column_names == ["t", "x", "y", "u", "u_lower", "u_upper"], table.column_names
assert all(field.type == pa.float64() for field in table.schema) and table.num_rows == 12
rows = table.to_pydict()
assert rows["u"] == told["values"] and rows["u_lower"] == told["lower"] and rows["u_upper"] == told["upper"]
assert rows["t"] == [0.004] * 6 + [0.008] * 6
assert [round(x, 6) for x in rows["x"][:6]] == [0, 0, 0.333333, 0.333333, 0.666667, 0.666667]
assert rows["y"] == [0.0, 0.5] * 6

points = [[0.5, 0.25], [0.125, 0.75], [0.0, 0.0]]
told, table = both("predict", body | {"query": {"points": points}})
assert table.column_names == ["t", "x", "y", "u"] and table.to_pydict()["u"] == told["values"]
assert list(zip(table["x"].to_pylist(), table["y"].to_pylist()))[:3] == [tuple(point) for point in points]

told, table = both("truth?times=0,0.008&grid=5x4")
assert table.num_rows == 40 and table.to_pydict()["u"] == told["values"]
