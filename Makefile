# Every target sets up .venv by itself; nothing else has to be installed first
# but Python 3.11 or newer with its venv module (Debian: python3-venv).

PYTHON3 ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
PYTEST_ARGS ?=
RUN_ARGS ?=
BENCH_ARGS ?=

.PHONY: run test lint format bench screenshots faults fuzz soak bundle pipx-check clean

run: $(STAMP)
	$(BIN)/lmkl-pad $(RUN_ARGS)

# The linters take seconds, so the one command that CI runs covers them too.
test: lint
	$(BIN)/python -m pytest $(PYTEST_ARGS)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP)
	$(BIN)/python -m benchmarks $(BENCH_ARGS)

# The README's pictures, from the running app.
screenshots: $(STAMP)
	$(BIN)/python -m app.qt.screenshots --readme assets/screenshots

# The table in docs/faults.md, from the tests that inject the faults.
faults: $(STAMP)
	$(BIN)/python -m pytest tests -m fault --fault-table=docs/faults.md $(PYTEST_ARGS)

# Hostile files by the hundred thousand; the suite tries some thousands of them.
fuzz: $(STAMP)
	$(BIN)/python -m tests.fuzzing $(FUZZ_ARGS)

# The whole program for an hour: memory, threads, timers, files, speed.
soak: $(STAMP)
	$(BIN)/python -m benchmarks soak $(SOAK_ARGS)

# One folder in dist/ that starts where there is no Python.
bundle: $(STAMP)
	$(BIN)/python -m pip install --quiet --editable '.[bundle]'
	$(BIN)/python -m bundling $(BUNDLE_ARGS)

# pipx install from the wheel and from this folder, in a home of its own (14 GB for a while).
pipx-check: $(STAMP)
	$(BIN)/python -m bundling.pipx_check

# The pages of docs/ and the API reference as a website: open site/index.html through a web server,
# or let `.venv/bin/mkdocs serve` show it.
.PHONY: docs
docs: $(STAMP)
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

clean:
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamp is written last: an interrupted installation starts again.
$(STAMP): pyproject.toml
	@$(PYTHON3) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "lmkl-pad needs Python 3.11 or newer: make PYTHON3=/path/to/python3 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON3) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@
