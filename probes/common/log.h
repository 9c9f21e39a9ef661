// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>
#include <vector>

namespace pippin::probes {

/// Where the lines go: standard output of rank 0, one flushed line at a time, so that a log is
/// whole up to the moment its process is killed.
class Log {
 public:
  explicit Log(std::FILE* out, bool speaks = true) : out_(out), speaks_(speaks) {}

  /// Errors: Error (machine) where the line cannot be written (a full disk).
  void line(const std::string& text);
  /// Several, written as one.
  void lines(const std::vector<std::string>& texts);

 private:
  std::FILE* out_;
  bool speaks_;
};

}  // namespace pippin::probes
