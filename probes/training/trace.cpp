// SPDX-License-Identifier: Apache-2.0
#include "probes/training/trace.h"

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "probes/common/error.h"
#include "probes/common/json.h"

namespace pippin::probes {

Trace::Trace(const std::string& directory, int rank)
    : path_(directory + "/rank-" + std::to_string(rank) + ".jsonl") {
  std::error_code ignored;  // what is wrong shows when the file is opened
  std::filesystem::create_directories(directory, ignored);
  file_.reset(std::fopen(path_.c_str(), "w"));
  if (!file_)
    throw Error(ExitCode::kMachine,
                "cannot write the trace " + path_ + ": " + std::strerror(errno));
}

void Trace::line(const std::string& text) {
  if (std::fprintf(file_.get(), "%s\n", text.c_str()) < 0 || std::fflush(file_.get()) != 0)
    throw Error(ExitCode::kMachine,
                "cannot write the trace " + path_ + ": " + std::strerror(errno));
}

void Trace::begin(int rank, const Place& place, const std::string& node,
                  std::int64_t clock_offset_ns) {
  line(JsonObject()
           .whole("trace", 1)
           .whole("rank", rank)
           .whole("tp", place.tp)
           .whole("dp", place.dp)
           .whole("pp", place.pp)
           .word("node", node)
           .whole("clock_offset_ns", clock_offset_ns)
           .line());
}

void Trace::marks(std::int64_t iteration, const std::vector<Mark>& marks) {
  for (std::size_t i = 1; i < marks.size(); ++i) {
    if (marks[i].ns == marks[i - 1].ns) continue;
    line(JsonObject()
             .whole("iteration", iteration)
             .word("activity", name_of(marks[i - 1].activity))
             .whole("begin_ns", marks[i - 1].ns)
             .whole("duration_ns", marks[i].ns - marks[i - 1].ns)
             .line());
  }
}

void Trace::call(std::int64_t iteration, Class of, const CallTime& time, std::int64_t waiting_ns) {
  JsonObject object;
  object.whole("iteration", iteration).word("call", name_of(of)).whole("bytes", time.bytes);
  if (time.peer != CallTime::kEverybody) object.whole(time.receives ? "from" : "to", time.peer);
  line(object.whole("begin_ns", time.begin_ns)
           .whole("busy_ns", time.busy_ns)
           .whole("exposed_ns", time.exposed_ns)
           .whole("waiting_ns", waiting_ns)
           .line());
}

}  // namespace pippin::probes
