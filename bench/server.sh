#!/usr/bin/env bash
# The service under load, on loopback: the embedded twin, 100 sensors, 1000 points; beside the model alone, and beside the same
# model behind FastAPI and PyTorch, in one run. Needs wrk. PYTHON names an interpreter with torch, fastapi and uvicorn; without
# one the peer is left out. SECONDS_EACH: time for one measurement. LTO names a program that is built already.
set -euo pipefail
cd "$(dirname "$0")/.."
python=${PYTHON:-python3}
seconds=${SECONDS_EACH:-10}
port=${PORT:-8765}
target=${CARGO_TARGET_DIR:-target}
twin=crates/lto-server/twin/model.safetensors
if [ -z "${LTO:-}" ]; then
    cargo build --quiet --release --bin lto
fi
lto=${LTO:-$target/release/lto}
command -v wrk >/dev/null || { echo "wrk is missing: apt-get install wrk" >&2; exit 1; }

started=()
finish() { for process in "${started[@]}"; do kill "$process" 2>/dev/null || true; done; }
trap finish EXIT
answers() { # waits for an address
    for _ in $(seq 300); do
        if curl --silent --output /dev/null "$1"; then return; fi
        sleep 0.1
    done
    echo "$1 does not answer" >&2
    exit 1
}
busy() { # processor time of a process and its children, in ticks
    local id all=0
    for id in $1 $(pgrep --parent "$1" || true); do all=$((all + $(awk '{ print $14 + $15 }' "/proc/$id/stat" 2>/dev/null || echo 0))); done
    echo "$all"
}
load() { # form, connections, delay in ms, port, process
    local before result n
    before=$(busy "$5")
    result=$(FORM=$1 DELAY_MS=$3 wrk --threads 1 --connections "$2" --duration "${seconds}s" --timeout 60s \
        --script bench/server.lua "http://127.0.0.1:$4" | sed -n 's/^RESULT //p')
    n=${result%% *}
    # A tick is 10 ms; the sender's own time is not in it.
    awk -v result="${result#* }" -v n="$n" -v ticks=$(($(busy "$5") - before)) \
        'BEGIN { printf "%s, %.0f µs of a processor each\n", result, 1e4 * ticks / n }'
}

echo "machine: $(nproc) cores, $(sed -n 's/^model name\s*: //p' /proc/cpuinfo | head -1); sender: $(wrk --version 2>&1 | head -1 || true)"
"$lto" bench request --seconds "$seconds"

"$lto" serve --port "$port" --log off --quiet 2>/dev/null &
started+=($!)
answers "http://127.0.0.1:$port/v2/health/ready"
for form in binary grid json; do
    full=$(load "$form" 16 0 "$port" "${started[0]}")
    echo "lto serve, $form, 16 connections: $full"
    # Half of that rate: 16 clients that wait in between.
    pause=$(awk -v rate="${full%% *}" 'BEGIN { printf "%.0f", 2 * 16 * 1000 / rate }')
    echo "lto serve, $form, half load: $(load "$form" 16 "$pause" "$port" "${started[0]}")"
done
echo "lto serve: resident memory $(awk '/VmRSS/ { print $2 / 1024 " MB" }' "/proc/${started[0]}/status")"

if "$python" -c 'import torch, fastapi, uvicorn' 2>/dev/null; then
    for workers in 1 2; do
        peer=$((port + workers))
        MODEL=$twin TORCH_THREADS=1 "$python" -m uvicorn --app-dir bench/peers server:app \
            --port "$peer" --workers "$workers" --log-level error &
        started+=($!)
        answers "http://127.0.0.1:$peer/openapi.json"
        echo "FastAPI and PyTorch, json, $workers processes: $(load json 16 0 "$peer" "${started[-1]}")"
        kill "${started[-1]}"
    done
else
    echo "no torch, fastapi and uvicorn in $python (set PYTHON): the peer is left out" >&2
fi
