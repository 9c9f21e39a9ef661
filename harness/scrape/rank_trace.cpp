// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/rank_trace.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/moderate_json.h"
#include "core/base/text.h"

namespace pippin {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kBefore = "rank-", kBehind = ".jsonl";

/// Takes the fields of an object, and keeps in mind whether one is missing or is no such value.
class Fields {
 public:
  explicit Fields(const Json& object) : object_(object) {}
  bool are_whole() const { return whole_; }

  std::int64_t number(const char* name) {
    const auto number = maybe_number(name);
    whole_ = whole_ && number;
    return number.value_or(0);
  }
  /// Nothing where there is none of that name.
  Count maybe_number(const char* name) {
    const auto found = object_.find(name);
    if (found == object_.end()) return std::nullopt;
    const double size = found->is_number_integer() ? found->get<double>() : kMostTraced * 2.0;
    if (size < -static_cast<double>(kMostTraced) || size > static_cast<double>(kMostTraced)) {
      whole_ = false;
      return std::nullopt;
    }
    return found->get<std::int64_t>();
  }
  std::string text(const char* name) {
    const auto found = object_.find(name);
    whole_ = whole_ && found != object_.end() && found->is_string();
    return whole_ ? found->get<std::string>() : "";
  }

 private:
  const Json& object_;
  bool whole_ = true;
};

TracedRank rank_in(Fields& fields) {
  TracedRank rank;
  rank.rank = fields.number("rank");
  rank.tp = fields.number("tp");
  rank.dp = fields.number("dp");
  rank.pp = fields.number("pp");
  rank.node = fields.text("node");
  rank.clock_offset_ns = fields.number("clock_offset_ns");
  return rank;
}

TracedActivity activity_in(Fields& fields) {
  TracedActivity activity;
  activity.iteration = fields.number("iteration");
  activity.name = fields.text("activity");
  activity.begin_ns = fields.number("begin_ns");
  activity.duration_ns = fields.number("duration_ns");
  return activity;
}

TracedCall call_in(Fields& fields) {
  TracedCall call;
  call.iteration = fields.number("iteration");
  call.of = fields.text("call");
  call.bytes = fields.number("bytes");
  call.to = fields.maybe_number("to");
  call.from = fields.maybe_number("from");
  call.begin_ns = fields.number("begin_ns");
  call.busy_ns = fields.number("busy_ns");
  call.exposed_ns = fields.number("exposed_ns");
  call.waiting_ns = fields.number("waiting_ns");
  return call;
}

TraceRecord record_in(const Json& object) {
  Fields fields(object);
  TraceRecord record;
  if (object.contains("activity")) {
    record = activity_in(fields);
  } else if (object.contains("call")) {
    record = call_in(fields);
  } else if (object.contains("trace") && object["trace"] == 1) {
    record = rank_in(fields);
  }
  return fields.are_whole() ? record : TraceRecord();
}

}  // namespace

TraceRecord read_trace_line(std::string_view line) {
  if (!is_moderate_json(line)) return {};
  const Json object = Json::parse(line.begin(), line.end(), nullptr, false);
  return object.is_object() ? record_in(object) : TraceRecord();
}

std::optional<std::int64_t> rank_of_trace(std::string_view name) {
  if (!name.starts_with(kBefore) || !name.ends_with(kBehind)) return std::nullopt;
  if (name.size() <= kBefore.size() + kBehind.size()) return std::nullopt;
  const auto rank =
      parse_integer(name.substr(kBefore.size(), name.size() - kBefore.size() - kBehind.size()));
  return rank && *rank >= 0 && trace_name_of(*rank) == name ? rank : std::nullopt;
}

std::string trace_name_of(std::int64_t rank) {
  return fmt::format("{}{}{}", kBefore, rank, kBehind);
}

}  // namespace pippin
