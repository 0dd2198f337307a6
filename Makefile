# `make check`, `make python` and `make page` are what continuous integration runs; `make demo` ends in a report, `make pictures` in pictures of data.
LTO := cargo run --quiet --release --bin lto --

.PHONY: cluster gpu check fmt clippy test doc python page wheel fuzz certify-check demo pictures bench results

check: fmt clippy test doc

fmt:
	cargo fmt --all --check

clippy:
	cargo clippy --workspace --all-targets --locked -- -D warnings

# Includes the checks that paths named in the documents exist and that modules only depend downwards.
test:
	cargo test --workspace --locked

doc:
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

# The Python package as a user has it: a wheel in an empty environment, its tests, types and notebooks. Built like the tests of
# `check`, which compiles quickly; PROFILE=release is the wheel to give away, which `make wheel` builds. TORCH=no spares half a
# gigabyte of PyTorch, and its tests.
PYTHON ?= python3
PROFILE ?= dev
TORCH ?= yes
WHEELS := target/wheels
ENV := target/python
MATURIN := target/builder/bin/maturin
PIP_INSTALL := pip install --quiet --disable-pip-version-check
python: $(MATURIN)
	cargo build --locked --profile $(PROFILE) --bin lto
	rm -rf $(WHEELS)
	cd python && ../$(MATURIN) build --locked --profile $(PROFILE) --out ../$(WHEELS)
	$(PYTHON) -m venv --clear $(ENV)
	$(ENV)/bin/$(PIP_INSTALL) "$$(ls $(WHEELS)/*.whl)[test]"
	test $(TORCH) = no || bash python/tests/torch_cpu.sh $(ENV)
	LTO_PROGRAM=$${CARGO_TARGET_DIR:-$(CURDIR)/target}/$(PROFILE:dev=debug)/lto $(ENV)/bin/pytest python
	cd python && ../$(ENV)/bin/mypy $$(../$(ENV)/bin/python -c 'import torch' 2>/dev/null || echo --exclude torch)
	$(ENV)/bin/stubtest lto._lto --ignore-disjoint-bases

wheel: $(MATURIN)
	cd python && ../$(MATURIN) build --locked --release --out ../$(WHEELS)

$(MATURIN):
	$(PYTHON) -m venv --clear target/builder
	target/builder/bin/$(PIP_INSTALL) 'maturin>=1.10,<2'

# The page of `lto serve`: types, whether the built files are those of the sources, and tests in a browser, against a mock of the
# service and against the service itself.
CHROMIUM ?= $(shell command -v chromium || command -v chromium-browser || command -v google-chrome)
page:
	cd web && PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 npm ci --silent --no-fund --no-audit
	cd web && npm run --silent check && npm run --silent compare
	if [ -n "$$LTO_NO_BROWSER" ] || [ -z "$(CHROMIUM)" ]; then \
	  echo "no browser: the page is built and checked, but not looked at"; \
	else \
	  cargo build --locked --bin lto && cd web && CHROMIUM="$(CHROMIUM)" npm test --silent && \
	  LTO_PROGRAM=$${CARGO_TARGET_DIR:-$(CURDIR)/target}/debug/lto CHROMIUM="$(CHROMIUM)" npm test --silent; \
	fi

# Several processes under mpirun (needs an MPI and libclang).
cluster:
	cargo test --workspace --locked --features lto-cli/mpi --test mpi

# Models on a graphics card (needs a driver; Debian's mesa-vulkan-drivers has one that needs no card).
gpu:
	cargo test --workspace --locked --features lto-cli/gpu --test gpu

# A hundred thousand random states and layouts against their certificates; `test` has six hundred of them.
certify-check:
	cargo test -p lto-numerics --locked --test theory -- --ignored --nocapture hundred_thousand

# Damaged files of every kind for a minute; FUZZ_SECONDS=600 for longer. Prints how to repeat what it finds.
fuzz:
	cargo run --quiet -p lto --locked --example fuzz

demo:
	$(LTO) demo -o demo

pictures:
	mkdir -p demo
	$(LTO) data generate burgers -n 4 --seed 7 --force -o demo/burgers.hdf5
	$(LTO) data generate navier-stokes -n 2 --seed 7 --force -o demo/navier_stokes.hdf5
	$(LTO) data inspect demo/navier_stokes.hdf5
	$(LTO) data plot demo/burgers.hdf5 --sample 0 -o demo/burgers.png
	$(LTO) data plot demo/navier_stokes.hdf5 --sample 0 -o demo/navier_stokes.png
	@echo "Pictures: demo/burgers.png demo/navier_stokes.png"

# The tables of docs/results.md that evaluations in results/ say, made anew.
results:
	cargo build --quiet --release --bin lto
	PATH="$(CURDIR)/target/release:$$PATH" awk -f docs/tables.awk docs/results.md > target/results.md
	mv target/results.md docs/results.md

# Timings against NumPy, SciPy and PyTorch in one run each; see docs/benchmarks.md.
bench:
	bash bench/setconv.sh
	bash bench/darcy.sh
	bash bench/navier_stokes.sh
	bash bench/twin.sh
	bash bench/baselines.sh
	bash bench/python.sh
	cargo run --release -p lto-numerics --example navier_stokes -- error
	cargo run --release -p lto-numerics --example bench_pde -- heat advection burgers
