#!/usr/bin/env bash
# Steps a second of the published Burgers twin: one process on one and on two threads, and two processes on one thread each, in
# turn. Needs an MPI and a program with the feature mpi: LTO=target/release/lto bash bench/cluster.sh
set -euo pipefail
cd "$(dirname "$0")/.."
LTO=$(realpath "${LTO:-target/release/lto}")
STEPS=${STEPS:-60}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
"$LTO" data generate burgers -n 32 --seed 1 --resolution 1024 --frames 41 --t-end 2.0 --viscosity 0.001 -q -o "$folder/burgers.hdf5"

# Trains, and prints the seconds of a step by the run's own clock, without the first ten.
train() { # name, threads, launcher
  local name=$1 threads=$2
  shift 2
  "$@" "$LTO" train configs/paper/burgers.toml --data "$folder/burgers.hdf5" -q --threads "$threads" -o "$folder/$name" \
    --set data.samples=32 --set train.batch=16 --set train.steps="$STEPS" --set train.log_every=5 --set train.validation.every=0
  python3 - "$folder/$name/metrics.jsonl" <<'P'
import json, sys
lines = [line for line in map(json.loads, open(sys.argv[1])) if line["kind"] == "train"]
print((lines[-1]["seconds"] - lines[1]["seconds"]) / (lines[-1]["step"] - lines[1]["step"]))
P
}
for round in 1 2 3; do
  one=$(train "one$round" 1 env)
  two=$(train "two$round" 2 env)
  pair=$(train "pair$round" 1 mpirun -n 2 --bind-to core)
  python3 - "$one" "$two" "$pair" <<'P'
import sys
one, two, pair = map(float, sys.argv[1:])
for name, seconds in [("1 process, 1 thread", one), ("1 process, 2 threads", two), ("2 processes, 1 thread each", pair)]:
    print(f"{name:28} {1 / seconds:7.2f} steps/s {one / seconds:6.2f} x")
P
done
