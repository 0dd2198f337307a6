"""What a prediction costs from Python beyond Rust: crates/lto/examples/encode_decode.rs and the same here, in turn.

Usage: encode_decode.py PROGRAM RUN SECONDS, the program being the built example.
"""

import json
import statistics
import subprocess
import sys
import time

import numpy as np

import lto

ROUNDS = 5


def in_rust(program: str, run: str, seconds: float) -> dict[str, float]:
    done = subprocess.run([program, run, str(seconds)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def in_python(run: str, seconds: float) -> dict[str, float]:
    """Eight sensors, sixteen points, as in Rust."""
    model = lto.load(run)
    points, values, query = (np.arange(8) + 0.5) / 8, np.full(8, 0.1), (np.arange(16) + 0.5) / 16
    taken = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        before = time.perf_counter()
        model.encode(points, values, s=0.0).at(0.05).decode(query)
        taken.append(1e6 * (time.perf_counter() - before))
    return {"least_us": min(taken), "median_us": statistics.median(taken)}


def main() -> None:
    program, run, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
    rounds = [(in_rust(program, run, seconds), in_python(run, seconds)) for _ in range(ROUNDS)]
    print(f"{run}: 8 sensors encoded, evolved, decoded at 16 points; {ROUNDS} rounds of {seconds:g} s each, in turn")
    print("                      Rust   Python   beyond")
    for name, key, of in (("least time", "least_us", min), ("median of medians", "median_us", statistics.median)):
        rust, python = (of(one[side][key] for one in rounds) for side in (0, 1))
        print(f"{name:<18} {rust:>7.1f}  {python:>7.1f}  {python - rust:>7.1f} µs")


if __name__ == "__main__":
    main()
