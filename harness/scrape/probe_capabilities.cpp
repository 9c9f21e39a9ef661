// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/probe_capabilities.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/text.h"

namespace pippin {

namespace {

using Json = nlohmann::json;
using Kind = ProbeOption::Kind;

const std::map<std::string, Kind> kKinds{
    {"choice", Kind::kChoice}, {"whole", Kind::kWhole}, {"number", Kind::kNumber},
    {"size", Kind::kSize},     {"share", Kind::kShare}, {"word", Kind::kWord},
};

/// "--kv-heads" is the axis kv_heads.
std::string axis_of(const std::string& option) {
  std::string name = option.substr(std::min<std::size_t>(option.size(), 2));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

std::optional<double> number_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? std::nullopt : std::optional(found->get<double>());
}

/// Of a kind that only later probes know, any text is taken.
ProbeOption read_option(const Json& record) {
  ProbeOption option;
  const auto kind = kKinds.find(record.at("kind").get<std::string>());
  if (kind == kKinds.end()) return option;
  option.kind = kind->second;
  if (option.kind == Kind::kChoice) record.at("choices").get_to(option.choices);
  option.least = number_in(record, "least");
  option.most = number_in(record, "most");
  return option;
}

ProbeAbilities abilities_of(const Json& object) {
  ProbeAbilities abilities;
  object.at("probe").get_to(abilities.probe);
  for (const auto& record : object.at("options"))
    abilities.options.emplace(axis_of(record.at("name").get<std::string>()), read_option(record));
  const Json& cuda = object.at("cuda");
  if (!cuda.is_null())
    abilities.least_capability =
        parse_number(cuda.at("least_compute_capability").get<std::string>());
  return abilities;
}

}  // namespace

std::optional<ProbeAbilities> read_probe_abilities(std::string_view text) {
  try {
    const Json object = Json::parse(text);
    if (object.at("capabilities") != 1) return std::nullopt;
    return abilities_of(object);
  } catch (const Json::exception&) {
    return std::nullopt;
  }
}

}  // namespace pippin
