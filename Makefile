# Every target sets up its environment by itself; nothing else has to be installed first
# but Python 3.11 or newer with its venv module (Debian: python3-venv).
#
#   .venv      what people install, in the versions of requirements.lock: no torch
#   .venv-dev  everything, in the newest versions: torch, linters, packages to compare with

PYTHON3 ?= python3
BIN := .venv/bin
DEV := .venv-dev/bin
LIGHT := .venv/.installed
TESTING := .venv/.testing
FULL := .venv-dev/.installed
LIGHT_ARGS ?=
PYTEST_ARGS ?=
RUN_ARGS ?=
BENCH_ARGS ?=
FIGURES_ARGS ?=

# A new worker would begin with the test that ended the last one.
ON_ALL_CORES := --numprocesses auto --dist loadfile --max-worker-restart 0

# The tests start hundreds of processes, which would each compile our modules again.
unexport PYTHONDONTWRITEBYTECODE

# uv installs in a third of pip's time; where it is not to be had or reaches no index, pip does it.
install = echo "Installing $(2)"; $(1)/uv pip install --quiet --python $(1)/python $(2) \
	|| $(1)/python -m pip install --quiet $(2)

.PHONY: run test fast light lint format bench figures screenshots faults fuzz soak mutation bundle pipx-check size lock docs clean

run: $(LIGHT)
	$(BIN)/lmkl-pad $(RUN_ARGS)

# The linters take seconds, so the one command that CI runs covers them too.
test: lint light
	$(DEV)/python -m pytest $(ON_ALL_CORES) $(PYTEST_ARGS)

# After every save, in under a minute on two cores: library, session and models, without window,
# network or child processes.
FAST := tests/core tests/app/session tests/app/models
NOT_FAST := tests/core/system tests/core/test_selection.py tests/core/test_selection_dask.py \
	tests/core/test_estimator_sklearn.py tests/core/model_file \
	tests/core/solver/test_branch.py tests/core/solver/test_solver_oracles.py

fast: $(FULL)
	$(DEV)/python -m pytest -q $(ON_ALL_CORES) $(FAST) \
		$(NOT_FAST:%=--ignore=%) -k "not process" $(PYTEST_ARGS)

# What has to work without torch, where there is no torch.
light: $(TESTING)
	$(BIN)/python -m pytest $(ON_ALL_CORES) -m light $(LIGHT_ARGS)

lint: $(FULL)
	$(DEV)/ruff check .
	$(DEV)/ruff format --check .
	$(DEV)/mypy

format: $(FULL)
	$(DEV)/ruff check --fix .
	$(DEV)/ruff format .

bench: $(FULL)
	$(DEV)/python -m benchmarks $(BENCH_ARGS)

# docs/measurements.md, from the benchmarks on the present code.
figures: $(FULL)
	$(DEV)/python -m benchmarks figures $(FIGURES_ARGS)

# The pictures of README and guide, from the running app.
screenshots: $(FULL)
	$(DEV)/python -m tools.screenshots --guide assets/screenshots
	$(DEV)/python -m tools.screenshots --film assets/screenshots

# The table in docs/faults.md, from the tests that inject the faults.
faults: $(FULL)
	$(DEV)/python -m pytest tests -m fault --fault-table=docs/faults.md $(PYTEST_ARGS)

# Hostile files by the hundred thousand; the suite tries some thousands of them.
fuzz: $(FULL)
	$(DEV)/python -m tools.fuzzing $(FUZZ_ARGS)

# The whole program for an hour: memory, threads, timers, files, speed.
soak: $(FULL)
	$(DEV)/python -m benchmarks soak $(SOAK_ARGS)

# How many of a fixed sample of changed lines the tests notice (CONTRIBUTING.md).
mutation: $(FULL)
	@$(call install,$(DEV),mutmut)
	PATH="$(CURDIR)/$(DEV):$$PATH" python -m tools.mutation $(MUTATION_ARGS)

# One folder in dist/ that starts where there is no Python.
bundle: $(LIGHT)
	@$(call install,$(BIN),--editable '.[bundle]')
	$(BIN)/python -m bundling $(BUNDLE_ARGS)

# pipx install from the wheel and from this folder, in a home of its own (3 GB for a while).
pipx-check: $(LIGHT)
	$(BIN)/python -m bundling.pipx_check

# What an installation downloads and how much room it takes, by package.
size: $(LIGHT)
	$(BIN)/python -m bundling.size

# requirements.lock with the newest versions that pyproject.toml allows, for every system.
lock: $(LIGHT)
	$(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
		--no-emit-index-url --custom-compile-command 'make lock' \
		--output-file requirements.lock pyproject.toml

# The pages of docs/ and the API reference as a website: open site/index.html through a web server,
# or let `.venv/bin/mkdocs serve` show it.
docs: $(LIGHT)
	@$(call install,$(BIN),--editable '.[docs]')
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

clean:
	rm -rf .venv .venv-dev build dist site *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps are written last: an interrupted installation starts again.
$(LIGHT): pyproject.toml requirements.lock
	$(call make_venv,.venv)
	@$(call install,$(BIN),--requirement requirements.lock)
	@$(call install,$(BIN),--no-deps --editable .)
	@touch $@

# Tests start many processes, so everything is compiled ahead; `make run` compiles what it loads.
$(TESTING) $(FULL): export UV_COMPILE_BYTECODE = 1

$(TESTING): $(LIGHT)
	@$(call install,$(BIN),--editable '.[test]')
	@touch $@

$(FULL): pyproject.toml
	$(call make_venv,.venv-dev)
	@$(call install,$(DEV),--editable '.[dev]')
	@touch $@

define make_venv
	@$(PYTHON3) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "lmkl-pad needs Python 3.11 or newer: make PYTHON3=/path/to/python3 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON3) -m venv --clear $(1)
	-@$(1)/bin/python -m pip install --quiet uv
endef
