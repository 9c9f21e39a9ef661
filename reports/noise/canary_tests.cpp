// SPDX-License-Identifier: Apache-2.0
#include "reports/noise/canary_tests.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "reports/statistics/sample.h"

namespace pippin {

namespace {

/// ln of how much something is slower than its like, by unit: an allocation where there are three,
/// else a reading.
class Slowness {
 public:
  /// With `few_suffice` two readings or one say something, too: the like of who is looked at tell
  /// how much healthy ones differ.
  Slowness(BlameTest::Of of, bool by_allocation, bool few_suffice)
      : of_(of), by_allocation_(by_allocation), few_suffice_(few_suffice) {}

  struct Unit {
    std::size_t allocation = 0;
    std::int64_t reading = 0;
    bool collected = false;
  };

  void add(const std::vector<std::string>& who, const Unit& unit, double slowness) {
    const std::int64_t key =
        by_allocation_ ? static_cast<std::int64_t>(unit.allocation) : unit.reading;
    values_[who][key].push_back(slowness);
    if (unit.collected) collected_.insert(key);
  }

  void add_tests(BlameTests& tests) const {
    constexpr std::size_t kUnits = 3;
    std::vector<std::pair<const std::vector<std::string>*, double>> few;
    for (const auto& [who, units] : values_) {
      std::vector<double> means;
      std::size_t collected = 0;
      for (const auto& unit : units) {
        means.push_back(mean_of(unit.second));
        collected += collected_.count(unit.first);
      }
      const auto effect = paired_difference(means);
      if (effect && means.size() >= kUnits) {
        add_test(tests, {of_, who, *effect, of_no_matter(of_), means.size(), 0, collected});
      } else {
        few.emplace_back(&who, mean_of(means));
      }
    }
    if (few_suffice_ && few.size() == values_.size()) add_outliers(tests, few);
  }

 private:
  template <typename Few>
  void add_outliers(BlameTests& tests, const Few& few) const {
    constexpr std::size_t kFewestOthers = 3;
    constexpr double kLeastSd = 0.005;  // of healthy ones, however equal three of them look
    if (few.size() <= kFewestOthers) return;
    std::vector<double> all;
    all.reserve(few.size());
    for (const auto& one : few) all.push_back(one.second);
    const double mean = mean_of(all), squares = squares_of(all);
    const auto others = static_cast<double>(few.size() - 1);
    for (const auto& [who, value] : few) {
      // Without it the mean of the others lies as much farther off, and their squares are its less.
      const double off = (value - mean) * (others + 1) / others;
      const double of_others = std::max(squares - off * (value - mean), 0.0);
      const double sd = std::max(std::sqrt(of_others / (others - 1)), kLeastSd);
      const Difference effect{off, sd * std::sqrt(1 + 1 / others), others - 1};
      const auto& units = values_.at(*who);
      add_test(tests, {of_, *who, effect, of_no_matter(of_), units.size(), 0, collected_.size()});
    }
  }

  BlameTest::Of of_;
  bool by_allocation_, few_suffice_;
  std::map<std::vector<std::string>, std::map<std::int64_t, std::vector<double>>> values_;
  std::set<std::int64_t> collected_;  // units
};

/// Logarithms of bandwidths by pair of one reading.
using Links = std::map<std::pair<std::string, std::string>, double>;

Links links_of(const CanaryEvidence& reading) {
  Links links;
  for (const auto& pair : reading.pairs) {
    if (pair.gb_per_s > 0) links[std::minmax(pair.a, pair.b)] = std::log(pair.gb_per_s);
  }
  return links;
}

/// The middle of a node's links without the one to `but`; of two the better one, since a single
/// slow link must not make both of its nodes slow.
std::optional<double> typical_of(const Links& links, const std::string& node,
                                 const std::string& but) {
  std::vector<double> values;
  for (const auto& [ends, value] : links) {
    const bool has = ends.first == node || ends.second == node;
    if (has && (but.empty() || (ends.first != but && ends.second != but))) values.push_back(value);
  }
  if (values.empty()) return std::nullopt;
  if (values.size() == 2) return std::max(values[0], values[1]);
  return median_of(values);
}

std::optional<double> typical_without(const Links& links, const std::string& node) {
  std::vector<double> values;
  for (const auto& [ends, value] : links) {
    if (ends.first != node && ends.second != node) values.push_back(value);
  }
  if (values.empty()) return std::nullopt;
  return median_of(values);
}

std::set<std::string> ends_of(const Links& links) {
  std::set<std::string> nodes;
  for (const auto& link : links) {
    nodes.insert(link.first.first);
    nodes.insert(link.first.second);
  }
  return nodes;
}

void add_pair_slowness(Slowness& nodes, Slowness& links, const Slowness::Unit& unit,
                       const CanaryEvidence& reading) {
  const Links known = links_of(reading);
  for (const auto& node : ends_of(known)) {
    const auto own = typical_of(known, node, ""), other = typical_without(known, node);
    if (own && other) nodes.add({node}, unit, *other - *own);
  }
  // Below the better one of two others is every noisy link on average: what counts is by how much
  // more than other links.
  std::vector<std::pair<std::vector<std::string>, double>> below;
  std::vector<double> usual;
  for (const auto& [ends, value] : known) {
    const auto first = typical_of(known, ends.first, ends.second);
    const auto second = typical_of(known, ends.second, ends.first);
    if (!first || !second) continue;
    usual.push_back(std::min(*first, *second) - value);
    below.push_back({{ends.first, ends.second}, usual.back()});
  }
  if (usual.empty()) return;
  const double middle = median_of(usual);
  for (const auto& [ends, value] : below) links.add(ends, unit, value - middle);
}

/// Adds of each node what it has above the mean of the others: equal ones take turns as the
/// slowest, so that each has something.
void add_above_others(Slowness& slowness, const Slowness::Unit& unit,
                      const std::map<std::string, double>& by_node) {
  if (by_node.size() < 2) return;
  double sum = 0;
  for (const auto& entry : by_node) sum += entry.second;
  for (const auto& [node, value] : by_node)
    slowness.add({node}, unit, value - (sum - value) / static_cast<double>(by_node.size() - 1));
}

/// How much slower each node's slowest rank made its product than the middle of the other nodes'.
/// False where they are not known.
bool add_node_products(Slowness& hosts, const Slowness::Unit& unit, const CanaryEvidence& reading) {
  std::vector<std::pair<std::string, double>> speeds;
  for (const auto& node : reading.by_node) {
    if (node.min_tflops.value_or(0) > 0) speeds.emplace_back(node.name, std::log(*node.min_tflops));
  }
  if (speeds.size() < 2) return false;
  for (const auto& [name, speed] : speeds) {
    std::vector<double> others;
    for (const auto& other : speeds) {
      if (other.first != name) others.push_back(other.second);
    }
    hosts.add({name}, unit, median_of(others) - speed);
  }
  return true;
}

/// Whose product was the slowest, and by how much below the middle; to all others that is nothing.
void add_slowest_product(Slowness& hosts, const Slowness::Unit& unit, const CanaryEvidence& reading,
                         const std::vector<std::string>& nodes) {
  const CanaryGemm& gemm = reading.gemm;
  if (!(gemm.min_tflops > 0) || gemm.slowest_host.empty()) return;
  const double slowness = std::log(gemm.median_tflops / gemm.min_tflops);
  std::map<std::string, double> all;
  for (const auto& node : nodes) all[node] = 0;
  all[gemm.slowest_host] = slowness;
  add_above_others(hosts, unit, all);
}

}  // namespace

void add_canary_tests(BlameTests& tests, const std::vector<NoisyAllocation>& allocations,
                      const std::vector<NoisyAllocation>& collected) {
  constexpr std::size_t kAllocations = 3;
  std::vector<const NoisyAllocation*> measured;
  for (const auto* part : {&allocations, &collected}) {
    for (const auto& allocation : *part) {
      if (!allocation.readings.empty()) measured.push_back(&allocation);
    }
  }
  const bool by_allocation = measured.size() >= kAllocations;
  Slowness nodes(BlameTest::Of::kPairs, by_allocation, true);
  Slowness links(BlameTest::Of::kLink, by_allocation, true);
  Slowness hosts(BlameTest::Of::kNodeGemm, by_allocation, true);
  Slowness slowest(BlameTest::Of::kSlowestRank, by_allocation, false);
  Slowness computing(BlameTest::Of::kComputing, true, false);
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const bool is_collected = measured[i]->name.empty();
    for (const auto& reading : measured[i]->readings) {
      const Slowness::Unit unit{i, reading.reading, is_collected};
      add_pair_slowness(nodes, links, unit, reading);
      if (!add_node_products(hosts, unit, reading))
        add_slowest_product(slowest, unit, reading, measured[i]->nodes);
    }
  }
  for (std::size_t i = 0; i < allocations.size(); ++i)
    add_above_others(computing, {i, 0, false}, allocations[i].computing);
  for (const auto* slowness : {&nodes, &links, &hosts, &slowest, &computing})
    slowness->add_tests(tests);
}

}  // namespace pippin
