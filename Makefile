# Two commands for everyone: `make demo` and `make test`. `make check` is what CI runs.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

ifeq ($(origin CXX),default)
CXX := c++
endif

CXX_HEADERS := $(wildcard cpp/include/icsched/*.hpp cpp/tests/*.hpp)
BUILD_INPUTS := pyproject.toml CMakeLists.txt tools/install.sh tools/python_headers.sh \
                $(wildcard cpp/src/*.cpp cpp/include/icsched/*.hpp cpp/bind/*.cpp cpp/bind/*.hpp) \
                $(shell find src -type d -not -name __pycache__)

# A third of the time of tests is waiting, for limits and for other programs.
PYTEST := $(BIN)/pytest -n $(shell expr 3 \* $$(getconf _NPROCESSORS_ONLN) / 2) --dist worksteal

# Two builds must not share build/ at once.
.NOTPARALLEL:
.PHONY: demo test test-htcondor test-browser test-engines check bench evaluation gains fuzz lint format docs types layers generated guide cpp-test stub stub-check wheel-check public-api changelog clean

demo: $(VENV)/installed
	$(BIN)/icsched demo

test: $(VENV)/installed-test
	$(PYTEST)

# No shell between: a signal to make must reach the script, which takes its pool down.
test-htcondor: $(VENV)/installed-test
	sh tools/htcondor.sh try $(BIN)/pytest tests/htcondor

# The page of `icsched report` in a real browser; build/screenshots shows what it looks like.
test-browser: $(VENV)/installed-test
	sh tools/chromium.sh try $(BIN)/pytest tests/browser

# Airflow brings a hundred packages, so it has an environment of its own.
ENGINES := build/engines
test-engines: $(ENGINES)/installed
	$(ENGINES)/bin/pytest tests/airflow

$(ENGINES)/installed: $(BUILD_INPUTS)
	sh tools/install.sh $(PYTHON) $(ENGINES) ".[airflow]"
	$(ENGINES)/bin/python -m pip install --quiet --disable-pip-version-check pytest hypothesis
	@touch $@

# pytest comes last, so that its closing line is the last of a green run.
check: lint types layers guide cpp-test stub-check wheel-check
	$(PYTEST)

bench: $(VENV)/installed-bench
	@for bench in bench/*.py; do echo "== $$bench"; $(BIN)/python $$bench || exit 1; done

# The study of Malewicz et al. 2007 (docs/evaluation.md): the cells stay in build/evaluation.
evaluation: $(VENV)/installed-test
	$(BIN)/python tools/evaluation.py build/evaluation

# The tables and figures of docs/gains.md: what every order gains on real workflows and known dags.
TRACES ?= ../shared/data/wfinstances
gains: $(VENV)/installed-test
	$(BIN)/python -m tools.gains --traces $(TRACES)

# Builds under build/fuzz, where corpora and findings stay; each target runs FUZZ_SECONDS.
FUZZ_SECONDS ?= 60
fuzz: build/fuzz/scan_dagman.fuzzer $(VENV)/installed-fuzz
	@$(BIN)/python fuzz/seeds.py build/fuzz
	@sh fuzz/run.sh $(FUZZ_SECONDS) build/fuzz scan_dagman build/fuzz/scan_dagman.fuzzer
	@sh fuzz/run.sh $(FUZZ_SECONDS) build/fuzz read_dagman $(BIN)/python fuzz/read_dagman.py
	@sh fuzz/run.sh $(FUZZ_SECONDS) build/fuzz read_logs $(BIN)/python fuzz/read_logs.py

FUZZ_SOURCES := fuzz/scan_dagman.cpp $(wildcard cpp/src/dagman*.cpp) cpp/src/names.cpp cpp/src/interrupt.cpp
build/fuzz/scan_dagman.fuzzer: $(FUZZ_SOURCES) $(CXX_HEADERS) tools/clang.sh
	@sh tools/clang.sh
	@mkdir -p build/fuzz
	clang++ -std=c++20 -g -O2 -Wall -Wextra -Werror -fsanitize=fuzzer,address,undefined \
	  -fno-sanitize-recover=all -Icpp/include $(FUZZ_SOURCES) -o $@

lint: $(VENV)/installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/installed-dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# The package, then all examples of pages and docstrings and what users write.
types: $(VENV)/installed-dev
	$(BIN)/mypy
	$(BIN)/python -m tools.typed_examples build/typed
	$(BIN)/mypy build/typed tests/typing_user.py

layers: $(VENV)/installed-dev
	$(BIN)/lint-imports

cpp-test:
	@$(MAKE) --no-print-directory --jobs=$(shell getconf _NPROCESSORS_ONLN) -f cpp/tests.mk CXX="$(CXX)"
	./build/cpp-tests

# The stub of the C++ core is generated and committed; CI checks that it is fresh.
STUBGEN = $(BIN)/python -m nanobind.stubgen -q -m icsched._core -o
stub: $(VENV)/installed-dev
	$(STUBGEN) src/icsched/_core.pyi

docs: generated guide

# One page of HTML for each page of docs/; a broken link or a notebook that fails is an error.
guide: $(VENV)/installed-dev
	$(BIN)/python -m sphinx -q -W --keep-going -n -b html docs build/guide

generated: $(VENV)/installed-dev
	$(BIN)/python -m tools.write_docs
	$(BIN)/python tools/write_licences.py
	$(BIN)/python -m tools.man_page

# After a change of what users import, on purpose; the diff of the file is the change of the API.
public-api: $(VENV)/installed-test
	$(BIN)/python tools/write_public_api.py

# Moves the fragments of changelog.d into CHANGELOG.md: make changelog VERSION=0.1.0
changelog: $(VENV)/installed
	$(BIN)/python tools/write_changelog.py $(VERSION)

stub-check: $(VENV)/installed-dev
	@mkdir -p build
	$(STUBGEN) build/_core.pyi
	@cmp build/_core.pyi src/icsched/_core.pyi || { echo "stale stub: run make stub"; exit 1; }

wheel-check:
	sh tools/wheel_check.sh $(PYTHON)

# Each stamp installs all it needs in one go, and stands for the lesser ones too.
$(VENV)/installed: $(BUILD_INPUTS)
	sh tools/install.sh $(PYTHON) $(VENV) .
	@touch $@

$(VENV)/installed-test: $(BUILD_INPUTS)
	sh tools/install.sh $(PYTHON) $(VENV) ".[test]"
	@touch $@ $(VENV)/installed

$(VENV)/installed-bench: $(BUILD_INPUTS)
	sh tools/install.sh $(PYTHON) $(VENV) ".[bench]"
	@touch $@ $(VENV)/installed-test $(VENV)/installed

$(VENV)/installed-fuzz: $(BUILD_INPUTS)
	sh tools/install.sh $(PYTHON) $(VENV) ".[fuzz]"
	@touch $@ $(VENV)/installed

$(VENV)/installed-dev: $(BUILD_INPUTS)
	sh tools/install.sh $(PYTHON) $(VENV) ".[dev]"
	@touch $@ $(VENV)/installed-test $(VENV)/installed

clean:
	rm -rf build dist .cache $(VENV)
