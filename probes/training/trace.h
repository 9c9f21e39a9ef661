// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "probes/training/channel.h"
#include "probes/training/layout.h"

namespace pippin::probes {

/// One rank's file of JSON lines: what it did when, and each call. Times are nanoseconds of the
/// rank's own steady clock; the first line has what to add for the first rank's.
class Trace {
 public:
  /// Writes DIRECTORY/rank-N.jsonl anew; makes the directory. Errors: Error (machine).
  Trace(const std::string& directory, int rank);

  void begin(int rank, const Place& place, const std::string& node, std::int64_t clock_offset_ns);
  void marks(std::int64_t iteration, const std::vector<Mark>& marks);
  void call(std::int64_t iteration, Class of, const CallTime& time, std::int64_t waiting_ns);

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void line(const std::string& text);

  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace pippin::probes
