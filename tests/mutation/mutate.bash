#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# mutate.bash ROOM [--count N] [--seed S]: small random changes of a room's sources, one at a time; each should
# make a test of that room fail. Works in a copy below build/mutation, so that the checkout stays as it is.
set -euo pipefail
cd "$(dirname "$0")/../.."

readonly work=$PWD/build/mutation least_percent=90
readonly tree=$work/tree build=$work/build drawn=$work/drawn
killed=0 survived=0 broken=0 same=0

fail() { echo "mutate: $*" >&2; exit 2; }

read_words() {
  room='' count=30 seed=1
  while [ $# -gt 0 ]; do
    case "$1" in
      --count) count=${2:?mutate: --count needs a number}; shift ;;
      --seed) seed=${2:?mutate: --seed needs a number}; shift ;;
      -*) fail "unknown option '$1'; there are --count N and --seed S" ;;
      *) room=${1%/} ;;
    esac
    shift
  done
  [ -n "$room" ] || fail "which room? one of: $(rooms)"
  compgen -G "$room/*.cpp" >/dev/null || fail "no such room: '$room'; one of: $(rooms)"
}

rooms() { git ls-files -- '*.cpp' | grep -vE '^(tests|probes)/' | xargs -n 1 dirname | sort -u | paste -sd ' '; }

# The tests of a room, or of the room around it: sets test_folder and test_name.
find_tests() {
  test_folder=tests/$room
  while [ ! -e "$test_folder/CMakeLists.txt" ]; do test_folder=$(dirname "$test_folder"); done
  # The commands are tested through the program.
  case "$room" in harness/commands*) test_folder=tests/harness/cli ;; esac
  test_name=$(sed -n 's/^pippin_test(\([a-z_]*\).*/\1/p' "$test_folder/CMakeLists.txt" | head -n 1)
  [ -n "$test_name" ] || fail "$test_folder has no tests of $room"
}

# Only what differs, which keeps builds short; also what a run that was ended left changed.
copy_tree() {
  local file
  mkdir -p "$tree"
  while IFS= read -r -d '' file; do
    if [ -f "$file" ] && ! cmp --quiet "$file" "$tree/$file"; then cp --parents -t "$tree" "$file"; fi
  done < <(git ls-files -z --cached --others --exclude-standard)
}

build_test() { cmake --build "$build" --target "${test_name}_test"; }

run_test() {
  (
    ulimit -v 8000000 # what never ends must not take the machine's memory with it
    cd "$build/$test_folder"
    TMPDIR=$work/tmp timeout --kill-after=2 "$1" "./${test_name}_test" --abort
  ) </dev/null
}

# A test that skips itself is none that fails.
passes() {
  local status=0
  rm -rf "$work/tmp" && mkdir -p "$work/tmp"
  run_test "$1" >"$work/test.txt" 2>&1 || status=$?
  [ "$status" -eq 0 ] || [ "$status" -eq 77 ]
}

# What the room is built to: an optimiser that makes the same of a mutant as of the source has shown that it
# is none. Not the test program, which leaves out what no test calls.
built() {
  local folder=$room
  while ! compgen -G "$build/$folder/*.a" >/dev/null && [ "$folder" != . ]; do folder=$(dirname "$folder"); done
  if [ "$folder" = . ]; then cksum <"$build/pippin"; else cat "$build/$folder"/*.a | cksum; fi
}

build_all() {
  cmake -S "$tree" -B "$build" -G Ninja "$@" -DPIPPIN_TESTS=ON -DCMAKE_BUILD_TYPE=None -DCMAKE_CXX_FLAGS=-O1 &&
    build_test && cmake --build "$build" --target mutants
}

prepare() {
  local launcher=() begin
  if command -v ccache >/dev/null; then launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
  copy_tree
  build_all "${launcher[@]}" >"$work/build.txt" 2>&1 ||
    fail "the sources themselves do not build; see $work/build.txt"
  begin=$SECONDS
  passes 600 || fail "the tests fail as it is; see $work/test.txt"
  limit=$((3 * (SECONDS - begin) + 10))
  original=$(built)
  rm -rf "$drawn"
  "$build/tests/mutation/mutants" "$seed" "$count" "$drawn" "$room"/*.cpp
}

# The lines that differ, without their indentation.
change_of() { diff -- "$1" "$2" | sed -n 's/^\([<>]\)[[:space:]]*/\1 /p'; }

# Entries of equivalent.txt: a reason behind '#', the file, the lines as change_of has them, an empty line.
is_equivalent() {
  FILE=$1 CHANGE=$2 awk 'BEGIN { RS = ""; FS = "\n"; status = 1 }
    { file = ""; change = ""
      for (i = 1; i <= NF; ++i) {
        if ($i ~ /^#/) continue
        if (file == "") { file = $i; continue }
        change = change (change == "" ? "" : "\n") $i
      }
      if (file == ENVIRON["FILE"] && change == ENVIRON["CHANGE"]) status = 0
    }
    END { exit status }' tests/mutation/equivalent.txt
}

try_mutant() {
  local place file change
  place=$(<"$1/place") file=${place%%:*}
  cp "$1/mutant" "$tree/$file"
  change=$(change_of "$file" "$tree/$file" || true)
  if is_equivalent "$file" "$change"; then
    same=$((same + 1))
  elif ! build_test >"$work/build.txt" 2>&1; then
    broken=$((broken + 1))
  elif [ "$(built)" = "$original" ]; then
    same=$((same + 1))
  elif passes "$limit"; then
    survived=$((survived + 1))
    printf 'survived: %s\n%s\n' "$place" "$change"
  else
    killed=$((killed + 1))
  fi
  cp "$file" "$tree/$file"
}

main() {
  read_words "$@"
  find_tests
  prepare
  local folder
  for folder in "$drawn"/*/; do try_mutant "${folder%/}"; done
  [ "$same" -eq 0 ] || echo "$same change nothing, by the compiler or by tests/mutation/equivalent.txt"
  echo "$killed killed, $survived survived, $broken did not compile"
  [ $((killed * 100)) -ge $(((killed + survived) * least_percent)) ]
}

main "$@"
