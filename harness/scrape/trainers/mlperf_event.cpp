// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/trainers/mlperf_event.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/whole_number.h"

namespace pippin {

namespace {

using Json = nlohmann::json;

/// The whole number that a value is: some are written as "288.0".
Count count_of(const Json& value) {
  return value.is_number() ? whole_number(value.get<double>()) : std::nullopt;
}

/// What a name stands for in an object; null where it has none.
const Json& member(const Json& object, const char* name) {
  static const Json none;
  const auto value = object.find(name);
  return value == object.end() ? none : *value;
}

std::string text_of(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number() ? value.dump() : std::string();
}

void take_value(MlPerfEvent& event, const Json& value) {
  event.said = text_of(value);
  event.count = count_of(value);
  if (!value.is_object()) return;
  for (const auto& [name, part] : value.items())
    event.parts.emplace_back(name,
                             part.is_number() ? std::optional(part.get<double>()) : std::nullopt);
}

void take_metadata(MlPerfEvent& event, const Json& metadata) {
  if (!metadata.is_object()) return;
  event.samples = count_of(member(metadata, "samples_count"));
  event.step = count_of(member(metadata, "step"));
  event.tokens = count_of(member(metadata, "epoch_num"));
  if (!event.tokens) event.tokens = count_of(member(metadata, "first_epoch_num"));
  event.status = text_of(member(metadata, "status"));
}

}  // namespace

bool MlPerfEvent::has(std::string_view part) const {
  return std::any_of(parts.begin(), parts.end(),
                     [&](const auto& known) { return known.first == part; });
}

std::optional<double> MlPerfEvent::number(std::string_view part) const {
  const auto at = std::find_if(parts.begin(), parts.end(),
                               [&](const auto& known) { return known.first == part; });
  return at == parts.end() ? std::nullopt : at->second;
}

std::optional<MlPerfEvent> mlperf_event_of(std::string_view text) {
  const Json json = Json::parse(text.substr(0, text.rfind('}') + 1), nullptr, false);
  if (!json.is_object()) return std::nullopt;
  const Json &key = member(json, "key"), &time = member(json, "time_ms");
  if (!key.is_string() || !time.is_number()) return std::nullopt;
  MlPerfEvent event;
  event.key = key.get<std::string>();
  event.time_ms = time.get<double>();
  if (!nearest_whole_number(event.time_ms)) return std::nullopt;
  take_value(event, member(json, "value"));
  take_metadata(event, member(json, "metadata"));
  return event;
}

}  // namespace pippin
