// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/trace_nesting.h"

namespace pippin::test {

using Json = nlohmann::json;

/// Fails where an event lacks what the format asks of its phase.
inline void check_event(const Json& event) {
  CAPTURE(event.dump());
  REQUIRE(event.at("ph").is_string());
  const std::string phase = event.at("ph");
  CHECK(event.at("name").is_string());
  CHECK(event.at("pid").is_number_integer());
  CHECK(event.at("tid").is_number_integer());
  if (phase == "M") {
    const std::string name = event.at("name");
    const bool names = name == "process_name" || name == "thread_name";
    const bool sorts = name == "process_sort_index" || name == "thread_sort_index";
    REQUIRE((names || sorts));
    CHECK((names ? event.at("args").at("name").is_string()
                 : event.at("args").at("sort_index").is_number_integer()));
    return;
  }
  CHECK(event.at("ts").is_number());
  CHECK(event.at("ts") >= 0);
  CHECK(event.at("cat").is_string());
  if (phase == "X") {
    CHECK(event.at("dur").is_number());
    CHECK(event.at("dur") >= 0);
  } else {
    REQUIRE((phase == "s" || phase == "f"));
    CHECK(event.at("id").get<std::string>().find_first_not_of("0123456789abcdef") ==
          std::string::npos);
    CHECK((phase == "s" || event.at("bp") == "e"));
  }
}

/// A trace's JSON, which must be what Chrome's Trace Event Format says (the JSON object format).
inline Json checked_trace(const std::string& text) {
  const Json trace = Json::parse(text);
  REQUIRE(trace.at("traceEvents").is_array());
  CHECK(trace.at("displayTimeUnit") == "ms");
  CHECK(trace.at("otherData").is_object());
  for (const auto& event : trace.at("traceEvents")) check_event(event);
  CHECK(crossing_span(trace.at("traceEvents")) == "");
  return trace;
}

/// "X" events of that name: their process, begin and duration in nanoseconds; in the file's order.
inline std::vector<Json> spans_named(const Json& trace, const std::string& name) {
  std::vector<Json> found;
  for (const auto& event : trace.at("traceEvents"))
    if (event.at("ph") == "X" && event.at("name") == name) found.push_back(event);
  return found;
}

/// The name that metadata gives a process, or a track of it.
inline std::string name_in_trace(const Json& trace, const char* what, std::int64_t process,
                                 std::int64_t track) {
  for (const auto& event : trace.at("traceEvents"))
    if (event.at("ph") == "M" && event.at("name") == what && event.at("pid") == process &&
        event.at("tid") == track)
      return event.at("args").at("name");
  return "(none)";
}

inline std::string track_of(const Json& trace, const Json& span) {
  return name_in_trace(trace, "thread_name", span.at("pid"), span.at("tid"));
}

}  // namespace pippin::test
