# Everything runs from .venv, which the first target asked for sets up. Needs Python 3.11+ and make;
# a C++ compiler comes from PyPI where the machine has none.

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.NOTPARALLEL:

# The first interpreter that is new enough; make PYTHON=... chooses another.
PYTHON ?= $(shell for python in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$python && break; done)
BIN := .venv/bin
PIP := $(BIN)/pip --disable-pip-version-check --quiet
INSTALL := $(PIP) install --no-deps --no-build-isolation

PROTOS := $(sort $(wildcard proto/bgbot/v1/*.proto))
KERNEL := CMakeLists.txt $(wildcard bgbotd/kernel/src/*)
GENERATED := clients/python/bgbot/v1
GOOGLEAPIS := build/googleapis
NODE_MODULES := node_modules/.package-lock.json
RELEASE := $(shell git describe --tags --abbrev=0 --match 'v*' 2>/dev/null)
LISTEN ?= 127.0.0.1:50051

.PHONY: help setup demo serve test test-shipping lint breaking proto clients web test-web bench load-client strength fuzz conformance verify-rules soak lock wheels changelog clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

setup: .venv/daemon.stamp ## install everything into .venv (every other target does it by itself)

demo: setup ## start the daemon, ask it for plays and moves, stop it
	$(BIN)/python examples/demo.py

serve: setup ## run the daemon on LISTEN, 127.0.0.1:50051 unless told
	$(BIN)/bgbotd serve --listen $(LISTEN)

test: setup ## run the tests; ARGS goes to pytest
	$(BIN)/pytest $(ARGS)

test-shipping: setup ## take the Dockerfile's steps in a bare Debian; ask systemd and Prometheus (needs root, debootstrap, prometheus)
	$(BIN)/pytest --timeout 600 tests/shipping $(ARGS)

lint: setup $(GOOGLEAPIS) breaking ## check the contract, the generated code, style and types
	$(BIN)/buf format --diff --exit-code proto
	$(BIN)/buf lint proto
	$(call generate,build/generated)
	diff -r -x __pycache__ -x __init__.py build/generated/bgbot/v1 $(GENERATED)
	cmp build/generated/bgbot.v1.binpb bgbotd/web/bgbot.v1.binpb
	diff build/generated/openapi.json bgbotd/web/openapi.json
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/hadolint Dockerfile

breaking: setup $(GOOGLEAPIS) ## compare the contract with the last release's
ifdef RELEASE
	rm -rf build/released && mkdir -p build/released/build
	git archive $(RELEASE) proto buf.yaml | tar -x -C build/released
	cp -R $(GOOGLEAPIS) build/released/build
	$(BIN)/buf breaking proto --against build/released/proto
else
	@echo 'No release yet: nothing the contract could break.'
endif

proto: $(GOOGLEAPIS) ## format the contract and regenerate the Python code
	$(BIN)/buf format --write proto
	$(call generate,build/generated)
	rm -f $(GENERATED)/*_pb2*
	cp build/generated/bgbot/v1/*_pb2* $(GENERATED)
	cp build/generated/bgbot.v1.binpb build/generated/openapi.json bgbotd/web

clients: $(GOOGLEAPIS) $(NODE_MODULES) ## regenerate the code of the clients in other languages
	$(BIN)/buf generate --template clients/typescript/buf.gen.yaml

web: $(NODE_MODULES) ## build the web board, which `bgbotd serve --web` serves (needs Node and npm)
	npm run --silent build --workspace clients/typescript
	npm run --silent build --workspace clients/web

test-web: setup web ## play the web board in Chromium, and the TypeScript client (needs Node, npm and Chromium)
	npm run --silent lint
	npm run --silent check --workspaces
	npm run --silent test --workspaces

# protoc looks its plugins up on the path. Only files that define a service get stubs for gRPC.
define generate
rm -rf $(1) && mkdir -p $(1)
$(PROTOC) --python_out=$(1) --mypy_out=quiet:$(1) $(PROTOS)
$(PROTOC) --grpc_python_out=$(1) --mypy_grpc_out=quiet:$(1) $(filter %_service.proto,$(PROTOS))
$(PROTOC) --include_imports --descriptor_set_out=$(1)/bgbot.v1.binpb $(HTTP_PROTOS) $(PROTOS)
$(PROTOC) --include_imports --include_source_info --descriptor_set_out=$(1)/commented.binpb $(HTTP_PROTOS) $(PROTOS)
$(BIN)/python tools/openapi.py $(1)/commented.binpb > $(1)/openapi.json
endef
# What the web edge sends beside the contract's own messages.
HTTP_PROTOS := google/api/httpbody.proto google/rpc/error_details.proto google/rpc/status.proto
PROTOC := PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m grpc_tools.protoc -I proto -I $(GOOGLEAPIS)

bench: setup ## measure how fast everything is
	$(foreach benchmark,$(wildcard benchmarks/*.py),$(BIN)/python $(benchmark) &&) true

load-client: $(GOOGLEAPIS) ## build the load client, which needs g++, protoc and gRPC for C++
	$(MAKE) --silent -C benchmarks/load PROTO=$(CURDIR)/proto GOOGLEAPIS=$(CURDIR)/$(GOOGLEAPIS) OUT=$(CURDIR)/build/load

strength: setup ## measure how strong the levels are; ARGS goes to it, --help tells what
	$(BIN)/python -m benchmarks.strength $(ARGS)

fuzz: setup ## throw arbitrary messages at a running daemon
	$(BIN)/python -m tests.fuzz $(ARGS)

conformance: setup ## hold a running daemon against the contract's answers; ARGS goes to it
	$(BIN)/bgbotd-conformance $(ARGS)

verify-rules: setup ## compare legal plays with two other generators
	$(BIN)/python -m tests.verify_rules

lock: .venv/dependencies.stamp ## pin the newest versions that pyproject.toml allows
	$(LOCK) pyproject.toml --all-extras -o requirements/runtime.txt
	$(LOCK) pyproject.toml clients/python/pyproject.toml --all-extras --group dev -c requirements/runtime.txt \
		-o requirements/development.txt
	$(LOCK) --group build -c requirements/development.txt -o requirements/build.txt

# No address of an index is written down, so that everyone's own configuration holds.
LOCK := $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-package bgbot

wheels: setup ## build both wheels into dist
	$(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist . ./clients/python

changelog: .venv/dependencies.stamp ## show what the next release's changelog will say
	$(BIN)/towncrier build --draft --version next

clean: ## remove everything that make has made
	rm -rf .venv build dist clients/python/*.egg-info clients/python/build
	rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo 'Python 3.11 or newer is needed: make PYTHON=/path/to/python3'; exit 1; }
	$(PYTHON) -m venv .venv || { rm -rf .venv; exit 1; }

.venv/dependencies.stamp: requirements/development.txt | $(BIN)/python
	$(PIP) install --require-hashes -r requirements/development.txt
	touch $@

.venv/client.stamp: clients/python/pyproject.toml .venv/dependencies.stamp
	$(INSTALL) -e clients/python
	touch $@

.venv/compiler.stamp: build_backend/build_backend.py requirements/build.txt .venv/dependencies.stamp
	PYTHONPATH=build_backend $(BIN)/python -c 'import sys, build_backend; sys.exit(build_backend.lacks_compiler())' \
		|| $(PIP) install --require-hashes -r requirements/build.txt
	touch $@

.venv/daemon.stamp: pyproject.toml $(KERNEL) .venv/client.stamp .venv/compiler.stamp
	$(INSTALL) -e .
	touch $@

$(NODE_MODULES): package-lock.json $(wildcard clients/*/package.json tests/*/package.json)
	@command -v npm >/dev/null || { echo 'Node 20.19 or newer with npm is needed for this target.'; exit 1; }
	npm ci --no-audit --no-fund
	touch $@

$(GOOGLEAPIS): .venv/dependencies.stamp
	rm -rf $@ && mkdir -p $@/google
	packages=$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))') && \
		cp -R $$packages/google/rpc $$packages/google/api $@/google
