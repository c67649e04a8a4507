# `make demo` and `make test` do everything on a fresh machine; see CONTRIBUTING.md.
PYTHON ?= python3
DEMO = .venv-demo
ENV = .venv
PIP = -m pip install --quiet --disable-pip-version-check
# Starting Java once fetches Terrier's jar; without Java or network the rest still works.
START_JAVA = -m pyterrier_scholarly._java
# `make test ORDER=7` runs the tests in the random order of that seed.
WORKERS ?= 2
TESTS = -m pytest --numprocesses $(WORKERS) --dist worksteal $(if $(ORDER),--order $(ORDER))

.PHONY: demo test test-light test-install lint clean

demo: $(DEMO)/ready
	$(DEMO)/bin/python examples/compare.py

test: $(ENV)/ready lint
	$(ENV)/bin/python $(TESTS)

test-light: $(ENV)/ready lint
	$(ENV)/bin/python $(TESTS) -m "not torch and not java and not slow"

test-install: $(ENV)/ready
	$(ENV)/bin/python tests/installed/run.py

lint: $(ENV)/ready
	$(ENV)/bin/ruff check .
	$(ENV)/bin/ruff format --check .
	$(ENV)/bin/lint-imports

# An environment is made anew when the requirements, all in setup.py, change.
$(DEMO)/ready: setup.py
	rm -rf $(DEMO)
	$(PYTHON) -m venv $(DEMO)
	$(DEMO)/bin/python $(PIP) .
	-$(DEMO)/bin/python $(START_JAVA)
	touch $@

$(ENV)/ready: setup.py
	rm -rf $(ENV)
	$(PYTHON) -m venv $(ENV)
	$(ENV)/bin/python $(PIP) --editable ".[dense,test]"
	-$(ENV)/bin/python $(START_JAVA)
	touch $@

clean:
	rm -rf $(DEMO) $(ENV) build dist *.egg-info
