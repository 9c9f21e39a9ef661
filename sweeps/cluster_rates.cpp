// SPDX-License-Identifier: Apache-2.0
#include "sweeps/cluster_rates.h"

#include <cmath>
#include <fmt/format.h>

#include "core/base/text.h"
#include "sweeps/judge_points.h"
#include "sweeps/machines.h"

namespace pippin {

namespace {

constexpr std::string_view kHalfWidth = "half_width", kNodeGbPerS = "node_gb_per_s",
                           kUncertainty = "uncertainty", kOfLearned = "of_learned";

double number_from(const YamlNode& node, const std::string& name, double least, double most) {
  const std::string what = "rates: " + name;
  const auto number = parse_number(text_at(node, what));
  if (!number || !(*number >= least) || !(*number <= most))
    fail(node, "{}: {} is no number from {} to {}", what, in_quotes(node.text), least, most);
  return *number;
}

std::vector<std::string> rate_names(std::vector<std::string> names) {
  for (const RateParameter& one : rate_parameters()) names.emplace_back(one.name);
  return names;
}

/// "NAME: [correlations with the names above, spread]".
void read_uncertainty(const YamlNode& node, ClusterRates& rates) {
  expect_map(node, "rates: uncertainty", rate_names({std::string(kOfLearned)}));
  for (std::size_t i = 0; i < node.keys.size(); ++i) {
    const YamlNode& value = node.items[i];
    const std::string name = node.keys[i].text, what = "uncertainty: " + name;
    if (name == kOfLearned) {
      rates.variance_of_learned = number_from(value, what, 0, kWidestBounds * kWidestBounds);
      continue;
    }
    const std::size_t before = rates.uncertainty.size();
    if (value.kind != YamlNode::Kind::kList || value.items.size() != before + 1)
      fail(value,
           "rates: {}: {} expected: a correlation with each of the names above, and its spread",
           what, counted(static_cast<std::int64_t>(before + 1), "number"));
    std::vector<double> numbers;
    for (std::size_t k = 0; k < before; ++k)
      numbers.push_back(number_from(value.items[k], what, -1, 1));
    numbers.push_back(number_from(value.items[before], what, 0, kWidestBounds));
    rates.uncertainty.emplace_back(name, std::move(numbers));
  }
}

std::optional<RateUncertainty> uncertainty_of(const ClusterRates& rates) {
  if (rates.uncertainty.empty()) return std::nullopt;
  RateUncertainty known{covariance_of_clusters(), rates.variance_of_learned};
  std::vector<std::size_t> places;
  std::vector<double> spreads;
  for (const auto& [name, numbers] : rates.uncertainty) {
    std::size_t own = 0;
    while (rate_parameters()[own].name != name) ++own;
    const double spread = numbers.back();
    known.covariance[own][own] = spread * spread;
    for (std::size_t k = 0; k < places.size(); ++k)
      known.covariance[own][places[k]] = known.covariance[places[k]][own] =
          numbers[k] * spread * spreads[k];
    places.push_back(own);
    spreads.push_back(spread);
  }
  return known;
}

}  // namespace

ClusterRates read_cluster_rates(const YamlNode& node) {
  expect_map(
      node, "rates",
      rate_names({std::string(kHalfWidth), std::string(kNodeGbPerS), std::string(kUncertainty)}));
  ClusterRates rates;
  if (const YamlNode* width = node.find(kHalfWidth))
    rates.half_width = number_from(*width, std::string(kHalfWidth), 0, kWidestBounds);
  if (const YamlNode* links = node.find(kNodeGbPerS))
    rates.node_gb_per_s = positive_number_at(*links, "rates: node_gb_per_s");
  if (const YamlNode* unsure = node.find(kUncertainty)) read_uncertainty(*unsure, rates);
  for (const RateParameter& one : rate_parameters()) {
    const std::string name(one.name);
    if (const YamlNode* value = node.find(name))
      rates.values.emplace_back(name, number_from(*value, name, one.least, one.most));
  }
  return rates;
}

KnownRates usual_rates(const std::optional<Accelerator>& accelerator) {
  KnownRates known;
  if (accelerator) known.rates = usual_rates_of(*accelerator);
  known.half_width = kUncalibratedHalfWidth;
  return known;
}

KnownRates rates_of(const Cluster& cluster) {
  KnownRates known = usual_rates(cluster.accelerator);
  known.half_width = cluster.rates.half_width.value_or(known.half_width);
  known.uncertainty = uncertainty_of(cluster.rates);
  known.node_gb_per_s = cluster.rates.node_gb_per_s;
  known.are_usual = cluster.rates.values.empty();
  for (const auto& [name, value] : cluster.rates.values)
    for (const RateParameter& one : rate_parameters())
      if (one.name == name) known.rates.*one.member = value;
  return known;
}

double half_width_of(const KnownRates& known, const Setup& setup, const Machine& machine) {
  return half_width_at({setup, machine, false, 0}, known.rates, known.half_width,
                       known.uncertainty);
}

std::string words_on_half_width(double half_width) {
  constexpr double kPercent = 100;
  return fmt::format("19 of 20 runs take {:.0f} % less to {:.0f} % more",
                     kPercent * (1 - std::exp(-half_width)), kPercent * (std::exp(half_width) - 1));
}

std::string words_on_rates(const std::string& cluster, const KnownRates& known, double half_width) {
  const std::string by = known.are_usual ? "data sheets and usual rates"
                                         : fmt::format("the rates of {}", printable(cluster));
  return fmt::format("by {}: {}", by, words_on_half_width(half_width));
}

std::string words_on_rates(const std::string& cluster, const KnownRates& known) {
  return words_on_rates(cluster, known, known.half_width) +
         (known.uncertainty ? " where their layout is like those that were measured" : "");
}

}  // namespace pippin
