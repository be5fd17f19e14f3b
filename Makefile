# Every target does the set-up that is missing first. `make help` lists them.

export R_LIBS := $(CURDIR)/.r-library
export RETICULATE_PYTHON := $(CURDIR)/.venv/bin/python

python := .venv/bin/python
sources := pystrat rbridge tests data-raw setup.py

.PHONY: help set-up demo test test-python test-r check document clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

set-up: ## Install what is missing: Debian packages, .venv, .r-library
	@tools/set-up.sh

demo: set-up ## Run the main job on the published and the real data, in Python and in R
	@$(python) -m pystrat demo

test: test-python test-r ## Run all tests of both languages

test-python: set-up ## Run the tests in Python, the bridge to R included
	@$(python) -m pytest

test-r: set-up ## Run the tests of the R package
	@tools/test-r.sh

check: set-up ## Check format, lint, types and the R package's documentation
	@tools/check.sh

document: set-up ## Write the R package's help pages and NAMESPACE from its comments
	@Rscript -e 'roxygen2::roxygenise("rbridge/r")'

clean: ## Remove everything that set-up and the other targets made
	rm -rf .venv .r-library .set-up.lock build demo-output *.egg-info pystrat/_kernels.c pystrat/*.so
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf .pytest_cache .mypy_cache .hypothesis
