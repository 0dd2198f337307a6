#!/usr/bin/env bash
# What a prediction costs from Python beyond Rust, and an FNO beside neuraloperator's: one run. PYTHON names an interpreter with
# the package installed (and neuraloperator, for the peer). PROFILE: the profile that the package was built with.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
seconds=${SECONDS_EACH:-10}
export OMP_PROC_BIND=true
cargo build --quiet --profile "${PROFILE:-release}" -p lto --example encode_decode
folder=${PROFILE:-release}
rust=${CARGO_TARGET_DIR:-target}/${folder/#dev/debug}/examples/encode_decode
run=results/burgers_29k
# In turn, since the machine has other things to do.
for _ in 1 2; do
    "$rust" "$run" "$seconds"
    "$python" bench/peers/encode_decode.py "$run" "$seconds"
done
