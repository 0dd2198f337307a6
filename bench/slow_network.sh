#!/usr/bin/env bash
# The all-reduces, then the steps, of the published Burgers and Navier–Stokes twins by two processes, on one host and on two with a
# slow network between them, against the model of docs/cluster.md; and the share of the all-reduce. Needs root, ping, OpenMPI and,
# for the steps, a program with the feature mpi:
#   bash bench/slow_network.sh sums; LTO=target/release/lto bash bench/slow_network.sh
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

# Milliseconds that the model of docs/cluster.md gives one all-reduce.
predicted() { # parameters
  python3 -c 'import sys; n = 4 * int(sys.argv[1]); print(f"{8e-6 * n + (2 if n / 2 < 65536 else 6):.1f}")' "$1"
}

mpicc -O2 -DALONE bench/all_reduce.c -o "$folder/alone"
sums() { # twin, parameters
  echo "$1, $2 numbers: predicted $(predicted "$2") ms"
  mpirun -n 2 --bind-to core "$folder/alone" "$2"
  python3 bench/slow_network.py bash -c "mpirun --host \$HOSTS -n 2 --bind-to none $folder/alone $2"
}
if [ "${1:-}" = sums ]; then
  sums burgers 29395
  sums navier_stokes 1126211
  exit
fi

LTO=$(realpath "${LTO:-target/release/lto}")
mpicc -O2 -shared -fPIC bench/all_reduce.c -o "$folder/all_reduce.so"
"$LTO" data generate burgers -n 32 --seed 1 --resolution 1024 --frames 41 --t-end 2.0 --viscosity 0.001 -q -o "$folder/burgers.hdf5"
"$LTO" data generate navier-stokes -n 8 --seed 1 --resolutions 64 -q -o "$folder/navier_stokes.hdf5"

# What a run of a twin says of its steps.
train() { # twin, batch, samples, steps, launcher
  local twin=$1 batch=$2 samples=$3 steps=$4 run
  run=$(mktemp -d -p "$folder")
  shift 4
  "$@" -x LD_PRELOAD="$folder/all_reduce.so" "$LTO" train "configs/paper/$twin.toml" --data "$folder/$twin.hdf5" -q --threads 1 \
    -o "$run" --force --set data.samples="$samples" --set train.batch="$batch" --set train.steps="$steps" \
    --set train.validation.every=0 --set "data.split={ counts = { train = $((samples - 1)), validation = 0, test = 1 } }"
}
export -f train
export folder LTO

compare() { # twin, parameters, batch, samples, steps
  local here there
  here=$(train "$1" "$3" "$4" "$5" mpirun -n 2 --bind-to core)
  there=$(python3 bench/slow_network.py bash -c "train $1 $3 $4 $5 mpirun --host \$HOSTS -n 2 --bind-to none")
  python3 - "$1" "$(predicted "$2")" "$here" "$there" <<'P'
import re, sys
twin, network, here, there = sys.argv[1:]
step, summed = [float(x) for x in re.findall(r"([\d.]+) ms", here)[:2]]
# The barrier before each all-reduce is part of the measurement, and another message.
slow = -1 + float(re.findall(r"([\d.]+) ms a step", there)[0])
print(f"{twin}, one host:   {here}\n{twin}, two hosts:  {there}")
print(f"{twin}: {1e3 / step:.2f} steps/s on one host; on two {1e3 / slow:.2f}, predicted {1e3 / (step - summed + float(network)):.2f}")
P
}
for round in 1 2; do
  compare burgers 29395 16 32 60
  compare navier_stokes 1126211 4 8 30
done
