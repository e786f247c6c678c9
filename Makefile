# SPDX-License-Identifier: Apache-2.0
# The front door; CMakePresets.json has the rooms behind it.
JOBS ?= $(shell nproc)
export JOBS
PREFIX ?= /usr/local
A ?=

.PHONY: help run gpu build test mutants lint format docs pages install deb wheel gpu-bundle clean

help: ## this text
	@echo "tulle: sparse linear algebra on NVIDIA GPUs and CPUs"; echo
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20
	@echo; echo "  A=matrix.mtx          your matrix or mesh, for make run"
	@echo "  PREFIX=/usr/local     where make install puts it"

run: ## builds tulle, solves a real system, times kernels (A=: with your matrix)
	@scripts/deps.sh run
	@scripts/run.sh "$(A)"

gpu: ## builds the GPU part where no GPU is (CUDAARCHS=90-real: for one card)
	@scripts/deps.sh run
	@scripts/build-user.sh --gpu

build: ## all of it, with tests, emulator and tulle-lab, in build/release
	@scripts/deps.sh build
	@scripts/build.sh release

test: ## CPU, emulated and real GPU, sanitizers, command line, packages, fuzzing
	@scripts/test.sh

mutants: ## whether the tests find mistakes made on purpose (a quarter of an hour)
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

pages: ## every measured case, kernel and target, in build/pages
	@scripts/deps.sh test
	@lab/performance.py --all build/pages
	@lab/tuning.py --all build/pages
	@lab/papers.py --all build/pages
	@echo "pages: build/pages/*.md"

install: ## installs what make run built: libraries, program, headers, man pages
	@scripts/deps.sh install
	@scripts/build-user.sh --quiet
	@cmake --install build/user --prefix $(PREFIX)

deb: ## Debian packages of the same, in build/deb
	@scripts/deps.sh install deb
	@scripts/build-user.sh --quiet
	@scripts/deb.sh

wheel: ## wheels of the Python packages, tulle-cuda where nvcc is, in build/wheels
	@scripts/deps.sh run wheel
	@scripts/wheel.sh

gpu-bundle: ## tests and benchmark that need only a driver, in build/gpu-bundle
	@scripts/deps.sh build bundle
	@scripts/gpu-bundle.sh

clean: ## removes build/
	rm -rf build
