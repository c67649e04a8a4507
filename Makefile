# `make demo` and `make test` do everything on a fresh machine; see CONTRIBUTING.md.
PYTHON ?= python3
DEMO = .venv-demo
ENV = .venv
LIGHT = .venv-light
PIP = -m pip install --quiet --disable-pip-version-check
# Hundreds of tests start a process: none compiles what another has.
unexport PYTHONDONTWRITEBYTECODE
# Starting Java once fetches Terrier's jar; without Java or network the rest still works.
START_JAVA = -m pyterrier_scholarly._java
# Tests keep the vectors of CSFCube's sentences: they are made once.
REMEMBER = -m pytest --quiet tests/transformers/test_csfcube.py
# `make test ORDER=7` runs the tests in the random order of that seed.
WORKERS ?= 2
TESTS = -m pytest --numprocesses $(WORKERS) --dist worksteal $(if $(ORDER),--order $(ORDER))
# Warnings are errors; what did not change is not built again.
SPHINX = --quiet --fail-on-warning --keep-going --conf-dir docs

.PHONY: demo docs notebooks test test-light test-install lint clean

demo: $(DEMO)/ready
	$(DEMO)/bin/python examples/compare.py
	@echo "Next: $(DEMO)/bin/pyterrier-scholarly reproduce scholarly-mini --systems fabs_tfidf one_encoding --encoder lsa --html table.html"
	@echo "makes a whole table as a page. Then read pyterrier_scholarly/pt_docs/quickstart.rst."

test: $(ENV)/ready
	$(CHECK)
	$(IN)/python $(TESTS)

test-light: $(LIGHT)/ready
	$(CHECK)
	$(IN)/python $(TESTS) -m "not torch and not java and not slow"

test-install: $(ENV)/ready
	$(IN)/python tests/installed/run.py

lint: $(LIGHT)/ready
	$(CHECK)

docs: $(LIGHT)/ready
	$(IN)/sphinx-build $(SPHINX) pyterrier_scholarly/pt_docs build/docs/html

notebooks: $(ENV)/ready
	$(IN)/python docs/notebooks.py

# Inside the environment that a target names first.
IN = $(<D)/bin
CHECK = $(IN)/ruff check . && $(IN)/ruff format --check . && $(IN)/lint-imports && $(IN)/mypy

# An environment is made anew when the requirements, all in pyproject.toml, change.
$(DEMO)/ready: INSTALLED = .
$(DEMO)/ready: ONCE = -$(@D)/bin/python $(START_JAVA)
$(ENV)/ready: INSTALLED = --editable ".[dense,test]"
$(ENV)/ready: ONCE = -$(@D)/bin/python $(START_JAVA); $(@D)/bin/python $(REMEMBER)
$(LIGHT)/ready: INSTALLED = --editable ".[light]"
$(DEMO)/ready $(ENV)/ready $(LIGHT)/ready: pyproject.toml
	rm -rf $(@D)
	$(PYTHON) -m venv $(@D)
	$(@D)/bin/python $(PIP) $(INSTALLED)
	$(ONCE)
	touch $@

clean:
	rm -rf $(DEMO) $(ENV) $(LIGHT) build dist
