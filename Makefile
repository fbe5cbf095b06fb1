# The two commands of a newcomer are `make demo` and `make test`; `make help` lists the rest.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup build demo check test rust-check rust-test python-check python-test \
        nightly slow-tests lint wheel bench bench-check scaling \
        conformance accuracy accuracy-sample ablation findings-study validate fuzz docs man docs-tables docs-papers mutants reproductions \
        reproductions-full samples native release-check update licences clean

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
CARGO  ?= cargo

NATIVE_SOURCES := .cargo/config.toml Cargo.toml Cargo.lock pyproject.toml \
                  $(shell find ieee80211 parsers engine kernels bindings winf_analyzer/_schema -name '*.rs' -o -name '*.toml')
NATIVE_LIBRARY := libwinf_bindings.so
NATIVE_MODULE  := winf_analyzer/_core.abi3.so

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-15s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/.checked:
	@$(PYTHON) tools/check_toolchain.py --cargo "$(CARGO)"
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed: $(VENV)/.checked constraints.txt pyproject.toml
	@echo "Installing Python packages into $(VENV) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
	    duckdb jinja2 plotly polars rich typer maturin pytest pytest-xdist hypothesis perfetto playwright axe-playwright-python ruff mypy \
	    towncrier mkdocs-material
	@touch $@

# Puts the native module of one build in place; a running program keeps the file it has opened.
PLACE = cmp --quiet $(1)/$(NATIVE_LIBRARY) $(NATIVE_MODULE) || install $(1)/$(NATIVE_LIBRARY) $(NATIVE_MODULE)

$(VENV)/.built: $(VENV)/.installed $(NATIVE_SOURCES)
	@echo "Building the native module (release); the first time takes a few minutes ..."
	@PATH="$(CURDIR)/$(BIN):$$PATH" MATURIN_PEP517_ARGS=--locked $(BIN)/python -m pip install --quiet --disable-pip-version-check \
	    --no-build-isolation --no-deps --editable .
	@touch $@ $(VENV)/.linked

# The package and the program `winf` without a release build: what tests need.
$(VENV)/.linked: $(VENV)/.installed
	@echo "$(CURDIR)" > "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/winf_analyzer.pth"
	@printf '%s\n' '#!$(CURDIR)/$(BIN)/python' 'from winf_analyzer.cli import program' 'program()' > $(BIN)/winf
	@chmod +x $(BIN)/winf
	@touch $@

setup: $(VENV)/.installed ## virtual environment with every Python package

build: $(VENV)/.built ## native module in place, winf runnable from .venv/bin
	@$(call PLACE,target/release)

# The build of the Rust tests, whose features are those of the whole workspace: optimized, with checks.
native: $(VENV)/.linked
	@echo "Compiling what is tested; the first time takes some minutes ..."
	@$(CARGO) test --workspace --locked --quiet --no-run
	@$(call PLACE,target/debug/deps)

demo: build ## analyze the bundled sample and print where the report is
	@$(BIN)/winf demo -o demo --force

# Lint, Rust and Python side by side keep the processors busy to the end; what the first two print comes when they end.
SIDE_BY_SIDE = @$(MAKE) --no-print-directory --jobs 3 --output-sync=target
# One process more than processors: tests wait for programs, browsers and timers.
PYTEST       = $(BIN)/pytest -n $$(( $$(getconf _NPROCESSORS_ONLN) + 1 )) --dist worksteal

check: native ## two minutes: formatting, lint, types, and the tests that are not slow
	$(SIDE_BY_SIDE) lint rust-check python-check

test: native ## twelve minutes: the same and every test: the command line, the report in a browser, beside tshark
	@tools/install_test_tools.sh
	$(SIDE_BY_SIDE) lint rust-test python-test

# MAKEFLAGS names a job server that only make's own recipes can use; cargo would warn of it.
rust-check: native
	@MAKEFLAGS= $(CARGO) test --workspace --lib --tests --locked --quiet

rust-test: native
	@MAKEFLAGS= $(CARGO) test --workspace --locked --quiet

# `+`: its progress is seen while it runs.
python-check: native
	+@$(PYTEST) -m "not slow and not nightly" --hypothesis-profile check

python-test: native
	+@$(PYTEST)

nightly: test ## hours: every octet of every sample damaged, long properties, wheel, conformance, fuzzing
	@tools/nightly.sh

slow-tests: native ## measures every test, and lists the slow ones that `make check` leaves out
	@$(BIN)/python tools/slow_tests.py

lint: native ## formatting, clippy, ruff, types, and the native module's stub
	@MAKEFLAGS= tools/lint.sh

wheel: $(VENV)/.installed ## abi3 wheel in dist/, and the tests against it
	@$(BIN)/maturin build --release --locked --quiet --out dist
	@tools/test_wheel.sh

release-check: $(VENV)/.installed ## a release rehearsed: version, changelog, wheel, sdist, and the demo from the wheel
	@tools/release_check.sh

update: ## newest versions of everything pinned
	@tools/update.sh

licences: setup ## docs/licences.md made again from the lock files
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt ray
	@$(BIN)/python tools/licences.py

bench: build ## five minutes: speed and memory beside tshark, mawk and ns-3, each in one run
	@rm -f target/bench.json
	@$(BIN)/python -m benchmarks.speed
	@$(BIN)/python -m benchmarks.replay.speed

bench-check: ## what `make bench` measured beside the last release: names what fell by more than 15 %
	@$(PYTHON) -m benchmarks.ratios

scaling: build ## time and memory with more stations and files; goes on where it stopped (an hour on two cores)
	@$(BIN)/python -m benchmarks.scaling -o target/scaling.ndjson

conformance: build ## every frame of every capture at hand beside tshark
	@$(BIN)/python -m tests.conformance

accuracy: build ## ns-3 and ns-2 runs beside every estimator, into docs/accuracy.md (an hour on two cores)
	@$(BIN)/python -m benchmarks.accuracy

accuracy-sample: build ## the same of a fixed sample of the runs (ten minutes)
	@$(BIN)/python -m benchmarks.accuracy --sample

ablation: build ## the saturation model without each of its rules, into docs/rules.md (an hour; CAPTURES=folder as below)
	@$(BIN)/python -m benchmarks.accuracy.ablation $(if $(CAPTURES),--captures $(CAPTURES))

findings-study: build ## ns-3 with and without each cause, into docs/findings.md (CAPTURES=folder counts real recordings)
	@$(BIN)/python -m benchmarks.findings $(if $(CAPTURES),--captures $(CAPTURES))

validate: build ## backlogged spells of real recordings, into docs/accuracy.md (CAPTURES=folder)
	@$(BIN)/python -m benchmarks.accuracy.validation $(CAPTURES)

fuzz: ## ten minutes of fuzzing per parser (needs cargo-fuzz and a nightly Rust)
	@fuzz/run.sh 600

docs: build ## the documentation as a site, in build/site, which opens without a network
	@PYTHONPATH=. NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "build/site/index.html"

man: build ## man pages of the commands, in build/man
	@PYTHONPATH=. $(BIN)/python tools/man_pages.py build/man

docs-tables: build ## docs/tables.md from the schemas
	@$(BIN)/python tools/document_tables.py

docs-papers: build ## docs/papers from the register of the papers
	@PYTHONPATH=. $(BIN)/python tools/document_papers.py

reproductions: build ## quick results of every reproduction into the package, made again (minutes)
	@$(BIN)/winf reproduce --all --quick -o build/reproductions
	@cp build/reproductions/*.json winf_analyzer/_papers/results/

reproductions-full: build ## the same at the papers' length and repetitions, taken up again where it stopped (hours)
	@$(BIN)/python tools/full_results.py

mutants: native ## what the papers print, broken item by item: every mutant must fail a test (some minutes)
	@$(BIN)/python tools/mutants.py

samples: ## make sample_captures/ again with ns-2 and ns-3
	@sample_captures/generate/make_all.sh

clean: ## remove everything that was built
	@rm -rf $(VENV) target build dist demo winf_analyzer/*.so .pytest_cache .mypy_cache .ruff_cache .hypothesis
