# SPDX-License-Identifier: Apache-2.0
# Builds and checks the probes, for `pippin probes build`:
#   bash -c TEXT_OF_THIS build_probes SOURCE WORK PROGRAMS PROLOG [mpi] [cuda]
# The log of all is WORK/log, the programs end in PROGRAMS. Standard output says what they were built
# with; standard error has one line where something is missing (exit 2) or fails (exit 3: the log has
# more). A prolog is anybody's bash: names are long.
pippin_source=$1 pippin_work=$2 pippin_programs=$3 pippin_prolog=$4
pippin_with=("${@:5}")
pippin_remedy="have it on PATH, on a cluster by a prolog such as 'module load"
declare -A pippin_libraries=(
  [mpi]="MPI: have its mpicxx on PATH, on a cluster by a prolog such as 'module load openmpi"
  [cuda]="CUDA from 12 on with cuBLASLt: have its nvcc on PATH, on a cluster by a prolog such as 'module load cuda"
)

exec 3>&1 4>&2 >>"$pippin_work/log" 2>&1 || exit 3

pippin_end() { # EXIT_CODE WORDS
  local words=$2
  if [ -s "$pippin_work/prolog" ]; then words+="; the prolog said: $(head -n 1 "$pippin_work/prolog")"; fi
  printf '%s\n' "$words" >&4
  exit "$1"
}
pippin_lack() { pippin_end 2 "$*"; }
pippin_fail() { pippin_end 3 "$*; the log is $pippin_work/log"; }

# What the probes use that a compiler may lack: GCC 10 has neither of them.
pippin_knows_cxx20() { # COMPILER WORD...
  "$@" -std=c++20 -x c++ - -o "$pippin_work/try" <<'CXX'
#include <bit>
#include <charconv>
#include <concepts>
#include <span>
template <std::floating_point T>
unsigned bits(std::span<const T> numbers) { return std::bit_cast<unsigned>(numbers.front()); }
int main(int count, char** words) {
  float number = 0;
  std::from_chars(words[0], words[0] + count, number);
  return static_cast<int>(bits(std::span<const float>(&number, 1)));
}
CXX
}

pippin_choose_compiler() { # the user's CXX, or the first that will do
  local compiler words oldest='' known=(c++ g++ clang++ g++-14 g++-13 g++-12 g++-11)
  if [ -n "${CXX:-}" ]; then known=("$CXX"); fi
  for compiler in "${known[@]}"; do
    read -ra words <<<"$compiler"
    command -v "${words[0]}" >/dev/null || continue
    if pippin_knows_cxx20 "${words[@]}"; then
      export CXX=$compiler
      return
    fi
    oldest=${oldest:-"$compiler ($("${words[@]}" --version | head -n 1))"}
  done
  if [ -n "$oldest" ]; then
    pippin_lack "the probes need a compiler of C++20, GCC 11 or Clang 14 or newer, and $oldest is older or does" \
      "not work: $pippin_remedy gcc', or name one by CXX"
  fi
  if [ -n "${CXX:-}" ]; then pippin_lack "CXX is '$CXX', which is not on PATH: unset it, or name a C++ compiler"; fi
  pippin_lack "no C++ compiler on PATH: the probes need GCC 11, Clang 14 or newer: $pippin_remedy gcc', or name one by CXX"
}

pippin_need_cmake() {
  local least=3.18 version
  command -v cmake >/dev/null ||
    pippin_lack "no cmake on PATH: the probes need CMake $least or newer: $pippin_remedy cmake', or pip install cmake"
  version=$(cmake --version | sed -n '1s/[^0-9]*//p')
  [ "$(printf '%s\n' "$least" "$version" | sort -V | head -n 1)" = "$least" ] ||
    pippin_lack "CMake $version is too old: the probes need $least or newer: $pippin_remedy cmake', or pip install cmake"
  command -v ninja || command -v make ||
    pippin_lack "neither make nor ninja on PATH: CMake builds with one of them: $pippin_remedy make'"
}

pippin_complaint() { # PATTERN: the first line of the log that has it
  grep -m 1 -E "$1" "$pippin_work/log" | cut -c 1-300
}

pippin_configure() {
  local options=() name
  for name in "${pippin_with[@]}"; do options+=("-DPROBES_REQUIRE_${name^^}=ON"); done
  if command -v ninja >/dev/null; then options+=(-G Ninja); else options+=(-G "Unix Makefiles"); fi
  if [[ $CXX != *' '* ]]; then export CUDAHOSTCXX=${CUDAHOSTCXX:-$CXX}; fi
  cmake -S "$pippin_source" -B "$pippin_work/tree" -DCMAKE_BUILD_TYPE=Release \
    "-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG" "${options[@]}" && return
  for name in "${pippin_with[@]}"; do
    if grep -q "probes: no ${name^^}, which is required" "$pippin_work/log"; then
      pippin_fail "--with $name: CMake finds no ${pippin_libraries[$name]}'"
    fi
  done
  pippin_fail "CMake cannot configure the probes: $(pippin_complaint 'CMake Error')"
}

pippin_build() {
  local jobs
  jobs=$(nproc)
  # A login node is not ours alone.
  cmake --build "$pippin_work/tree" --parallel "$((jobs < 8 ? jobs : 8))" ||
    pippin_fail "the probes do not build: $(pippin_complaint 'error:|error :|Error [0-9]|FAILED')"
}

pippin_check() { # PROGRAM WORD...: it runs here, where its libraries are
  local said
  # As one process, whatever this one was launched by.
  if ! said=$(cd "$pippin_programs" && env -u RANK -u WORLD_SIZE -u SLURM_PROCID -u SLURM_STEP_NUM_TASKS -u PMI_RANK \
    -u PMI_SIZE -u PMIX_RANK -u OMPI_COMM_WORLD_RANK -u OMPI_COMM_WORLD_SIZE "./$1" "${@:2}" 2>&1 </dev/null); then
    pippin_fail "the probes are built, but '$*' fails: $(head -n 1 <<<"$said" | cut -c 1-300)"
  fi
  echo "$* says: $said"
  if [ "$2" = --built ]; then echo "$1: ${said#built with: }" >&3; fi
}

pippin_take_programs() {
  local file
  mkdir "$pippin_programs" || pippin_fail "cannot make $pippin_programs"
  for file in "$pippin_work/tree"/*; do
    if [ -f "$file" ] && [ -x "$file" ]; then cp "$file" "$pippin_programs/"; fi
  done
  pippin_check training --built
  pippin_check training --iterations 2
  pippin_check replay --iterations 2 --sleep-factor 0
  for file in collective gemm canary; do pippin_check "$file" --help; done
  if [ -e "$pippin_programs/training-cuda" ]; then pippin_check training-cuda --built; fi
}

eval "$pippin_prolog" >"$pippin_work/prolog" 2>&1
pippin_choose_compiler
pippin_need_cmake
pippin_configure
pippin_build
pippin_take_programs
