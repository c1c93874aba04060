# Everything runs in .venv, which the targets make themselves. For another Python beside it:
# make test PYTHON=python3.13 VENV=.venv-3.13
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip --disable-pip-version-check --quiet
SOURCES := runner demo tests bench
WORKFLOWS = $(wildcard $(addsuffix /*.yml,.github/workflows docs/workflows templates/init/.github/workflows))

.DEFAULT_GOAL := help
.PHONY: help install format lint workflows types test golden docs demo bench bench-signals bench-judge bench-attribution bench-gates bench-kappa check lock

help:  ## list the targets
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  %-15s %s\n", $$1, $$2}'

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; name one with: make PYTHON=python3.12 ..."; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/runtime: requirements/runtime.txt | $(BIN)/python
	@echo "Setting up $(VENV) (once) ..."
	@$(PIP) install --require-hashes -r $<
	@touch $@

$(VENV)/dev: requirements/dev.txt pyproject.toml $(VENV)/runtime | $(BIN)/python
	@echo "Setting up the tools of the tests (once) ..."
	@$(PIP) install --require-hashes -r $<
	@$(PIP) install --no-deps --editable .
	@touch $@

install: $(VENV)/dev  ## set up .venv with the program, the tools and the commit hooks
	@if [ -d .git ]; then $(BIN)/pre-commit install >/dev/null; fi

format: $(VENV)/dev  ## rewrite the code in the project's format
	$(BIN)/ruff check --fix-only --quiet $(SOURCES)
	$(BIN)/ruff format --quiet $(SOURCES)

lint: $(VENV)/dev workflows  ## check style, format and workflows
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check --quiet $(SOURCES)
	$(BIN)/codespell
	$(BIN)/shellcheck .ci/run

workflows: $(VENV)/dev  ## check action.yml and every workflow: ours, the documented and the template
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-actions action.yml
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.github-workflows $(WORKFLOWS)
	$(BIN)/check-jsonschema --quiet --builtin-schema vendor.dependabot .github/dependabot.yml
	$(BIN)/zizmor --offline --quiet --config .github/zizmor.yml action.yml .github/dependabot.yml $(WORKFLOWS)
	$(BIN)/jactionlint --shellcheck=$(BIN)/shellcheck $(WORKFLOWS) .github/dependabot.yml

types: $(VENV)/dev  ## check the types
	$(BIN)/mypy

test: $(VENV)/dev  ## run the tests under coverage; TESTS=tests/unit runs a part
	$(BIN)/pytest -q --cov --cov-report=term $(TESTS)

golden: $(VENV)/dev  ## rewrite the golden files; read them in the diff
	GOLDEN=write $(BIN)/pytest -q tests/golden

docs: $(VENV)/dev  ## rewrite what is generated: reference pages, tables, schemas
	$(BIN)/python -m runner.docs

demo: $(VENV)/runtime  ## evaluate the embedded RAG service over HTTP
	@$(BIN)/python -m demo.quickstart

bench: $(VENV)/dev  ## measure speed, as ratios within one run
	$(BIN)/python -m bench

bench-signals: $(VENV)/dev  ## measure grounding signals and refusal detection on labelled data
	$(BIN)/python bench/signals.py

bench-judge: $(VENV)/dev  ## measure a judge against labels by people: make bench-judge JUDGE=judge.yaml LIMIT=50
	$(BIN)/python bench/judging.py $(JUDGE) $(if $(LIMIT),--limit $(LIMIT))

bench-attribution: $(VENV)/dev  ## show which cause seeded faults are charged to, on labelled data
	$(BIN)/python -m bench.attribution

bench-gates: $(VENV)/dev  ## simulate false alarms of gates on drops, and what they detect
	$(BIN)/python -m bench.gates

bench-kappa: $(VENV)/dev  ## simulate how exactly a number of labels measures a judge
	$(BIN)/python -m bench.kappa

check: lint types test  ## lint, types and test, before a commit

lock: $(VENV)/dev  ## pin every package again, with hashes
	$(PIP) install pip-tools
	$(BIN)/pip-compile -q --upgrade --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-header --strip-extras --allow-unsafe -o requirements/runtime.txt pyproject.toml
	$(BIN)/pip-compile -q --upgrade --generate-hashes --no-emit-index-url --no-emit-trusted-host --no-emit-find-links --no-header --strip-extras --allow-unsafe -o requirements/dev.txt requirements/dev.in pyproject.toml
