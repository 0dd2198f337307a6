#!/usr/bin/env bash
# What a prediction costs from Python beyond Rust; then `model.predict` beside neuraloperator and deepsensor. PYTHON names an
# interpreter with the package installed and torch, neuraloperator and deepsensor; PROFILE is the profile of the package.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
profile=${PROFILE:-release}
export OMP_PROC_BIND=true
cargo build --quiet --profile "$profile" --example encode_decode
rust=${CARGO_TARGET_DIR:-target}/${profile/#dev/debug}/examples/encode_decode
"$python" bench/peers/encode_decode.py "$rust" results/burgers_29k "${SECONDS_EACH:-4}"
"$python" bench/peers/predict.py "$((15 * ${SECONDS_EACH:-4}))" "${THREADS:-2}"
