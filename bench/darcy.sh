#!/usr/bin/env bash
# Darcy solves a minute on the 421 x 421 grid, beside SciPy's sparse direct solver on the same coefficient: one run.
# PYTHON names an interpreter with scipy; without one the peer is left out.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
problem=$(mktemp -d)
trap 'rm -r "$problem"' EXIT

cargo build --quiet --release -p lto-numerics --example bench_darcy
"${CARGO_TARGET_DIR:-target}/release/examples/bench_darcy" "$problem"
if "$python" -c 'import scipy' 2>/dev/null; then
    "$python" bench/peers/darcy.py "$problem"
else
    echo "no scipy in $python (set PYTHON): the peer is left out"
fi
