#!/usr/bin/env bash
# Peak memory and time of reading records: ten times the rows in the same memory, inspected and trained on. ROWS: how many,
# separated by spaces.
set -euo pipefail
cd "$(dirname "$0")/.."
rows=${ROWS:-10000000 100000000}
folder=${FOLDER:-$(mktemp -d)}
lto=${LTO:-}
if [ -z "$lto" ]; then
    cargo build --quiet --release -p lto-cli
    lto=${CARGO_TARGET_DIR:-target}/release/lto
fi
export TMPDIR=$folder
cat > "$folder/config.toml" <<CONFIG
[data]
records = { stations = "$folder/places.csv", noise = [0.2] }
time_period = 24.0
cache_mb = 64
calendar = [24.0]
anomalies = true
split = { records = { validation = 0.0, test = 0.2, stations = 0.1 } }

[model]
kind = "twin"
latent_points = 16
latent_channels = 4
output = "gated"
source = "best_linear"
encoder = { kind = "set_conv", hidden = 8, length_scale = { layout = 0.5 }, estimate = true }
evolution = { kind = "residual", width = 8 }
decoder = { hidden = 16, interpolation = "cubic" }

[train]
batch = 2
steps = 2
pairs = { max_steps = 24 }

[train.context]
fraction = [0.5, 1.0]
designs = { random = 1.0 }

[train.objective]
reconstruction_weight = 0.0

[train.validation]
every = 0
leads = [1]
samples = 2
CONFIG
measure() { /usr/bin/time -f "$1: %M kB, %U s of processor time, %e s" "${@:2}"; }
for n in $rows; do
    file=$folder/readings_$n.csv
    [ -f "$file" ] || python3 bench/records.py --rows "$n" --folder "$folder"
    measure "$n rows inspected" "$lto" data inspect "$file" --stations "$folder/places.csv" --json > "$folder/inspection_$n.json"
    python3 -c "
import json, sys
found = json.load(open(sys.argv[1]))
print(found['n_rows'], 'rows', found['times']['count'], 'times', len(found['stations']), 'stations',
      'noise', round(found['variables'][0]['noise'], 3))" "$folder/inspection_$n.json"
    measure "$n rows trained on" "$lto" train "$folder/config.toml" --data "$file" -o "$folder/run_$n" --force --quiet
done
