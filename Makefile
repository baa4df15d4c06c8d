# `make` prints what there is to make. Needs Python 3.11 or later and make, nothing else: the first target that needs it
# builds a .venv here. PYTHON=/path/to/python chooses the interpreter, WORKERS=4 the number of test processes.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
ifndef TOGETHER
.NOTPARALLEL:
endif
.PHONY: help demo test test-oldest test-pythons test-slow test-full test-tools world mutants fuzz generate check check-generated check-contract check-lint check-format check-mypy \
	check-pyright check-public-types check-docs check-samples check-tag check-advisories claims findings bench dist wheel docs docs-site clean

PYTHONS := python3.15 python3.14 python3.13 python3.12 python3.11 python3 python
VENV := .venv
PY := $(VENV)/bin/python
PAYWRIGHT := $(PY) -m paywright_cli
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2) + 2)
# A test that waits for ever has the stacks of its threads printed and ends its worker; it is named as failed, and the rest still runs.
PYTEST = $(PY) -m pytest -n $(WORKERS) --dist worksteal -o faulthandler_timeout=$(LIMIT) \
	--timeout-method thread --timeout $$(($(LIMIT) + 60))
LIMIT := 600
test-full: LIMIT := 3600
HANDWRITTEN := audit bench cli codegen docs examples receiver runtime sandbox tests

# The extras of pyproject.toml that each group of targets needs.
EXTRAS_base := codegen,reference,sandbox
EXTRAS_lint := $(EXTRAS_base),lint
EXTRAS_test := async,audit,codegen,parquet,reference,sandbox,test
EXTRAS_slow := $(EXTRAS_test),browser,queues,servers
EXTRAS_docs := codegen,reference,sandbox,docs
EXTRAS_full := $(EXTRAS_test),docs,browser,engines,queues,servers,lint,check,bench
EXTRAS_check := $(EXTRAS_test),lint,check,queues
EXTRAS_advisories := $(EXTRAS_test),advisories
EXTRAS_bench := async,audit,codegen,parquet,postgres,sandbox,test,bench

# Every process of the tests would compile everything anew.
unexport PYTHONDONTWRITEBYTECODE
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# pyright's wrapper would look for a newer pyright on the network; ours is pinned.
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

help: ## print this
	@echo "paywright: one contract, an SDK, and a gateway to call. Targets:"
	@sed -n 's/^\([a-z][a-z-]*\):[^#]*## \(.*\)/  make \1|\2/p' $(firstword $(MAKEFILE_LIST)) | awk -F'|' '{ printf "%-18s %s\n", $$1, $$2 }'

demo: $(VENV)/with-base ## every operation, end to end: generate, start a sandbox, order, pay, refund, a subscription's life
	@$(PAYWRIGHT) contract generate
	@$(PY) examples/demo.py

test: $(VENV)/with-test ## all tests but the slow and the long ones, with a fifth of the random examples
	$(PYTEST) --hypothesis-profile few

test-oldest: ## the same on the oldest version that pyproject.toml takes of every package, with Python 3.11
	@$(MAKE) --no-print-directory VENV=.venv-oldest PYTHON=$(or $(PYTHON),python3.11) .venv-oldest/with-oldest test

test-pythons: $(PY) ## the same on each Python from 3.11 on that is there; TEST_PYTHONS=/path/to/python:/path/to/another
	@for found in $$($(PY) -m tests.support.interpreters); do \
	  $(MAKE) --no-print-directory VENV=".venv-$${found%%=*}" PYTHON="$${found#*=}" test || exit 1; \
	done

test-slow: $(VENV)/with-slow ## the slow ones, in a browser and on PostgreSQL too, and what draws at random with all its examples
	$(PYTEST) -m "(slow or hypothesis) and not full and not types"

test-full: $(VENV)/with-full ## all tests, with the big counts and engines
	$(PYTEST) -m ""

world: $(VENV)/with-test ## whole worlds on one simulated clock, a minute long; WORLD="--seeds 0:20000 --seconds 3600"
	@$(PY) -m tests.world $(WORLD)

mutants: $(VENV)/with-test ## how many changed programs the tests notice, 200 drawn; MUTANTS="--count 30 --group audit"
	@$(PY) -m tests.mutants $(MUTANTS)

test-tools: $(VENV)/with-test ## tools of other languages on the exported documents, from npm and PyPI; TOOLS="prism java" runs some
	@$(PY) -m tests.tools $(TOOLS)

fuzz: $(VENV)/with-test ## what draws at random, with ten times the examples, some twenty minutes; FUZZ="-k receiver" runs some
	$(PYTEST) --hypothesis-profile many -m "hypothesis and not full" $(FUZZ)

generate: $(VENV)/with-base ## bring generated/ up to date with spec/
	@$(PAYWRIGHT) contract generate

# Two at a time, the long ones first; each is run and says what it finds, whatever another finds.
check: $(VENV)/with-check ## stale output, contract, style, types, links
	@$(MAKE) --no-print-directory --jobs=2 --keep-going TOGETHER=yes \
	  check-mypy check-pyright check-public-types check-samples check-contract check-generated check-docs check-lint check-format

check-generated: $(VENV)/with-lint
	@$(PAYWRIGHT) contract check

check-contract: $(VENV)/with-lint
	@$(PAYWRIGHT) contract lint
	@$(PAYWRIGHT) contract fmt --check
	@$(PAYWRIGHT) contract coverage
	@$(PAYWRIGHT) contract diff --released

check-lint: $(VENV)/with-lint
	@$(PY) -m ruff check $(HANDWRITTEN)

check-format: $(VENV)/with-lint
	@$(PY) -m black --check --quiet $(HANDWRITTEN) || { $(PY) -m black --check $(HANDWRITTEN); exit 1; }

check-mypy: $(VENV)/with-check
	@$(PY) -m mypy

check-pyright: $(VENV)/with-check
	@$(PY) -m pyright --project pyproject.toml --pythonpath $(PY)

# Every name that a merchant can import has a type that all checkers read alike. It finds a package by the first Python of the PATH.
check-public-types: $(VENV)/with-check
	@for package in paywright paywright_runtime paywright_receiver paywright_sandbox paywright_audit; do \
	  PATH="$(abspath $(VENV))/bin:$$PATH" $(PY) -m pyright --verifytypes $$package --ignoreexternal >$(VENV)/public-types.txt \
	    || { cat $(VENV)/public-types.txt; exit 1; }; \
	done

check-docs: $(VENV)/with-check
	@$(PY) -m docs.build --check

# Tests that need the type checkers, which `make test` and `make test-slow` do not install.
check-samples: $(VENV)/with-check
	@$(PYTEST) -q -m types tests/docs/test_samples_types.py tests/generated/test_names.py

bench: $(VENV)/with-bench ## ratios to the bare libraries, all in one run; see docs/performance.md
	$(PY) -m bench

dist: ## sdist and wheels into dist/, by a few tools of fixed hashes
	@$(MAKE) --no-print-directory VENV=.venv-build .venv-build/with-hashes
	@rm -rf dist
	@.venv-build/bin/python -m build --quiet --no-isolation --outdir dist .
	@.venv-build/bin/python -m build --quiet --no-isolation --wheel --outdir dist sandbox/pytest-paywright

wheel: dist $(VENV)/with-check ## the same, checked
	@$(PY) -m twine check --strict dist/*
	@wc -c dist/*

# A tag can have nearly any name. Only the shell reads this one, from the environment: make would run the $(shell ...) in it.
check-tag: ## with TAG=v0.1.0 in the environment: a tag of this version, with its date in the changelog, on main
	@refuse() { echo "$$1. Nothing was published." >&2; exit 1; }; version="$${TAG#v}"; \
	case "$$TAG" in v[0-9]*) ;; *) refuse "TAG is no name such as v0.1.0" ;; esac; \
	case "$$version" in *[!0-9.]*) refuse "TAG is no name such as v0.1.0" ;; esac; \
	grep -qxF "VERSION = \"$$version\"" runtime/paywright_runtime/version.py || \
	  refuse "$$TAG is no tag of the version in runtime/paywright_runtime/version.py"; \
	grep -F "## $$version, " CHANGELOG.md | grep -qE ', [0-9]{4}-[0-9]{2}-[0-9]{2}$$' || refuse "CHANGELOG.md has no date for $$version"; \
	git merge-base --is-ancestor HEAD origin/main || refuse "This commit is not on main"

# Exactly what is installed here, with every extra of the tests; what the index does not know counts as a failure.
check-advisories: $(VENV)/with-advisories ## known advisories against what is installed (asks the index)
	@$(PY) -m pip freeze --exclude-editable >$(VENV)/installed.txt
	@$(PY) -m pip_audit --strict --disable-pip --no-deps --requirement $(VENV)/installed.txt

claims: $(VENV)/with-full ## run every row of docs/claims.md; CLAIMS=word runs those with the word
	@$(PY) -m docs.building.claims $(CLAIMS)

# Each script has a temporary folder and environment of its own, and nothing of ours.
findings: ## do the surprises of findings/ still hold? FINDINGS='polars-*' runs some
	@failed=0; export PIP_NO_COMPILE=1; for script in findings/$(or $(FINDINGS),*).sh; do \
	  began=$$(date +%s); bash "$$script" >$$script.out 2>&1; code=$$?; \
	  case $$code in 0) said="as found";; 2) said="could not be installed";; *) said="HAS CHANGED";; esac; \
	  echo "$${script##*/}: $$said, $$(($$(date +%s) - began)) s"; [ $$code = 0 ] || { failed=1; tail -n 20 $$script.out; }; rm -f $$script.out; \
	done; exit $$failed

docs: $(VENV)/with-base ## write the derived documents, check links and commands
	@$(PY) -m docs.build

docs-site: $(VENV)/with-docs ## the pages as a site, dist/site; open its index.html
	@$(PY) -m docs.building.site

clean: ## remove .venv, dist and caches
	rm -rf $(VENV) .venv-* dist build .cache .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/with-%: Makefile pyproject.toml runtime/paywright_runtime/version.py | $(PY)
	@echo "setting up $(VENV) ($(EXTRAS_$*))"
	@$(PY) -m pip install --quiet --editable '.[$(EXTRAS_$*)]'
	@touch $@ $(if $(filter check full,$*),$(VENV)/with-lint)

# What is named in pyproject.toml is the oldest that it takes; what those need is the newest. pip cannot choose so.
$(VENV)/with-oldest: Makefile pyproject.toml | $(PY)
	@echo "setting up $(VENV) (the oldest of $(EXTRAS_test))"
	@$(PY) -m pip install --quiet uv
	@$(VENV)/bin/uv pip install --quiet --python $(PY) --resolution lowest-direct --upgrade --editable '.[$(EXTRAS_test)]'
	@touch $@ $(VENV)/with-test

$(VENV)/with-hashes: Makefile .github/build-requirements.txt | $(PY)
	@$(PY) -m pip install --quiet --require-hashes --only-binary :all: --requirement .github/build-requirements.txt
	@touch $@

# An interpreter counts only if it runs, is new enough, and can make environments.
$(PY):
	@for python in $(or $(PYTHON),$(PYTHONS)); do \
	  if "$$python" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then \
	    echo "making $(VENV) with $$("$$python" --version)"; \
	    exec "$$python" -m venv --clear $(VENV); \
	  fi; \
	done; \
	echo "No Python 3.11 or later with venv and ensurepip among: $(or $(PYTHON),$(PYTHONS))." >&2; \
	echo "Install one (on Debian also the package python3-venv), or name it: make PYTHON=/path/to/python3.11 ..." >&2; \
	exit 1
