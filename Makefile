# `make demo` and `make check` need Python 3.11 or newer, pip and make; they set up .venv by themselves.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.up-to-date
TEST_JOBS ?= 2

.PHONY: demo check docs format

demo: $(STAMP)
	@$(BIN)/memu-code demo

check: $(STAMP)
	@$(call stage,format,$(BIN)/ruff format --check --quiet)
	@$(call stage,lint,$(BIN)/ruff check --quiet)
	@$(call stage,types,$(BIN)/mypy --no-error-summary)
	@$(call stage,imports,$(BIN)/lint-imports --no-logo)
	@# The longest test, README's commands one after the other, begins first: the others go on beside it.
	@$(call stage,tests and documents,$(BIN)/pytest -q -n $(TEST_JOBS) --dist worksteal tests/test_documents.py tests)
	@echo "check: all stages passed"

docs: $(STAMP)
	@$(BIN)/python -c "import matplotlib" 2>/dev/null || $(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt -e '.[bench]'
	@$(BIN)/python -m docs.rendering

format: $(STAMP)
	@$(BIN)/ruff format
	@$(BIN)/ruff check --fix

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "memu_code needs Python 3.11 or newer; name one with PYTHON=...")'
	@echo "set-up: installing into .venv (about a minute with a warm package cache)"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@# Compiling every module of torch and its like ahead takes longer than all the rest; Python compiles what it imports.
	@$(BIN)/python -m pip install --quiet --no-compile --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

# One stage of the check: its name, then the command; a failure says which stage it was.
define stage
echo "check: $(1)"; $(2) || { echo "check: the stage '$(1)' failed" >&2; exit 1; }
endef
