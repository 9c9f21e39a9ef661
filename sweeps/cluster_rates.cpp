// SPDX-License-Identifier: Apache-2.0
#include "sweeps/cluster_rates.h"

#include <cmath>
#include <fmt/format.h>

#include "core/base/text.h"
#include "sweeps/judge_points.h"
#include "sweeps/machines.h"

namespace pippin {

namespace {

constexpr std::string_view kHalfWidth = "half_width", kNodeGbPerS = "node_gb_per_s";
constexpr double kWidest = 3;  // of a logarithm: a twentieth to twenty times

double number_from(const YamlNode& node, const std::string& name, double least, double most) {
  const std::string what = "rates: " + name;
  const auto number = parse_number(text_at(node, what));
  if (!number || !(*number >= least) || !(*number <= most))
    fail(node, "{}: {} is no number from {} to {}", what, in_quotes(node.text), least, most);
  return *number;
}

std::vector<std::string> rate_names() {
  std::vector<std::string> names{std::string(kHalfWidth), std::string(kNodeGbPerS)};
  for (const RateParameter& one : rate_parameters()) names.emplace_back(one.name);
  return names;
}

}  // namespace

ClusterRates read_cluster_rates(const YamlNode& node) {
  expect_map(node, "rates", rate_names());
  ClusterRates rates;
  if (const YamlNode* width = node.find(kHalfWidth))
    rates.half_width = number_from(*width, std::string(kHalfWidth), 0, kWidest);
  if (const YamlNode* links = node.find(kNodeGbPerS))
    rates.node_gb_per_s = positive_number_at(*links, "rates: node_gb_per_s");
  for (const RateParameter& one : rate_parameters()) {
    const std::string name(one.name);
    if (const YamlNode* value = node.find(name))
      rates.values.emplace_back(name, number_from(*value, name, one.least, one.most));
  }
  return rates;
}

KnownRates usual_rates(const std::optional<Accelerator>& accelerator) {
  return {accelerator ? usual_rates_of(*accelerator) : Rates(), kUncalibratedHalfWidth,
          std::nullopt, true};
}

KnownRates rates_of(const Cluster& cluster) {
  KnownRates known = usual_rates(cluster.accelerator);
  known.half_width = cluster.rates.half_width.value_or(known.half_width);
  known.node_gb_per_s = cluster.rates.node_gb_per_s;
  known.are_usual = cluster.rates.values.empty();
  for (const auto& [name, value] : cluster.rates.values)
    for (const RateParameter& one : rate_parameters())
      if (one.name == name) known.rates.*one.member = value;
  return known;
}

std::string words_on_half_width(double half_width) {
  constexpr double kPercent = 100;
  return fmt::format("19 of 20 runs take {:.0f} % less to {:.0f} % more",
                     kPercent * (1 - std::exp(-half_width)), kPercent * (std::exp(half_width) - 1));
}

std::string words_on_rates(const std::string& cluster, double half_width) {
  const std::string by = cluster.empty() ? "data sheets and usual rates"
                                         : fmt::format("the rates of {}", printable(cluster));
  return fmt::format("by {}: {}", by, words_on_half_width(half_width));
}

}  // namespace pippin
