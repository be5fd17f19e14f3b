# Each target first installs what it needs if it is missing. `make help` lists the targets.

export R_LIBS := $(CURDIR)/.r-library
export RETICULATE_PYTHON := $(CURDIR)/.venv/bin/python

python := .venv/bin/python

bench_scripts := epoch lists growth memory loader weighted tree pairs stream loop
# bench_options=--write also writes the tables to benchmarks/README.md.
bench_options :=
# study_options="--minutes 30" trains for half an hour; the next call continues.
study_options :=

# Tests call most R functions once or twice, so interpreting them is faster than compiling them at run time.
test-bridge test-r test-vignettes: export R_ENABLE_JIT := 0

.PHONY: help set-up demo bench study test test-python test-stack test-bridge test-r test-vignettes vignettes vignettes-full site check thorough document clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

set-up: ## Install everything for all targets: Debian packages, .venv, .r-library
	@tools/set-up.sh

# Install what one target needs, as listed in tools/requirements.txt.
set-up-%:
	@tools/set-up.sh $*

demo: set-up-demo ## Compare plain and stratified batches on published and real data, in Python and R
	@$(python) examples/demo.py

test: test-python test-bridge test-r test-vignettes ## Run the tests of both languages, each guarantee once

test-python: set-up-test-python ## Run the Python tests
	@$(python) -m pytest -n auto --dist loadgroup --ignore tests/bridge

test-stack: ## Run the Python tests with another interpreter and its packages: STACK=/path/to/python3
	@tools/test_stack.sh "$(STACK)"

test-bridge: set-up-test-r ## Run the tests of Python and R together
	@$(python) -m pytest -n auto --dist loadfile tests/bridge/test_installation.py tests/bridge

test-r: set-up-test-r ## Run the R tests
	@Rscript tools/test_r.R

test-vignettes: set-up-test-r ## Run the vignettes and compare their text with the committed text
	@Rscript tools/vignettes.R --check

vignettes: set-up-test-r ## Render the vignettes from vignettes/*.Rmd to *.md, with their figures
	@Rscript tools/vignettes.R
	@$(python) tools/r_vignettes.py

vignettes-full: set-up-test-r ## Train the R models of docs and vignettes (needs LibTorch), and render them
	@Rscript tools/transcript.R docs/mlr3torch.md
	@Rscript tools/transcript.R docs/luz.md
	@Rscript vignettes/stratified_training.R
	@OMP_NUM_THREADS=1 Rscript vignettes/autism_training.R
	@Rscript tools/vignettes.R
	@$(python) tools/r_vignettes.py

bench: set-up-bench ## Compare the speed of samplers with others, and name what is above its limit
	@$(python) benchmarks/run.py $(addsuffix .py,$(bench_scripts)) epoch.R loop.R $(bench_options)

study: set-up-bench ## Train the study of batches on real data, as far as it has no results yet; study_options=--help
	@Rscript benchmarks/study/prepare.R build/study
	@OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(python) benchmarks/study/run_study.py $(study_options)
	@$(python) benchmarks/study/analyze.py --write

site: set-up-site ## Build the documentation site in build/site
	@$(python) tools/site

check: set-up-check set-up-test-r ## Check format, lint, types, spelling, the core, and the R package as CRAN does
	@tools/check.sh

thorough: set-up-check set-up-test-python set-up-test-r ## Before a release: test and check what needs an hour
	@tools/thorough.sh

document: set-up-check ## Write R's help pages and NAMESPACE
	@Rscript -e 'roxygen2::roxygenise("rbridge/r")'

clean: ## Remove everything that set-up and the other targets created
	rm -rf .venv .r-library .set-up.lock build demo-output *.egg-info pystrat/*.cpp pystrat/*.so
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -rf .pytest_cache .mypy_cache .hypothesis
