# Two commands do all the set-up: `make demo` and `make test`. Both need Python 3.11 or newer and a package index.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint bench clean

demo: $(READY)  ## a small model's answers, checked and corrected by tools
	$(BIN)/redraft demo

test: $(READY)  ## all tests; those that need the shared data sets are skipped where these are absent
	$(BIN)/python -m pytest

lint: $(READY)  ## style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright --pythonpath $(BIN)/python

bench: $(READY)  ## figures on recorded data and generated questions
	$(BIN)/python -m benchmarks.run

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[local,anthropic,bedrock,google,documents,tables,sandbox,search,privacy,entailment]' --group dev
	touch $(READY)

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .hypothesis
