# Every target sets itself up on a machine that has git, make and Python 3.11 or newer; the second time is quick.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	command -v $$p >/dev/null && $$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready

.PHONY: help demo test check e2e bench format lock clean

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(READY): requirements/dev.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer with venv is needed (Debian: apt-get install python3-venv)"; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV) with $$($(BIN)/python --version)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(READY) ## a worse and an unchanged pull request, on this machine alone
	@$(BIN)/gate demo

test: $(READY) ## the tests that need no container engine
	@$(BIN)/python -m pytest -q -n 2 --dist loadgroup tests --ignore tests/e2e

check: $(READY) ## linters, types, what GitHub reads, and the import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/zizmor --offline --no-progress --quiet .github/workflows gate/cli/templates action.yml
	$(BIN)/actionlint
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(BIN)/hadolint Dockerfile

e2e: $(READY) ## the real container under a real runner against a GitHub that checks every request
	@$(BIN)/python -m tests.support.engine prepare
	@$(BIN)/python -m pytest -q tests/e2e

bench: $(READY) ## ratios that must hold, measured in one run
	$(BIN)/python benchmarks/compare_large.py
	$(BIN)/python benchmarks/start_up.py
	$(BIN)/python benchmarks/plugin_overhead.py

format: $(READY) ## mend what ruff can mend
	$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

lock: $(READY) ## resolve the development dependencies anew
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header \
		--group dev --all-extras pyproject.toml -o requirements/dev.txt

clean: ## remove what the targets made
	rm -rf $(VENV) build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
