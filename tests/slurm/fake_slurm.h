// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/base/text.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

namespace pippin::test {

/// Lines with '|' for the separator that is asked for.
inline std::string separated(std::string text) {
  std::replace(text.begin(), text.end(), '|', '\x1f');
  return text;
}

/// Slurm's programs on PATH, which say what they are told to and note how they were called.
class FakeSlurm {
 public:
  explicit FakeSlurm(const std::vector<std::string>& programs = {"sbatch", "squeue", "sacct",
                                                                 "scancel", "scontrol", "sinfo",
                                                                 "sacctmgr", "srun", "sdiag"}) {
    for (const auto& program : programs) {
      disk().write(folder_ / "bin" / program, kScript);
      fs::permissions(folder_ / "bin" / program, fs::perms::owner_all);
    }
    ::setenv("PATH", (folder_ / "bin").c_str(), 1);
  }
  ~FakeSlurm() { ::setenv("PATH", path_.c_str(), 1); }
  FakeSlurm(const FakeSlurm&) = delete;
  FakeSlurm& operator=(const FakeSlurm&) = delete;

  /// What "squeue" answers from now on, or "scontrol.config": scontrol with that word. '|' stands
  /// for the separator that is asked for.
  void says(const std::string& program, const std::string& text) {
    says_as_it_is(program, separated(text));
  }
  void says_as_it_is(const std::string& program, const std::string& text,
                     const std::string& warning = "") {
    disk().write(folder_ / (program + ".out"), text);
    if (!warning.empty()) disk().write(folder_ / (program + ".err"), warning);
  }
  /// From now on it is this script of bash.
  void is(const std::string& program, const std::string& script) {
    disk().write(folder_ / "bin" / program, "#!/bin/bash\n" + script);
  }
  void fails(const std::string& program, const std::string& words, int exit_code = 1) {
    disk().write(folder_ / (program + ".out"), "");
    disk().write(folder_ / (program + ".err"), words);
    disk().write(folder_ / (program + ".code"), std::to_string(exit_code));
  }
  void works(const std::string& program) {
    fs::remove(folder_ / (program + ".err"));
    fs::remove(folder_ / (program + ".code"));
  }

  /// How `program` was called since the last time that was asked: "sbatch [--parsable] […]".
  std::vector<std::string> calls(const std::string& program) {
    std::vector<std::string> found;
    const std::string all = disk().read(folder_ / "calls").value_or("");
    std::string rest;
    for (std::string_view line : split(trim(all), '\n')) {
      if (line.starts_with(program + " ")) {
        found.emplace_back(line);
      } else if (!line.empty()) {
        rest += std::string(line) + "\n";
      }
    }
    disk().write(folder_ / "calls", rest);
    return found;
  }

 private:
  static constexpr const char* kScript = R"(#!/bin/sh
here=${0%/*}/..
name=${0##*/}
line=$name
for word; do
  line="$line [$word]"
  if [ -e "$here/${0##*/}.$word.out" ]; then name=${0##*/}.$word; fi
done
printf '%s {%s}\n' "$line" "$SLURM_TIME_FORMAT" >>"$here/calls"
# No program but the shell is on PATH.
show() { while IFS= read -r text || [ -n "$text" ]; do printf '%s\n' "$text"; done <"$1"; }
if [ -e "$here/$name.out" ]; then show "$here/$name.out"; fi
if [ -e "$here/$name.err" ]; then show "$here/$name.err" >&2; fi
code=0
if [ -e "$here/$name.code" ]; then read -r code <"$here/$name.code" || :; fi
exit "$code"
)";

  TemporaryDirectory folder_;
  std::string path_ = std::getenv("PATH");
};

}  // namespace pippin::test
