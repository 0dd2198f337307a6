#!/usr/bin/env bash
# Installs PyTorch, neuraloperator and what ONNX needs into an environment: torch_cpu.sh ENVIRONMENT. The wheels of PyTorch for Linux depend on 2.3 GB of CUDA that
# tests on processors never call, but without which `import torch` fails. So the wheel (0.5 GB) is installed alone, and beside
# its libraries one that has the names they ask CUDA for; each of its functions returns 100, "there is no device".
set -euo pipefail
env=$1
pip=("$env/bin/pip" install --quiet --disable-pip-version-check)
"${pip[@]}" onnx onnxruntime onnxscript safetensors filelock fsspec jinja2 networkx 'setuptools>=77' sympy 'typing-extensions>=4.13'
"${pip[@]}" --no-deps 'torch>=2.7,<2.16'
# The peer of the third notebook; with its own dependencies it would ask for CUDA again.
"${pip[@]}" h5py matplotlib opt-einsum ruamel-yaml scipy wandb zencfg configmypy
"${pip[@]}" --no-deps neuraloperator tensorly tensorly-torch
cd "$("$env/bin/python" -c 'import importlib.util as u; print(u.find_spec("torch").submodule_search_locations[0])')/lib"
needed=$(readelf -d ./*.so | grep -oE 'NEEDED.*\[lib(cu|nccl|nv)[^]]*' | sed 's/.*\[//' | sort -u)
if [ -n "$needed" ]; then
  work=$(mktemp -d)
  trap 'rm -r "$work"' EXIT
  # Lines such as cublasCreate_v2@libcublas.so.13: a function, and the version of it that is asked for.
  nm -D --undefined-only ./*.so ../*.so | awk '$1 == "U" { print $2 }' | grep -E '^(__cuda|cu[a-zA-Z]|nccl|nv)' | sort -u > "$work/functions"
  awk -F@ '{ print "int " $1 "(void) { return 100; }" }' "$work/functions" | sort -u > "$work/none.c"
  awk -F@ 'NF > 1 { of[$NF] = of[$NF] " " $1 ";" } END { for (v in of) print v " {" of[v] " };" }' "$work/functions" > "$work/none.map"
  gcc -w -shared -fPIC -Wl,--version-script="$work/none.map" -o libnone.so "$work/none.c"
  for name in $needed; do ln -sf libnone.so "$name"; done
fi
