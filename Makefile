# SPDX-License-Identifier: Apache-2.0
# The front door; CMakePresets.json has the rooms behind it.
JOBS ?= $(shell nproc)
export JOBS
PREFIX ?= /usr/local
A ?=

.PHONY: help run gpu build test mutants lint format docs install deb gpu-bundle clean

help: ## this text
	@echo "tulle: sparse linear algebra on NVIDIA GPUs and CPUs"; echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20
	@echo; echo "  A=matrix.mtx  your matrix or mesh for make run    PREFIX=/usr/local  of make install"

run: ## builds tulle in minutes, solves a real system and times every kernel (A=: yours)
	@scripts/deps.sh run
	@scripts/run.sh "$(A)"

gpu: ## builds the GPU part too, where no GPU is (CUDAARCHS=90-real: for one architecture)
	@scripts/deps.sh run
	@scripts/build-user.sh --gpu

build: ## all that can be built, with tests, emulator and tulle-lab, in build/release
	@scripts/deps.sh build
	@scripts/build.sh release

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

install: ## installs what make run built into PREFIX: libraries, program, headers, man pages, completion
	@scripts/deps.sh install
	@scripts/build-user.sh --quiet
	@cmake --install build/user --prefix $(PREFIX)

deb: ## Debian packages of the same, in build/deb
	@scripts/deps.sh install deb
	@scripts/build-user.sh --quiet
	@scripts/deb.sh

gpu-bundle: ## build/gpu-bundle/tulle-gpu.tar.xz: tests and benchmark that need only a driver (sm_90)
	@scripts/deps.sh build bundle
	@scripts/gpu-bundle.sh

clean: ## removes build/
	rm -rf build
