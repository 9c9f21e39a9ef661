// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <memory>
#include <string>

#include "probes/common/log.h"

namespace pippin::probes {

/// Where a probe's lines go that has --json: those for a person and the JSON, each of the first
/// rank alone. JSON on standard output takes the place of the other lines, so that a program can
/// read it.
class TwoLogs {
 public:
  /// `json`: a file, "-" for standard output, empty for none.
  /// Errors: Error (bad input) where the file cannot be written.
  TwoLogs(const std::string& json, bool first_rank);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;

 public:
  Log table, json;
};

}  // namespace pippin::probes
