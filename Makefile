# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The two commands of the README are `make demo` and `make test`. Every target first installs what this machine lacks.
PRESET ?= release
PYTHON := .venv/bin/python
JOBS ?= $(shell nproc)

.PHONY: help setup build demo demo2 demo3 networks wheel try-wheels wheel-aarch64 deb test check format bench late-early device-counts device-lists zoo torch-ops fuzz fuzz-placement fuzz-devices fuzz-sweep fuzz-coverage fuzz-differential fuzz-elementwise data-dependent stream-orders rank-orders mutants cross asan tsan shard-random
help:
	@echo 'make demo    compile a real model and name the types of a few files'
	@echo 'make demo2   read a rendered line of text with PP-OCR (TEXT="…" for another)'
	@echo 'make demo3   decode with SmolLM2-135M, keys and values on the device, beside ONNX Runtime'
	@echo 'make test    build and run every check and test'
	@echo 'make wheel   pack the two Python packages into build/wheel (make wheel-aarch64: the runtime for AArch64)'
	@echo 'make try-wheels  both wheels on the Pythons of Debian 11, 12 and 13, the compiler in a chroot (as root, after make wheel)'
	@echo 'make deb     pack libheddle1, libheddle-dev and heddle for Debian into build/deb'
	@echo 'make build   build/release (PRESET=dev|asan|tsan|fuzz for another)'
	@echo 'make check   include order, names, sizes, formatting'
	@echo 'make format  format the C++ sources'
	@echo 'make bench   measure beside ONNX Runtime, OpenVINO and IREE and write docs/benchmarks.md, docs/operator-times.md'
	@echo 'make late-early  fails where a network is more than 2 % slower with late data tiling than with early'
	@echo 'make device-counts  what declaring 8 to 4,096 devices costs the compiler'
	@echo 'make device-lists  every network on every list of devices: the table of docs/design/multi-device-tests.md'
	@echo 'make networks every network of test/models against ONNX Runtime (make test: a slice)'
	@echo 'make zoo      NAMES (all) of 245 architectures of torchvision, timm and transformers, exported and compared (25 GB of disk; TIMES=1: measured)'
	@echo 'make torch-ops  the operators of PyTorch and programs that write, draw and train through torch.compile, against PyTorch (6 GB of disk)'
	@echo 'make asan    runtime tests under AddressSanitizer and UBSan (make tsan: ThreadSanitizer)'
	@echo 'make cross   tests on AArch64 and RISC-V by qemu-user'
	@echo 'make fuzz-placement  FUZZ_GRAPHS (10000) random programs on random devices'
	@echo 'make fuzz-devices    DEVICE_GRAPHS (300) random models compiled for two devices, against ONNX Runtime'
	@echo 'make fuzz-elementwise  ELEMENTWISE_GRAPHS (10000) random graphs of shared elementwise values, against ONNX Runtime'
	@echo 'make fuzz-differential  DIFFERENTIAL_GRAPHS (2000) random typed graphs in every way there is, against ONNX Runtime'
	@echo 'make data-dependent  DATA_PROGRAMS (400) random data-dependent programs of up to DATA_SIZE (1e7) elements on Vulkan'
	@echo 'make stream-orders  loops over streams in ORDERS (100000) random orders of their work'
	@echo 'make shard-random  SHARD_PROGRAMS (1000) random programs with random shardings on 1 to 8 ranks, a tenth of them run'
	@echo 'make rank-orders  RANK_RUNS (10000) runs on threads that wait for a random time before every collective'
	@echo 'make mutants  50 small mistakes in the source: which of them the tests catch'
	@echo 'make fuzz-sweep  every small change of every small model and StableHLO op through the importers'
	@echo 'make fuzz    libFuzzer targets, FUZZ_SECONDS (60) each (make fuzz-coverage: what they reach)'

setup:
	@scripts/setup.sh

build: setup
	@test -f build/$(PRESET)/build.ninja || cmake --preset $(PRESET)
	@ninja -C build/$(PRESET) -j$(JOBS)

# Only the programs that it starts: the tests' are built by `make test`.
demo: setup
	@test -f build/$(PRESET)/build.ninja || cmake --preset $(PRESET)
	@ninja -C build/$(PRESET) -j$(JOBS) heddle heddle-compile heddle-run
	@examples/magika/demo.sh build/$(PRESET)/bin

TEXT ?=
demo2: build
	@examples/ocr/demo.sh build/$(PRESET)/bin $(if $(TEXT),"$(TEXT)")

demo3: build
	@examples/llm/demo.sh build/$(PRESET)

test: setup
	@$(PYTHON) scripts/run_tests.py --jobs $(JOBS)

check: setup
	@$(PYTHON) scripts/run_tests.py --jobs $(JOBS) --only checks

format: setup
	@$(PYTHON) scripts/check_format.py --fix

# The two wheels (docs/design/packages.md), for x86-64; `make wheel-aarch64` cross-builds that of the runtime.
PACKAGE_PYTHON := build/package-venv/bin/python
$(PACKAGE_PYTHON): scripts/packaging.txt
	@python3 -m venv --clear build/package-venv
	@$@ -m pip install --quiet --disable-pip-version-check -r $<
	@touch $@

PYTHON310 ?=
wheel: setup $(PACKAGE_PYTHON)
	@test -f build/$(PRESET)/build.ninja || cmake --preset $(PRESET)
	@scripts/old_glibc.py build/old-glibc --zig $(PACKAGE_PYTHON)
	@scripts/python_headers.py build/python-headers/x86_64 $(if $(PYTHON310),--python310 $(PYTHON310))
	@cmake -S . -B build/$(PRESET) -DHEDDLE_OLD_GLIBC=$(CURDIR)/build/old-glibc -DHEDDLE_PYTHON_HEADERS=$(CURDIR)/build/python-headers/x86_64 > /dev/null
	@ninja -C build/$(PRESET) -j$(JOBS) heddle_packaged heddle_extensions
	@$(PYTHON) scripts/make_wheel.py --build build/$(PRESET)
	@for wheel in build/wheel/*_x86_64.whl; do $(PACKAGE_PYTHON) -m auditwheel show $$wheel | tr '\n' ' ' | \
	  grep -o '[^ ]*[.]whl is consistent with [^"]*"[a-z0-9_]*"\|constrains the platform tag to "[a-z0-9_]*"' || exit 1; done

# The wheels on the Pythons of three Debians, the compiler's in a chroot: as root.
try-wheels:
	@scripts/try_wheels.py --suite bullseye --compiler build/wheel/heddle-[0-9]*_x86_64.whl build/wheel/heddle_runtime-*-cp39-*_x86_64.whl
	@scripts/try_wheels.py --suite bookworm --compiler build/wheel/heddle-[0-9]*_x86_64.whl build/wheel/heddle_runtime-*-cp311-*_x86_64.whl
	@scripts/try_wheels.py --suite trixie --compiler build/wheel/heddle-[0-9]*_x86_64.whl build/wheel/heddle_runtime-*-cp312-abi3-*_x86_64.whl

wheel-aarch64: setup $(PACKAGE_PYTHON)
	@scripts/python_headers.py build/python-headers/aarch64 --machine aarch64
	@cmake -S . -B build/aarch64-wheel -G Ninja --toolchain cmake/zig.cmake -DHEDDLE_ZIG=$(CURDIR)/$(PACKAGE_PYTHON) -DHEDDLE_ZIG_MACHINE=aarch64 \
	  -DCMAKE_BUILD_TYPE=Release -DHEDDLE_COMPILER=OFF -DHEDDLE_TOOLS=OFF -DHEDDLE_TESTS=OFF -DHEDDLE_INSTALL=OFF -DHEDDLE_PYTHON_PACKAGE=ON \
	  -DHEDDLE_PYTHON_HEADERS=$(CURDIR)/build/python-headers/aarch64
	@ninja -C build/aarch64-wheel -j$(JOBS) heddle_runtime heddle_extensions
	@$(PYTHON) scripts/make_wheel.py --build build/aarch64-wheel

# As the packages of Debian are: with the system's libraries.
deb: build
	@cd build/$(PRESET) && cpack -B $(CURDIR)/build/deb > /dev/null && ls -l $(CURDIR)/build/deb/*.deb

networks: build
	@HEDDLE_NETWORKS=all HEDDLE_BIN=build/$(PRESET)/bin $(PYTHON) test/run_unittests.py test/networks

bench: build
	@benchmarks/setup_peers.sh
	@$(PYTHON) benchmarks/run.py --bin build/$(PRESET)/bin --output docs/benchmarks.md
	@$(PYTHON) benchmarks/run.py --bin build/$(PRESET)/bin --output docs/operator-times.md --table operators --peers ort --seconds 0.05

device-lists: build
	@$(PYTHON) test/networks/device_lists.py --bin build/$(PRESET)/bin --table docs/design/multi-device-tests.md

# PyTorch and its packages are in an environment of their own; what is exported stays.
ZOO := build/zoo
NAMES ?=
TIMES ?=
zoo: build
	@test -x $(ZOO)/venv/bin/python || python3 -m venv $(ZOO)/venv
	@$(ZOO)/venv/bin/pip install --quiet -r test/zoo/requirements.txt
	@for way in fixed free traced; do $(ZOO)/venv/bin/python test/zoo/export.py $(ZOO)/models $(NAMES) --way $$way; done
	@$(PYTHON) test/zoo/run.py $(ZOO)/models $(NAMES) --bin build/$(PRESET)/bin $(if $(TIMES),--times)

# AGAIN=1: also what has a record from an earlier run (a line for each sample in build/torch/op_db.jsonl).
TORCH := build/torch
AGAIN ?=
torch-ops: build
	@test -x $(TORCH)/venv/bin/python || $(PYTHON) -m venv $(TORCH)/venv
	@$(TORCH)/venv/bin/pip install --quiet -r test/torch/requirements.txt
	@for test in torch torch_export torch_programs torch_mutations torch_training torch_users torch_trials torch_language torch_vision; do \
	  PYTHONPATH=build/$(PRESET)/python $(TORCH)/venv/bin/python bindings/python/test/test_$$test.py || exit 1; done
	@for test in test_translation.py test_operators.py "random_writes.py --seeds 0:500"; do \
	  PYTHONPATH=build/$(PRESET)/python $(TORCH)/venv/bin/python test/torch/$$test || exit 1; done
	@for kind in "" --backward "--dtype bfloat16" "--dtype bfloat16 --backward" "--dtype int64" "--dtype bool"; do PYTHONPATH=build/$(PRESET)/python $(TORCH)/venv/bin/python \
	  test/torch/op_db.py $(NAMES) $$kind --records $(TORCH)/op_db.jsonl --jobs $(JOBS) $(if $(AGAIN),--again) $(if $(NAMES),,--write docs/pytorch.md) || exit 1; done

late-early: build
	@$(PYTHON) benchmarks/late_early.py --bin build/$(PRESET)/bin

DATA_PROGRAMS ?= 400
DATA_SIZE ?= 1e7
data-dependent: build
	@DATA_PROGRAMS=$(DATA_PROGRAMS) DATA_SIZE=$(DATA_SIZE) HEDDLE_BIN=build/$(PRESET)/bin $(PYTHON) test/run_unittests.py test/e2e -k DataDependent

device-counts: build
	@$(PYTHON) benchmarks/device_counts.py --bin build/$(PRESET)/bin

# Eight threads on one module: a slice in the other builds, about a minute here.
tsan: export HEDDLE_STATE_CALLS = 20000
asan tsan: setup
	@$(PYTHON) scripts/run_tests.py --jobs $(JOBS) --only $@

FUZZ_SECONDS ?= 60
fuzz: setup
	@$(PYTHON) scripts/run_fuzzers.py --jobs $(JOBS) --seconds $(FUZZ_SECONDS)

# Random programs on random devices against the same programs on one.
FUZZ_GRAPHS ?= 10000
DEVICE_GRAPHS ?= 300
SEED ?= 1000
fuzz-sweep: setup
	@$(PYTHON) scripts/run_fuzzers.py --jobs $(JOBS) --sweep

fuzz-devices: build
	@HEDDLE_GRAPHS=$(DEVICE_GRAPHS) HEDDLE_SEED=$(SEED) HEDDLE_BIN=build/$(PRESET)/bin $(PYTHON) test/run_unittests.py test/random_graphs

fuzz-placement: build
	@HEDDLE_FUZZ_GRAPHS=$(FUZZ_GRAPHS) build/$(PRESET)/bin/heddle_placement_fuzz_test

fuzz-coverage: setup
	@$(PYTHON) scripts/run_fuzzers.py --jobs $(JOBS) --coverage

cross: build
	@scripts/setup.sh --cross
	@$(PYTHON) scripts/run_cross.py --jobs $(JOBS)

DIFFERENTIAL_GRAPHS ?= 2000
fuzz-differential: build
	@$(PYTHON) test/differential/differential.py --bin build/$(PRESET)/bin --graphs $(DIFFERENTIAL_GRAPHS) --seed $(SEED)

ELEMENTWISE_GRAPHS ?= 10000
fuzz-elementwise: build
	@HEDDLE_GRAPHS=$(ELEMENTWISE_GRAPHS) HEDDLE_SEED=$(SEED) HEDDLE_BIN=build/$(PRESET)/bin $(PYTHON) test/run_unittests.py test/elementwise

# Loops over streams, structured and flattened, in that many orders of their streams' work.
ORDERS ?= 100000
stream-orders: build
	@cd compiler/Dialect/Host/Interpreter/test && for program in stream_for*.mlir stream_loop.mlir ring.mlir ragged_loop.mlir balanced_loop.mlir; do \
	  for flatten in "" --package-flatten-stream-loops; do \
	    $(CURDIR)/build/$(PRESET)/bin/heddle-opt $$program $$flatten --run-host="schedules=$(ORDERS)" -o /dev/null || exit 1; \
	  done; \
	done

# Random whole programs with random requests for shardings, against numpy.
SHARD_PROGRAMS ?= 1000
shard-random: build
	@HEDDLE_SHARD_PROGRAMS=$(SHARD_PROGRAMS) HEDDLE_SHARD_SEED=$(SEED) HEDDLE_BIN=build/$(PRESET)/bin $(PYTHON) test/run_unittests.py test/shardings

# A program of many ranks whose threads come to each collective in any order.
RANK_RUNS ?= 10000
rank-orders: build
	@HEDDLE_RANK_RUNS=$(RANK_RUNS) build/$(PRESET)/bin/ranks_test --gtest_filter=*AnyOrderOfArrival

mutants: build
	@$(PYTHON) scripts/run_mutants.py --jobs $(JOBS)
