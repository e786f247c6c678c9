# SPDX-License-Identifier: Apache-2.0
# The front door; CMakePresets.json has the rooms behind it.
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
A ?= fem:150000
BUILD = build/release

.PHONY: help run build test mutants lint format docs install gpu-bundle clean

help: ## this text
	@echo "tulle: sparse linear algebra on NVIDIA GPUs and CPUs"; echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20
	@echo; echo "  A=matrix.mtx  the matrix of make run    PREFIX=/usr/local  of make install"

run: ## installs what is missing, builds, times every kernel on a finite-element matrix (or A=path.mtx)
	@scripts/deps.sh build peers
	@scripts/build.sh release tulle-tool
	@TULLE_PYTHON=$${TULLE_PYTHON:-/usr/bin/python3} $(BUILD)/tulle bench $(A)

build: ## libraries and tool, in build/release
	@scripts/deps.sh build
	@scripts/build.sh release tulle-tool

test: ## everything: CPU, emulated GPU under sanitizers, command line, installed tree, fuzzing, real GPU
	@scripts/test.sh

mutants: ## whether the tests find small mistakes that are made on purpose; a quarter of an hour, not part of make test
	@scripts/deps.sh build test
	@scripts/mutants.py --jobs $(JOBS)

lint: ## formatting and static analysis
	@scripts/deps.sh build test lint
	@scripts/lint.sh

format: ## formats all C and CUDA sources
	@scripts/deps.sh lint
	@scripts/format.sh -i

docs: ## the reference of the public interface, in build/docs
	@scripts/deps.sh docs
	@scripts/docs.sh

install: ## builds and installs into PREFIX
	@scripts/deps.sh install
	@scripts/build.sh install
	@cmake --install build/install --prefix $(PREFIX)

gpu-bundle: ## build/gpu-bundle/tulle-gpu.tar.xz: tests and benchmark that need only a driver (sm_90)
	@scripts/deps.sh build bundle
	@scripts/gpu-bundle.sh

clean: ## removes build/
	rm -rf build
