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
ROUNDS ?= 3
CHROMIUM ?= chromium

.PHONY: FORCE help setup demo serve test test-shipping lint breaking proto clients clients-typescript clients-go clients-ruby clients-java clients-cpp test-clients web test-web bench load-client strength fuzz conformance dice-statistics verify-rules soak drain lock wheels changelog clean

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

clients: proto clients-typescript clients-go clients-ruby clients-java clients-cpp ## regenerate the code of every client

clients-typescript: $(GOOGLEAPIS) $(NODE_MODULES)
	$(BIN)/buf generate --template clients/typescript/buf.gen.yaml

clients-go: $(GOOGLEAPIS) .venv/clients.stamp
	$(call generate_go)
	rm -rf clients/go/bgbot/v1 && cp -R build/clients/go/bgbot/v1 clients/go/bgbot

clients-ruby: $(GOOGLEAPIS) .venv/clients.stamp
	$(call generate_ruby)
	rm -rf clients/ruby/lib/bgbot/v1 && cp -R build/clients/ruby/bgbot/v1 clients/ruby/lib/bgbot

# Java's and C++'s code fits one release of protobuf only: the machine's own compiler makes it, nothing is kept.
clients-java: $(GOOGLEAPIS)
	$(call need,protoc grpc_java_plugin)
	rm -rf build/clients/java && mkdir -p build/clients/java/source
	protoc $(IMPORTS) --java_out=build/clients/java/source --grpc-java_out=build/clients/java/source \
		--plugin=protoc-gen-grpc-java=$$(command -v grpc_java_plugin) $(PROTOS) \
		google/api/annotations.proto google/api/http.proto google/rpc/error_details.proto google/rpc/status.proto

clients-cpp: setup $(GOOGLEAPIS)
	$(call need,g++ protoc grpc_cpp_plugin)
	$(BIN)/cmake -G Ninja -S clients/cpp -B build/clients/cpp -DCMAKE_INSTALL_PREFIX=$(CURDIR)/build/clients/cpp/installed
	$(BIN)/cmake --build build/clients/cpp --target bgbot_generated

test-clients: setup clients-java clients-cpp .venv/clients.stamp $(NODE_MODULES) ## play a game from every client (needs Debian packages and Node, and says which)
	$(call need,go gofmt javac java ruby gem)
	$(call generate_go)
	diff -r build/clients/go/bgbot/v1 clients/go/bgbot/v1
	$(call generate_ruby)
	diff -r build/clients/ruby/bgbot/v1 clients/ruby/lib/bgbot/v1
	$(BIN)/pytest --timeout 600 tests/clients/languages $(ARGS)

define generate_go
$(call need,protoc-gen-go protoc-gen-go-grpc)
rm -rf build/clients/go && mkdir -p build/clients/go
$(BIN)/protoc $(IMPORTS) --go_out=build/clients/go --go_opt=module=$(GO_MODULE) \
	--go-grpc_out=build/clients/go --go-grpc_opt=module=$(GO_MODULE) $(PROTOS)
endef

define generate_ruby
$(call need,grpc_ruby_plugin)
rm -rf build/clients/ruby && mkdir -p build/clients/ruby
$(BIN)/protoc $(IMPORTS) --ruby_out=build/clients/ruby --grpc_out=build/clients/ruby \
	--plugin=protoc-gen-grpc=$$(command -v grpc_ruby_plugin) $(PROTOS)
endef

# Ends with what to install unless every tool is there.
define need
@for tool in $(1); do command -v $$tool >/dev/null || { \
	echo "$$tool is missing. On Debian: apt-get install" $$(cat tests/clients/languages/packages.txt); exit 1; }; done
endef

GO_MODULE := github.com/bgbotd/bgbotd/clients/go
IMPORTS := -I proto -I $(GOOGLEAPIS)

web: $(NODE_MODULES) ## build the web board, which `bgbotd serve --web` serves (needs Node and npm)
	npm run --silent build --workspace clients/typescript
	npm run --silent build --workspace clients/web

test-web: setup web $(GOOGLEAPIS) ## test the TypeScript client and play the web board (needs Node, npm and Chromium)
	@command -v $(CHROMIUM) >/dev/null || { echo 'Chromium is needed: make test-web CHROMIUM=/path/to/chromium'; exit 1; }
	$(BIN)/buf generate --template clients/typescript/buf.gen.yaml --output build/typescript
	diff -r build/typescript/clients/typescript/src/generated clients/typescript/src/generated
	npm run --silent lint
	npm run --silent check --workspaces
	CHROMIUM="$$(command -v $(CHROMIUM))" npm run --silent test --workspaces
	CHROMIUM="$$(command -v $(CHROMIUM))" npm run --silent weigh --workspace tests/web

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
PROTOC := PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m grpc_tools.protoc $(IMPORTS)

bench: setup ## measure how fast everything is; ARGS goes to it, --help tells what
	$(BIN)/python -m benchmarks $(ARGS)

load-client: $(GOOGLEAPIS) ## build the load client, which needs g++, protoc and gRPC for C++
	$(MAKE) --silent -C benchmarks/load_client PROTO=$(CURDIR)/proto GOOGLEAPIS=$(CURDIR)/$(GOOGLEAPIS) OUT=$(CURDIR)/build/load

strength: setup ## measure how strong the levels are; ARGS goes to it, --help tells what
	$(BIN)/python -m benchmarks.strength $(ARGS)

fuzz: setup ## throw arbitrary messages and what is no HTTP/2 at a running daemon; ARGS goes to the first
	$(BIN)/python -m tests.fuzz $(ARGS)
	$(BIN)/python -m tests.campaigns.wire --rounds $(ROUNDS)

soak: setup ## half an hour of mixed load among clients that behave badly; ARGS="--minutes 5" is shorter
	GRPC_VERBOSITY=NONE $(BIN)/python -m tests.soak $(ARGS)

drain: setup ## stop a daemon, and kill a worker, with hundreds of calls in flight, and count how they end
	$(BIN)/python -m tests.campaigns.drain $(ARGS)

conformance: setup ## hold a running daemon against the contract's answers; ARGS goes to it
	$(BIN)/bgbotd-conformance $(ARGS)

dice-statistics: setup ## roll ten million sealed dice and test them for fairness; ARGS goes to it
	$(BIN)/python -m tests.dice_statistics $(ARGS)

verify-rules: setup ## compare legal plays with two other generators
	$(BIN)/python -m tests.verify_rules

lock: .venv/dependencies.stamp ## pin the newest versions that pyproject.toml allows
	$(LOCK) pyproject.toml --all-extras -o requirements/runtime.txt
	$(LOCK) pyproject.toml clients/python/pyproject.toml --all-extras --group dev -c requirements/runtime.txt \
		-o requirements/development.txt
	$(LOCK) --group build -c requirements/development.txt -o requirements/build.txt
	$(LOCK) --group clients -c requirements/development.txt -o requirements/clients.txt

# No address of an index is written down, so that everyone's own configuration holds.
LOCK := $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-package bgbot

wheels: setup ## build both wheels into dist
	$(PIP) wheel --no-deps --no-build-isolation --wheel-dir dist . ./clients/python

changelog: .venv/dependencies.stamp ## show what the next release's changelog will say
	$(BIN)/towncrier build --draft --version next

clean: ## remove everything that make has made
	rm -rf .venv build dist clients/python/*.egg-info clients/python/build node_modules clients/typescript/dist bgbotd/web/pages
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

# protoc in a release that Go's and Ruby's code is made by; grpcio-tools' own knows only Python.
.venv/clients.stamp: requirements/clients.txt .venv/dependencies.stamp
	$(PIP) install --require-hashes -r requirements/clients.txt
	touch $@

.venv/compiler.stamp: build_backend/build_backend.py requirements/build.txt .venv/dependencies.stamp
	PYTHONPATH=build_backend $(BIN)/python -c 'import sys, build_backend; sys.exit(build_backend.lacks_compiler())' \
		|| $(PIP) install --require-hashes -r requirements/build.txt
	touch $@

# An editable install knows every module by its name.
.venv/modules: FORCE | $(BIN)/python
	@find bgbotd -name '*.py' | sort > $@.now && if cmp -s $@.now $@; then rm $@.now; else mv $@.now $@; fi

.venv/daemon.stamp: pyproject.toml $(KERNEL) .venv/modules .venv/client.stamp .venv/compiler.stamp
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
