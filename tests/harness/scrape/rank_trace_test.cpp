// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/rank_trace.h"

#include <fmt/format.h>

#include "tests/support/catch.h"

using namespace pippin;

namespace {

bool is_none(std::string_view line) {
  return std::holds_alternative<std::monostate>(read_trace_line(line));
}

}  // namespace

// The lines of probes/LOG_FORMAT.md.
TEST_CASE("the lines of a rank's trace are read") {
  const auto head = std::get<TracedRank>(read_trace_line(
      R"({"trace":1,"rank":3,"tp":1,"dp":0,"pp":1,"node":"n2","clock_offset_ns":-1843})"));
  CHECK(head.rank == 3);
  CHECK(head.tp == 1);
  CHECK(head.dp == 0);
  CHECK(head.pp == 1);
  CHECK(head.node == "n2");
  CHECK(head.clock_offset_ns == -1843);
  const auto activity = std::get<TracedActivity>(read_trace_line(
      R"({"iteration":1,"activity":"forward-compute","begin_ns":1017,"duration_ns":52000})"));
  CHECK(activity.iteration == 1);
  CHECK(activity.name == "forward-compute");
  CHECK(activity.begin_ns == 1017);
  CHECK(activity.duration_ns == 52000);
  const auto call = std::get<TracedCall>(
      read_trace_line(R"({"iteration":1,"call":"pp","bytes":65536,"to":2,"begin_ns":62017,)"
                      R"("busy_ns":7000,"exposed_ns":3000,"waiting_ns":0})"));
  CHECK(call.of == "pp");
  CHECK(call.bytes == 65536);
  CHECK(call.to == 2);
  CHECK_FALSE(call.from);
  CHECK(call.begin_ns == 62017);
  CHECK(call.busy_ns == 7000);
  CHECK(call.exposed_ns == 3000);
  CHECK(call.waiting_ns == 0);
}

TEST_CASE("a line that is cut anywhere is no record of a trace") {
  const std::string line =
      R"({"iteration":1,"call":"tp","bytes":1,"begin_ns":2,"busy_ns":3,"exposed_ns":4,)"
      R"("waiting_ns":5})";
  for (std::size_t length = 0; length < line.size(); ++length) {
    CAPTURE(length);
    CHECK(is_none(line.substr(0, length)));
  }
  CHECK_FALSE(is_none(line));
}

TEST_CASE("a value of another kind, or beyond all measure, makes no record of a trace") {
  const auto line = [](const std::string& begin) {
    return fmt::format(R"({{"iteration":1,"activity":"x","begin_ns":{},"duration_ns":1}})", begin);
  };
  CHECK_FALSE(is_none(line("1152921504606846976")));  // kMostTraced
  for (const char* begin :
       {"1.5", "\"1\"", "null", "[]", "1e3", "true", "9223372036854775807", "-9223372036854775808",
        "18446744073709551615", "1e400", "99999999999999999999999999"}) {
    CAPTURE(begin);
    CHECK(is_none(line(begin)));
  }
  CHECK(is_none(R"({"iteration":1,"activity":7,"begin_ns":1,"duration_ns":1})"));
  CHECK(is_none(R"({"iteration":1,"activity":"x","begin_ns":1})"));
  CHECK(is_none(R"({"iteration":1,"call":"pp","to":"2","bytes":1,"begin_ns":1,"busy_ns":1,)"
                R"("exposed_ns":1,"waiting_ns":1})"));
}

TEST_CASE("what is no object of a trace is none of its records") {
  for (const char* line : {"", "7", "[1]", "{}", "null", "\xff\xfe", "{\"trace\":2,\"rank\":0}",
                           "{\"foo\":1}", " iteration 1/ 5 | elapsed"})
    CHECK(is_none(line));
  CHECK(is_none(std::string(1'000'000, '[')));
  CHECK(is_none("{\"activity\":" + std::string(100'000, '[')));
}

TEST_CASE("the file of a rank's trace is known by its very name") {
  CHECK(rank_of_trace("rank-0.jsonl") == 0);
  CHECK(rank_of_trace("rank-1023.jsonl") == 1023);
  for (const char* name : {"rank-.jsonl", "rank-01.jsonl", "rank--1.jsonl", "rank-1.json",
                           "rank-1.jsonl.gz", "xrank-1.jsonl", "rank-+1.jsonl", "rank-1x.jsonl",
                           "rank-99999999999999999999.jsonl", ".rank-1.jsonl.pippin-abcdefgh2345"})
    CHECK_FALSE(rank_of_trace(name));
  CHECK(trace_name_of(7) == "rank-7.jsonl");
}
