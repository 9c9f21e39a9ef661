// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <nlohmann/json.hpp>

#include "reports/json_writer.h"
#include "reports/noise/noise.h"

namespace pippin {

namespace {

using Json = nlohmann::ordered_json;

Json finite_json(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json text_or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json levels_json(const std::vector<NoiseLevel>& levels) {
  Json list = Json::array();
  for (const auto& level : levels)
    list.push_back({{"level", level.level},
                    {"sd", level.sd},
                    {"low", finite_json(level.low)},
                    {"high", finite_json(level.high)},
                    {"share", level.share}});
  return list;
}

Json suspect_json(const Suspect& suspect) {
  Json json = Json::object();
  if (suspect.is_link) {
    json["link"] = suspect.nodes;
  } else if (suspect.nodes.size() == 1) {
    json["node"] = suspect.nodes[0];
  } else {
    json["group"] = suspect.nodes;
  }
  json["kind"] = suspect.kind;
  json["effect"] = std::exp(suspect.effect);
  json["effect_on"] = suspect.effect_on;
  json["p_adjusted"] = suspect.p_adjusted;
  json["allocations_with"] = suspect.allocations_with;
  json["allocations_without"] = suspect.allocations_without;
  json["evidence"] = suspect.evidence;
  return json;
}

Json causes_json(const std::optional<NoiseCauses>& causes) {
  if (!causes) return {};
  return {{"network", causes->network},
          {"compute", causes->compute},
          {"unexplained", causes->unexplained},
          {"p", causes->p}};
}

Json time_of_day_json(const TimeOfDay& cycle) {
  if (!cycle.refused.empty()) return {{"refused", cycle.refused}};
  return {{"amplitude", cycle.amplitude}, {"peak_hour", cycle.peak_hour}, {"p", cycle.p}};
}

}  // namespace

void write_noise_json(const NoiseTable& table, std::ostream& out) {
  const Noise& noise = table.noise;
  Json suspects = Json::array(), changes = Json::array();
  for (const auto& suspect : noise.suspects) suspects.push_back(suspect_json(suspect));
  for (const auto& change : noise.change_points)
    changes.push_back({{"day", change.day}, {"ratio", change.ratio}});
  const Json whole{{"selection", noise.selection},
                   {"runs", noise.runs},
                   {"allocations", noise.allocations},
                   {"days", noise.days},
                   {"configurations", noise.configurations},
                   {"nodes", noise.nodes},
                   {"levels", levels_json(noise.levels)},
                   {"causes", causes_json(noise.causes)},
                   {"no_causes_because", text_or_null(noise.no_causes_because)},
                   {"suspects", std::move(suspects)},
                   {"no_suspects_because", text_or_null(noise.no_suspects_because)},
                   {"time_of_day", time_of_day_json(noise.time_of_day)},
                   {"change_points", std::move(changes)},
                   {"no_change_points_because", text_or_null(noise.no_change_points_because)},
                   {"sentences", sentences_of(noise)}};
  // Names of nodes are others' texts: what is no UTF-8 must not end the report.
  out << quiet_json(whole.dump(1, ' ', false, Json::error_handler_t::replace)) << '\n';
}

}  // namespace pippin
