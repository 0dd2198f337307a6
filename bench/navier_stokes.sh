#!/usr/bin/env bash
# Navier–Stokes trajectories a minute, beside the published scheme in PyTorch: one table, one run.
# PYTHON names an interpreter with torch; without one the peer is left out.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
# Without binding, the threads of OpenMP may share one core.
export OMP_PROC_BIND=true OMP_NUM_THREADS=${OMP_NUM_THREADS:-$(nproc)}

cargo build --quiet --release -p lto-numerics --example navier_stokes
peer=()
if "$python" -c 'import torch' 2>/dev/null; then
    result=$("$python" bench/peers/navier_stokes.py time)
    echo "peer: $result"
    peer=("$(grep -o '"seconds_per_unit_time_per_trajectory": [0-9.e+-]*' <<<"$result" | cut -d' ' -f2)")
else
    echo "no torch in $python (set PYTHON): the peer is left out"
fi
cargo run --quiet --release -p lto-numerics --example navier_stokes -- speed "${peer[@]}"
