# Two commands do all the set-up: `make demo` and `make test`. Both need Python 3.11 or newer and a package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint bench clean

demo: $(VENV)/.ready  ## a small model's answers, checked and corrected by tools
	$(BIN)/redraft demo

test: $(VENV)/.dev  ## all tests; those that need the shared data sets are skipped where these are absent
	$(BIN)/python -m pytest

lint: $(VENV)/.dev  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python

bench: $(VENV)/.dev  ## figures on recorded data and generated questions
	$(BIN)/python benchmarks/run.py

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.ready: $(BIN)/python pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[local,tables,documents,sandbox]'
	touch $@

$(VENV)/.dev: $(VENV)/.ready
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[anthropic,bedrock,google,search,privacy,safety,mcp,e2b,modal,entailment,postgres,telemetry,viewer,lab]' --group dev
	touch $@

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis
