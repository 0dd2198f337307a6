"""Ctrl-C ends long work at once, and keeps what is done."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import lto
from conftest import ROOT, SMALL

TRAIN = """
import json, sys, lto
config = json.loads(sys.argv[1])
lto.train(config, out="run", settings={"train.steps": 1000000}, on_metrics=lambda m: print("ready", flush=True))
"""
GENERATE = """
import lto
print("ready", flush=True)
lto.generate("navier-stokes", n=5000, out="ns.hdf5", solve_resolution=64, resolutions=[64])
"""
CERTIFY = """
import numpy, lto
print("ready", flush=True)
lto.certify(numpy.random.default_rng(0).random((20000, 2)), "0:1,0:1", curvature=30, sup=1)
"""

# A hundred thousand steps, which take minutes.
ROLLOUT = """
import sys, numpy, lto
model = lto.load(sys.argv[2], allow_extrapolation=True)
x = numpy.arange(64) / 64
steps = 100000 * model.info["native_interval"]
print("ready", flush=True)
"""
PREDICT = ROLLOUT + 'model.predict({"x": x, "u": numpy.sin(6.28 * x)}, [steps], lto.Grid(1024), s=0.0, way="rollout")'
EVOLVE = ROLLOUT + 'model.encode(x, numpy.sin(6.28 * x), s=0.0).at(steps, way="rollout")'
WORK = {
    "train": (TRAIN, "run/checkpoint.safetensors"),
    "generate": (GENERATE, "ns.hdf5.partial"),
    "certify": (CERTIFY, None),
    "predict": (PREDICT, None),
    "at": (EVOLVE, None),
}


@pytest.mark.parametrize(("script", "left"), WORK.values(), ids=WORK.keys())
def test_control_c_is_heeded(script: str, left: str | None, tmp_path: Path) -> None:
    command = [sys.executable, "-c", script, json.dumps(SMALL), str(ROOT / "results" / "burgers_29k")]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    try:
        _, errors = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    assert process.returncode != 0 and errors.rstrip().endswith("KeyboardInterrupt"), errors
    assert left is None or (tmp_path / left).exists()


def test_an_interrupted_run_goes_on(tmp_path: Path) -> None:
    def stop(metrics: dict[str, float]) -> None:
        if metrics["step"] == 4 and "loss" in metrics:
            raise RuntimeError("enough")

    whole = lto.train(SMALL, out=tmp_path / "whole")
    with pytest.raises(RuntimeError, match="enough"):
        lto.train(SMALL, out=tmp_path / "run", on_metrics=stop)
    resumed = lto.train(out=tmp_path / "run")
    assert resumed.report["steps"] == 6
    assert resumed.errors == whole.errors
