#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# dev_test.bash CASE: ./dev in a small checkout of its own, on systems that are made up.
set -euo pipefail
source=$(realpath "$(dirname "$0")/../..")
here=$(mktemp -d)
trap 'rm -rf "$here"' EXIT
cd "$here"
unset CMAKE_PREFIX_PATH CMAKE_TOOLCHAIN_FILE CMAKE_GENERATOR CMAKE_{C,CXX}_COMPILER_LAUNCHER CXX CC CXXFLAGS LDFLAGS PIPPIN_OS_RELEASE

failed() { echo "failed: $*"; exit 1; }
equal() { [ "$1" = "$2" ] || failed "line ${BASH_LINENO[0]}: expected '$2', found '$1'"; }
holds() { [[ $1 == *"$2"* ]] || failed "line ${BASH_LINENO[0]}: '$2' is not in '$1'"; }
lacks() { [[ $1 != *"$2"* ]] || failed "line ${BASH_LINENO[0]}: '$2' is in '$1'"; }

# A checkout with dev and its look at libraries as they are, and one small program and test.
checkout() {
  mkdir -p checkout/sweeps/examples
  cp -r "$source/dev" "$source/cmake" checkout
  cat >checkout/CMakeLists.txt <<'TEXT'
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
set(PIPPIN_TESTS AUTO CACHE STRING "")
include(cmake/libraries.cmake)
add_executable(pippin pippin.cpp)
add_custom_target(programs DEPENDS pippin)
if(Catch2_FOUND)
  enable_testing()
  add_executable(small_test pippin.cpp)
  add_test(NAME small COMMAND small_test)
endif()
TEXT
  echo 'int main() {}' >checkout/pippin.cpp
}

# This machine's programs without apt's and ccache, in a folder that is all of PATH.
programs_without_apt() {
  local folder
  mkdir bin
  for folder in /usr/local/bin /usr/bin /bin; do ln -s "$folder"/* bin 2>/dev/null || true; done
  rm -f bin/apt-get bin/apt-cache bin/dpkg-query bin/sudo bin/ccache
  export PATH=$here/bin
}

# program NAME TEXT: a program of that name before all others.
program() {
  rm -f "bin/$1"
  printf '#!/bin/bash\n%s\n' "$2" >"bin/$1"
  chmod +x "bin/$1"
}

# apt that has every package and none installed, and writes down what it is asked to install.
apt() {
  program dpkg-query 'exit 1'
  program apt-cache 'exit 0'
  program apt-get "if [ \$1 = install ]; then echo \"\$@\" >>$here/installed; fi; ${1:-exit 0}"
  program sudo 'exec "$@"'
}

release() { printf 'PRETTY_NAME="x"\nID=%s\nVERSION_ID="%s"\n' "$1" "$2" >os-release; export PIPPIN_OS_RELEASE=$here/os-release; }

# A system without any library: CMake looks into $here/system only.
no_libraries() {
  mkdir -p system/prefix
  cat >toolchain.cmake <<TEXT
set(CMAKE_FIND_ROOT_PATH $here/system)
foreach(KIND LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_\${KIND} ONLY)
endforeach()
TEXT
  export CMAKE_TOOLCHAIN_FILE=$here/toolchain.cmake
}

# dev WORD...: sets out, err and status.
dev() {
  status=0
  checkout/dev "$@" >out 2>err || status=$?
  out=$(cat out) err=$(cat err)
}

names_of_each_debian() {
  programs_without_apt
  apt
  no_libraries # so that it ends before it builds
  release debian 12
  dev quickstart
  holds " $(cat installed) " ' libboost1.81-dev libboost-filesystem1.81-dev '
  lacks " $(cat installed) " ' libboost-dev '
  lacks " $(cat installed) " ' catch2 '
  rm installed
  release debian 13
  dev test
  holds " $(cat installed) " ' libboost-dev libboost-filesystem-dev '
  lacks "$(cat installed)" '1.81'
  holds " $(cat installed) " ' catch2 '
  holds " $(cat installed) " ' slurmdbd '
  equal "$(wc -l <installed)" 1
  # shellcheck disable=SC2016 # dpkg's
  program dpkg-query 'echo installed'
  dev test
  equal "$(wc -l <installed)" 1
}

apt_that_fails() {
  programs_without_apt
  apt 'exit 100'
  release debian 13
  dev quickstart
  holds "$err" 'dev: apt-get could not install them'
  equal "$status" 0
}

asks_before_sudo() {
  programs_without_apt
  apt
  no_libraries
  release debian 13
  program id 'echo 1000'
  program sudo "echo asked >>$here/root; exec \"\$@\""
  dev quickstart # nobody is there to be asked
  holds "$err" 'installing with sudo: '
  equal "$(wc -l <installed)" 1
  rm root installed
  script --quiet --return --command 'checkout/dev quickstart' /dev/null >terminal <<<n || true
  holds "$(cat terminal)" 'installing with sudo: '
  holds "$(cat terminal)" 'Go on? [y/N]'
  [ ! -e root ] || failed 'sudo was called though the answer was no'
  script --quiet --return --command 'checkout/dev quickstart' /dev/null >terminal <<<y || true
  equal "$(wc -l <installed)" 1
}

nothing_here() {
  programs_without_apt
  no_libraries
  rm bin/mpirun 2>/dev/null || true
  dev quickstart
  equal "$status" 3
  equal "$err" 'dev: missing: mpirun (Open MPI 4 or later); install them, or name where they lie in PATH and CMAKE_PREFIX_PATH'
  program mpirun 'exit 0'
  dev test
  equal "$status" 3
  equal "$out" ''
  equal "$err" 'dev: missing: Boost 1.81 or later (headers, filesystem), bzip2 1.0 or later, CLI11 2.1 or later, Eigen 3.4 or later, fmt 9 or later, liblzma 5.2 or later, libzip 1.7 or later, nlohmann JSON 3.11 or later, NLopt 2.7 or later (with nlopt.hpp), RE2 2020 or later, SQLite 3.40 or later, utf8proc 2.8 or later, xxHash 0.8 or later, yaml-cpp 0.7 or later, zlib 1.2 or later, zstd 1.4 or later, Catch2 2.13 or later; install them, or name where they lie in PATH and CMAKE_PREFIX_PATH'
  dev quickstart
  equal "$status" 3
  lacks "$err" Catch2
}

no_cmake() {
  programs_without_apt
  rm bin/cmake bin/ninja
  dev quickstart
  equal "$status" 3
  equal "$(wc -l <err)" 1
  holds "$err" 'dev: missing: CMake 3.25 or later, Ninja (without CMake unseen: Boost 1.81 or later (headers, filesystem), '
  holds "$err" ', yaml-cpp 0.7 or later, zlib 1.2 or later, zstd 1.4 or later)'
  program cmake 'echo "cmake version 3.18.4"'
  dev quickstart
  equal "$status" 3
  holds "$err" 'dev: missing: CMake 3.25 or later, Ninja'
  program cmake 'echo "cmake version 4.0.1"'
  dev quickstart
  holds "$err" 'dev: missing: Ninja; install'
}

# package NAME VERSION: a library with a CMake package, in the prefix.
package() {
  mkdir -p "system/prefix/lib/cmake/$1"
  echo >"system/prefix/lib/cmake/$1/$1Config.cmake"
  cat >"system/prefix/lib/cmake/$1/$1ConfigVersion.cmake" <<TEXT
set(PACKAGE_VERSION $2)
if(NOT PACKAGE_VERSION VERSION_LESS PACKAGE_FIND_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
TEXT
}

prefix() {
  programs_without_apt
  no_libraries
  program mpirun 'exit 0'
  package fmt 10.1.1
  package CLI11 1.9
  mkdir -p system/prefix/include
  touch system/prefix/include/xxhash.h system/prefix/lib/libxxhash.so
  export CMAKE_PREFIX_PATH=$here/system/prefix
  dev quickstart
  equal "$status" 3
  lacks "$err" fmt
  lacks "$err" xxHash
  holds "$err" 'CLI11 2.1 or later (here: 1.9), '
  holds "$err" 'utf8proc'
}

failed_tests() {
  programs_without_apt
  program mpirun 'exit 0'
  echo 'add_test(NAME "(other)" COMMAND small_test)' >>checkout/CMakeLists.txt
  printf '#include <cstdio>\nint main() { std::puts("lines before\\nsix times nine is 42"); return 1; }\n' >checkout/pippin.cpp
  dev test
  equal "$status" 8
  holds "$out" $'\n--- failed: small\nlines before\nsix times nine is 42\n\n--- failed: (other)\nlines before\n'
  equal "$(tail -n 1 out)" '0 passed, 2 failed, 0 skipped'
  echo 'int main() {}' >checkout/pippin.cpp
  dev test
  lacks "$out" '--- failed'
  equal "$(tail -n 1 out)" '2 passed, 0 failed, 0 skipped'
}

shared_folder() {
  programs_without_apt
  program mpirun 'exit 0'
  export CMAKE_BUILD_PARALLEL_LEVEL=1
  dev test
  equal "$status" 0
  holds "$out" '1 passed, 0 failed, 0 skipped'
  find checkout/build -name '*.o' -printf '%p %T@\n' | sort >before
  dev quickstart
  equal "$status" 0
  holds "$err" 'ninja: no work to do.'
  ctest --test-dir checkout/build --no-tests=error >ctest.out
  dev test
  holds "$err" 'ninja: no work to do.'
  find checkout/build -name '*.o' -printf '%p %T@\n' | sort >after
  equal "$(grep -c small_test after)" 1
  cmp before after
}

checkout
"$1"
