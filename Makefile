# `make play` needs Python 3.11 or newer and nothing else; everything is installed into .venv, pinned by constraints.txt.

PYTHON ?= python3
WORLD ?= seed
JOBS ?= 2
OUT ?= explorer.jsonl

BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet install --constraint constraints.txt
NEEDED := pyproject.toml constraints.txt

.DEFAULT_GOAL := help
.PHONY: help play test test-llm llm-report lint fix sweep bench explorer-report docs wheel clean

help:
	@echo 'make play [WORLD=7]   set up .venv and watch an agent learn a world'
	@echo 'make test             lint, types, import layers and all tests'
	@echo 'make test-llm         play with a small real language model, fetched once (490 MB)'
	@echo 'make llm-report       how two small models fare beside players without one (by hand, an hour)'
	@echo 'make sweep            build and check 10,000 worlds over the recipes'
	@echo 'make bench            measure how fast worlds are built and stepped here'
	@echo 'make docs             run the commands that the documentation shows, and renew their output'
	@echo 'make explorer-report   the figures of the explorer, kept in $(OUT); runs on where it stopped [WORLDS=5 for a few]'
	@echo 'make wheel            build dist/*.whl'
	@echo 'make fix              mend what ruff can mend'
	@echo 'PYTHON=python3.12 says which Python to use.'

play: .venv/.core
	@$(BIN)/sandbox play --world '$(WORLD)'

sweep: .venv/.test
	@for recipe in tiny small nonce default; do \
	    echo "$$recipe/0 … $$recipe/2499"; \
	    $(BIN)/sandbox worlds check --recipe "$$recipe" --range 0-2499 --jobs $(JOBS) || exit $$?; \
	done
	$(BIN)/python -m pytest -m sweep --numprocesses $(JOBS) --timeout 3600

bench: .venv/.core
	@$(BIN)/sandbox bench

explorer-report: .venv/.core
	@$(BIN)/python -m scripts.explorer --jobs $(JOBS) --out $(OUT) $(if $(WORLDS),--worlds $(WORLDS))

test: lint
	$(BIN)/python -m pytest --numprocesses $(JOBS)

test-llm: .venv/.llm
	$(BIN)/python -m pytest -m llm tests/llm

llm-report: .venv/.llm
	$(BIN)/python -m scripts.llm_report --episodes $(or $(EPISODES),10)

lint: .venv/.test
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo

fix: .venv/.test
	$(BIN)/ruff check --fix

docs: .venv/.test
	$(BIN)/python -m scripts.docs

wheel: .venv/.test
	$(BIN)/python -m build --no-isolation --wheel

clean:
	rm -rf .venv dist build .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis

# A stamp is newer than what it was made from, so that the second run installs nothing.
.venv/.core: .venv/.python $(NEEDED)
	@echo 'Installing the sandbox into .venv (once) …'
	@$(PIP) --editable .
	@touch $@

.venv/.test: .venv/.python $(NEEDED)
	@echo 'Installing what the tests need into .venv (once) …'
	@$(PIP) --editable '.[test]'
	@touch $@ .venv/.core

.venv/.llm: .venv/.test
	@$(PIP) --editable '.[test,local]'
	@touch $@

# The first of these that is new enough makes the environment.
.venv/.python:
	@for python in '$(PYTHON)' python3.13 python3.12 python3.11; do \
	    "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
	    "$$python" -m venv .venv && touch $@ && exit 0; \
	    echo "error: $$python cannot make a virtual environment (on Debian: apt install python3-venv)" >&2; \
	    exit 1; \
	done; \
	found=$$('$(PYTHON)' --version 2>/dev/null || echo 'not there'); \
	echo "error: Python 3.11 or newer is needed, and '$(PYTHON)' is $$found" >&2; \
	echo "  name one: make play PYTHON=/path/to/python3.12" >&2; \
	exit 1
