# The two main commands are `make run` and `make test`. Both set up .venv the first time.
PYTHON ?= python3
PORT := 8000
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: help run test lint audit bench e2e soak lock pictures screenshots messages clean

help:
	@echo "make run       start the server; make run PORT=8001 chooses another port"
	@echo "make test      run all tests"
	@echo "make lint      ruff, mypy --strict, import rules, secrets, known vulnerabilities"
	@echo "make audit     known vulnerabilities only; fails if the database can't be reached"
	@echo "make bench     run all benchmarks and write docs/benchmarks.md"
	@echo "make e2e       run the browser tests only"
	@echo "make soak      run the long tests"
	@echo "make messages  update the translations"
	@echo "make pictures  redraw the pictures in docs/"
	@echo "make screenshots   retake the screenshots in docs/"
	@echo "make lock      update the locked dependencies in locks/"

run: $(VENV)/.run
	@$(BIN)/marrakech-server run --port $(PORT)

test: $(VENV)/.dev
	$(BIN)/python -m pytest

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	git ls-files -z | xargs -0 $(BIN)/detect-secrets-hook --no-verify --exclude-secrets '$(EXAMPLE_SECRETS)' --
	@if $(BIN)/python -c 'import requests; requests.get("https://api.osv.dev", timeout=5)' 2>/dev/null; \
		then $(AUDIT); else echo "api.osv.dev can't be reached: skipped the check for known vulnerabilities."; fi

audit: $(VENV)/.dev
	$(AUDIT)

# Not pip-audit's default service: a PyPI mirror without vulnerability data would look like a clean result.
AUDIT := $(BIN)/pip-audit -r locks/dev.txt --disable-pip -s osv --progress-spinner off
# Passwords in examples and tests. Mark any other false alarm with "pragma: allowlist secret" on its line.
EXAMPLE_SECRETS := ^(password|app-password|open-sesame|open%2Fsesame|a%2Fb|the-new-key-.*|a-key-that-the-host-has-set|always the same evening|000102030405060708090a0b0c0d0e0f[0-9a-f]*)$$

bench: $(VENV)/.dev
	$(BIN)/python -m bench

e2e: $(VENV)/.dev
	$(BIN)/python -m pytest tests/browser

# Each number can be changed: make soak SOAK_GAMES=8 SOAK_KILLS=5. docs/durability.md explains them.
soak: export SOAK_GAMES ?= 32
soak: export SOAK_KILLS ?= 20
soak: export SOAK_ROUNDS ?= 10
soak: export SOAK_FLOOD_SECONDS ?= 60
soak: $(VENV)/.dev
	$(BIN)/python -m pytest -n 0 tests/durability
	$(BIN)/python -m pytest -n 0 -m databases tests/mail
	$(BIN)/python -m pytest --hypothesis-profile=soak tests/engine tests/fuzz
	$(BIN)/python -m pytest -n 0 tests/games/test_sealed_choices.py
	$(BIN)/python -m pytest -n 0 tests/browser/test_play_table.py -k whole_game

messages: $(VENV)/.dev
	$(BIN)/python -m tools.messages

pictures: $(VENV)/.run
	$(BIN)/python -m tools.pictures

screenshots: $(VENV)/.dev
	$(BIN)/python -m tests.browser.screenshots

lock: $(VENV)/.dev
	$(BIN)/uv pip compile pyproject.toml --extra server --group build $(LOCK) -o locks/run.txt
	$(BIN)/uv pip compile pyproject.toml --extra server --extra postgres --extra gunicorn --group build -c locks/run.txt $(LOCK) -o locks/deploy.txt
	$(BIN)/uv pip compile pyproject.toml --extra server --extra postgres --extra gunicorn --group build --group dev -c locks/deploy.txt $(LOCK) -o locks/dev.txt

clean:
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache

LOCK := --quiet --upgrade --generate-hashes --universal --python-version 3.11 --no-header --no-annotate --no-emit-index-url

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Marrakech by Mail needs Python 3.11 or newer; this is " + sys.version.split()[0] + ". Choose another one: make PYTHON=python3.12 ...")'
	@$(PYTHON) -m venv $(VENV)
	@touch $@

# The stamp files keep later runs fast, and an interrupted step is repeated. A changed lock or pyproject.toml installs again.
$(VENV)/.run: locks/run.txt pyproject.toml | $(VENV)/.created
	@echo "Installing the dependencies into $(VENV). This takes about a minute."
	@$(PIP) install --require-hashes -r locks/run.txt
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: locks/dev.txt $(VENV)/.run
	$(PIP) install --require-hashes -r locks/dev.txt
	@touch $@
