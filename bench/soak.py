"""An hour of everything that clients do to a service, good and bad; memory and errors are looked at all the while.

`soak.py HOST:PORT PID [SECONDS [RATE]]`: predictions at a moderate rate, and beside them clients that are killed, that send and
take slowly, that never finish their headers, and 10,000 that say nothing. Prints a line a minute, and at the
end what it saw: the lowest and the highest memory of each sixth of the time.
"""

from __future__ import annotations

import http.client
import json
import os
import random
import resource
import socket
import subprocess
import sys
import threading
import time

address, pid = sys.argv[1], int(sys.argv[2])
seconds = float(sys.argv[3]) if len(sys.argv) > 3 else 3600.0
rate = float(sys.argv[4]) if len(sys.argv) > 4 else 20.0
host, port = address.rsplit(":", 1)
ends = time.monotonic() + seconds
lock = threading.Lock()
counts: dict[str, int] = {}


def count(what: str) -> None:
    """One more of something."""
    with lock:
        counts[what] = counts.get(what, 0) + 1


def body(points: int) -> bytes:
    """A request of random sensors."""
    sensors = [[random.random(), random.random()] for _ in range(100)]
    values = [[random.random()] for _ in sensors]
    query = {"grid": [points, points]}
    return json.dumps({"sensors": sensors, "values": values, "s": 0, "times": [0.008], "query": query}).encode()


def connect() -> socket.socket:
    """A connection."""
    return socket.create_connection((host, int(port)), timeout=60)


def head(length: int) -> bytes:
    """The headers of a request."""
    return f"POST /v1/models/heat/predict HTTP/1.1\r\nhost: localhost\r\ncontent-length: {length}\r\n\r\n".encode()


def regular() -> None:
    """Predictions, encoded states and readings, a few a second; every answer is looked at."""
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    number = 0
    while time.monotonic() < ends:
        time.sleep(1 / rate)
        number += 1
        try:
            if number % 10 == 0:
                asked = json.loads(body(8))
                asked.pop("query"), asked.pop("times")
                connection.request("POST", "/v1/models/heat/encode", json.dumps(asked))
                state = json.load(connection.getresponse())["state"]
                connection.request("POST", "/v1/models/heat/decode", json.dumps({"state": state, "times": [0.004], "query": {"grid": [32]}}))
            else:
                connection.request("POST", "/v1/models/heat/predict", body(random.choice([8, 32, 64])))
            answer = connection.getresponse()
            values = json.load(answer)["values"]
            count("answered" if answer.status == 200 and all(abs(x) < 1e3 for x in values) else f"wrong answer {answer.status}")
        except Exception as error:
            count(f"failed {type(error).__name__}")
            connection.close()


def killed() -> None:
    """Clients that are killed in the middle of a request."""
    script = "import socket, sys, time; s = socket.create_connection((sys.argv[1], int(sys.argv[2]))); s.sendall(sys.stdin.buffer.read()); time.sleep(60)"
    while time.monotonic() < ends:
        child = subprocess.Popen([sys.executable, "-c", script, host, port], stdin=subprocess.PIPE)
        assert child.stdin is not None
        text = body(64)
        child.stdin.write(head(len(text)) + text[: random.choice([10, len(text)])])
        child.stdin.close()
        time.sleep(1 + random.random())
        child.kill()
        child.wait()
        count("killed")
        time.sleep(4)


def slow() -> None:
    """Clients that send a byte at a time, or take their answer a byte at a time."""
    while time.monotonic() < ends:
        try:
            with connect() as stream:
                text = body(200)
                stream.sendall(head(len(text)))
                if random.random() < 0.5:
                    for i in range(0, 40):
                        stream.sendall(text[i : i + 1])
                        time.sleep(0.5)
                else:
                    stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                    stream.sendall(text)
                    for _ in range(40):
                        stream.recv(1)
                        time.sleep(0.5)
        except OSError:
            pass
        count("slow")


def half_open() -> None:
    """Clients that never finish their headers."""
    while time.monotonic() < ends:
        streams = []
        for _ in range(20):
            try:
                stream = connect()
                stream.sendall(b"POST /v1/models/heat/predict HTTP/1.1\r\nhost: lo")
                streams.append(stream)
            except OSError:
                count("refused")
        time.sleep(10)
        for stream in streams:
            stream.close()
            count("half open")


def idle() -> None:
    """10,000 connections that say nothing, until the service drops them; then again."""
    while time.monotonic() < ends:
        streams = []
        for _ in range(10_000):
            if time.monotonic() > ends:
                break
            try:
                streams.append(connect())
            except OSError:
                count("idle refused")
        count(f"idle rounds of {len(streams)}")
        time.sleep(min(90, max(0, ends - time.monotonic())))
        for stream in streams:
            stream.close()
        # A while without them: what the service holds then should not grow.
        time.sleep(min(60, max(0, ends - time.monotonic())))


def memory() -> float:
    """Resident megabytes of the service."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmRSS"))


resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
threads = [threading.Thread(target=kind, daemon=True) for kind in (regular, regular, killed, slow, slow, half_open, idle)]
for thread in threads:
    thread.start()
sizes: list[float] = []
begun = time.monotonic()
told = 0
while time.monotonic() < ends and os.path.exists(f"/proc/{pid}"):
    time.sleep(2)
    sizes.append(memory())
    if time.monotonic() - begun >= 60 * (told + 1):
        told += 1
        with lock:
            print(f"{told} min: {min(sizes[-30:]):.1f} to {max(sizes[-30:]):.1f} MB, {counts}", flush=True)
for thread in threads:
    thread.join(timeout=100)
wrong = {what: n for what, n in counts.items() if what.startswith(("wrong", "failed"))}
sixth = max(1, len(sizes) // 6)
parts = [sizes[i : i + sixth] for i in range(0, 6 * sixth, sixth) if sizes[i : i + sixth]]
print("resident memory by sixths, lowest to highest MB:", ", ".join(f"{min(part):.0f} to {max(part):.0f}" for part in parts))
print(f"counted: {counts}; wrong or failed: {wrong or 'none'}")
sys.exit(1 if wrong or not os.path.exists(f"/proc/{pid}") else 0)
