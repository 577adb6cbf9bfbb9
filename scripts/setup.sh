#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
#
# setup.sh [--tests]: installs the Debian packages that a build, or a build and its tests, need and
# the machine lacks. Says nothing when all are there. KHANZERO_SKIP_SETUP=1 skips it.
set -euo pipefail
# shellcheck source=scripts/common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

[[ ${KHANZERO_SKIP_SETUP:-0} != 1 ]] || exit 0

packages=(
  cmake g++ ninja-build ccache pkg-config
  libeigen3-dev libspdlog-dev libyaml-cpp-dev libgtest-dev libcli11-dev nlohmann-json3-dev
  libcpp-httplib-dev libhiredis-dev libsqlitecpp-dev libsqlite3-dev libzstd-dev libxxhash-dev
  libminizip-dev libprotobuf-dev protobuf-compiler libdnnl-dev libonnx-dev
)

# Nobody who only trains needs a server on the machine.
[[ ${1:-} != --tests ]] || packages+=(redis-server)

# Whether CMAKE_PREFIX_PATH names a LibTorch of the user's own.
has_own_libtorch() {
  local folder
  local -a folders
  IFS=':;' read -r -a folders <<<"${CMAKE_PREFIX_PATH:-}"
  for folder in "${folders[@]}"; do
    [[ ! -e $folder/share/cmake/Torch/TorchConfig.cmake ]] || return 0
  done
  return 1
}

# LibTorch computes on the reference BLAS, some thirty times slower, until OpenBLAS is there.
has_own_libtorch || packages+=(libtorch-dev libopenblas0-pthread libgloo-dev)

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  cat >&2 <<TEXT
setup.sh: this system has no apt, so nothing was installed. A build needs: CMake 3.24, Ninja, a C++20
compiler, pkg-config, LibTorch (1.13 or later; your own is found through CMAKE_PREFIX_PATH) on
OpenBLAS or MKL, oneDNN 2.6 or later, Eigen 3, spdlog, yaml-cpp, GoogleTest, CLI11, cpp-httplib,
hiredis, nlohmann-json, SQLiteCpp, SQLite 3, zstd, xxHash, minizip, protobuf and ONNX. With all of them in
place, set KHANZERO_SKIP_SETUP=1.
TEXT
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null || true)
  [[ $status == installed ]] || missing+=("$package")
done

install_missing() {
  local as_root=()
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      fail "packages are missing and there is no sudo; as root: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  printf 'Installing %d packages: %s\n' "${#missing[@]}" "${missing[*]}"
  local log
  log=$(mktemp)
  local install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
    apt-get -o DPkg::Lock::Timeout=120 install --yes --quiet --no-install-recommends
    "${missing[@]}")
  # The package lists are fetched only when the ones at hand do not lead to the packages.
  if ! "${install[@]}" >"$log" 2>&1; then
    if ! { "${as_root[@]}" apt-get update --quiet && "${install[@]}"; } >"$log" 2>&1; then
      cat "$log" >&2
      rm -f "$log"
      fail "the packages could not be installed; the output of apt-get is above"
    fi
  fi
  rm -f "$log"
}

((${#missing[@]} == 0)) || install_missing

# Several packages can provide libblas.so.3; the slow one may still be the one in use.
check_blas() {
  local library name path=/sbin:/usr/sbin:$PATH
  # awk reads to the end: leaving early would kill the writer and, by pipefail, this script.
  library=$(PATH=$path ldconfig -p | awk '$1 == "libblas.so.3" && !n++ { print $NF }')
  library=$(readlink -f "$library")
  case $library in
    *openblas* | *mkl* | *blis* | *atlas*) return ;;
  esac
  name=$(PATH=$path update-alternatives --get-selections |
    awk '$1 ~ /^libblas\.so\.3/ && !n++ { print $1 }')
  printf 'setup.sh: LibTorch uses the slow BLAS %s; choose OpenBLAS with: %s\n' "$library" \
    "sudo update-alternatives --config $name" >&2
}
has_own_libtorch || check_blas
