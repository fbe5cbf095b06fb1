# The two commands of a newcomer are `make demo` and `make test`; `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup build demo test lint wheel bench conformance accuracy fuzz docs-tables samples clean

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CARGO  ?= cargo

NATIVE_SOURCES := Cargo.toml Cargo.lock pyproject.toml \
                  $(shell find ieee80211 parsers engine kernels bindings winf_analyzer/_schema -name '*.rs' -o -name '*.toml')

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/.checked:
	@$(PYTHON) tools/check_toolchain.py --cargo "$(CARGO)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.checked constraints.txt pyproject.toml
	@echo "Installing Python packages into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
	    duckdb jinja2 plotly polars rich typer maturin pytest hypothesis playwright ruff mypy
	@touch $@

$(VENV)/.built: $(VENV)/.installed $(NATIVE_SOURCES)
	@echo "Building the native module (release); the first time takes a few minutes ..."
	@PATH="$(CURDIR)/$(BIN):$$PATH" MATURIN_PEP517_ARGS=--locked $(BIN)/python -m pip install --quiet --disable-pip-version-check \
	    --no-build-isolation --no-deps --editable .
	@touch $@

setup: $(VENV)/.installed ## virtual environment with every Python package

build: $(VENV)/.built ## native module in place, winf runnable from .venv/bin

demo: build ## analyze the bundled sample and print where the report is
	@$(BIN)/winf demo -o demo --force

test: build ## every test: Rust, Python, the command line, the report in a browser
	@tools/test.sh

lint: build ## formatting, clippy, ruff, types, and the native module's stub
	@$(CARGO) fmt --all --check
	@$(CARGO) clippy --workspace --all-targets --locked --quiet -- -D warnings
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/python -m mypy.stubtest winf_analyzer._core

wheel: $(VENV)/.installed ## abi3 wheel in dist/, and the tests against it
	@$(BIN)/maturin build --release --locked --quiet --out dist
	@tools/test_wheel.sh

bench: build ## speed and memory beside tshark, mawk and ns-3, each in one run
	@$(BIN)/python -m benchmarks.speed
	@$(BIN)/python -m benchmarks.replay.speed

conformance: build ## every frame of every capture at hand beside tshark
	@$(BIN)/python -m tests.conformance

accuracy: build ## ns-3 scenarios beside every estimator, into docs/accuracy.md (half an hour on two cores)
	@$(BIN)/python -m benchmarks.accuracy

fuzz: ## ten minutes of fuzzing per parser (needs cargo-fuzz and a nightly Rust)
	@fuzz/run.sh 600

docs-tables: build ## docs/tables.md from the schemas
	@$(BIN)/python tools/document_tables.py

samples: ## make sample_captures/ again with ns-2 and ns-3
	@sample_captures/generate/make_all.sh

clean: ## remove everything that was built
	@rm -rf $(VENV) target dist demo winf_analyzer/*.so .pytest_cache .mypy_cache .ruff_cache .hypothesis
