#include "reports/noise/suspects.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <list>
#include <map>
#include <optional>
#include <set>

#include "core/base/text.h"
#include "reports/statistics/many_tests.h"
#include "reports/statistics/presence.h"
#include "reports/statistics/sample.h"
#include "reports/statistics/student.h"
#include "reports/values.h"

namespace pippin {

namespace {

constexpr double kLevel = 0.05;
// What healthy machines differ by, as ln: whoever is surely above zero but below this is not ill.
constexpr double kNoMatter = 0.05;         // of a canary's figures
constexpr double kNoMatterToSteps = 0.02;  // of step times
// Allocations that are looked at where they and their nodes are more: the newest.
constexpr std::size_t kMostPlaced = 800;

/// One thing that was tested: that somebody makes something longer.
struct Test {
  enum class Of {
    kStepTime,
    kGivenNetwork,
    kAllReduce,
    kGemm,
    kPairs,
    kLink,
    kSlowestRank,
    kNodeGemm,
    kComputing
  };
  Of of = Of::kStepTime;
  std::vector<std::string> who;
  Difference effect;                  ///< ln
  double threshold = 0;               ///< of no matter
  std::size_t with = 0, without = 0;  ///< allocations, or readings where there are few
  std::size_t collected = 0;          ///< of `with`, tables of no run
  double p = 1, p_adjusted = 1;
};

using Tests = std::vector<Test>;

double of_no_matter(Test::Of of) {
  const bool of_steps = of == Test::Of::kStepTime || of == Test::Of::kGivenNetwork;
  return of_steps ? kNoMatterToSteps : kNoMatter;
}

void add_test(Tests& tests, Test test) {
  const Difference& effect = test.effect;
  const double beyond = effect.estimate - test.threshold;
  if (effect.se > 0) {
    test.p = t_above(beyond / effect.se, effect.df);
  } else {
    test.p = beyond > 0 ? 0 : 1;
  }
  tests.push_back(std::move(test));
}

// ---- who was there -----------------------------------------------------------------------------

/// Nodes that were always together are one member: nothing tells them apart.
struct Groups {
  std::vector<std::vector<std::string>> groups;
  Members of_allocation;                 ///< groups that each allocation had
  std::vector<std::size_t> allocations;  ///< of each group, how many
};

Groups groups_of(const std::vector<const NoisyAllocation*>& allocations) {
  std::map<std::string, std::vector<std::size_t>> presence;
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    for (const auto& node : allocations[i]->nodes) presence[node].push_back(i);
  }
  std::map<std::vector<std::size_t>, std::vector<std::string>> groups;
  for (const auto& entry : presence) groups[entry.second].push_back(entry.first);
  Groups members;
  members.of_allocation.resize(allocations.size());
  for (const auto& group : groups) {
    for (const std::size_t allocation : group.first)
      members.of_allocation[allocation].push_back(members.groups.size());
    members.groups.push_back(group.second);
    members.allocations.push_back(group.first.size());
  }
  return members;
}

using Wanted = bool (*)(const NoisyAllocation&);

std::vector<const NoisyAllocation*> chosen(const std::vector<NoisyAllocation>& all, Wanted wanted) {
  std::vector<const NoisyAllocation*> result;
  for (const auto& allocation : all) {
    if (!allocation.nodes.empty() && wanted(allocation)) result.push_back(&allocation);
  }
  return result;
}

/// Allocations whose nodes are known.
class Placed {
 public:
  explicit Placed(std::vector<const NoisyAllocation*> allocations)
      : allocations_(std::move(allocations)), groups_(groups_of(allocations_)) {
    constexpr std::size_t kFewest = 6;
    if (allocations_.size() >= kFewest)
      membership_.emplace(groups_.of_allocation, groups_.groups.size());
  }

  const std::vector<const NoisyAllocation*>& allocations() const { return allocations_; }

  /// Each group's effect on `values`, one an allocation.
  void add(Tests& tests, Test::Of of, const std::vector<double>& values,
           const Columns& covariates) const {
    if (!membership_ || squares_of(values) == 0) return;
    const auto effects = membership_->effects(values, covariates);
    for (std::size_t i = 0; i < effects.size(); ++i) {
      if (!effects[i]) continue;
      const std::size_t with = groups_.allocations[i];
      add_test(tests, {of, groups_.groups[i], *effects[i], of_no_matter(of), with,
                       allocations_.size() - with, 0});
    }
  }

 private:
  std::vector<const NoisyAllocation*> allocations_;
  Groups groups_;
  std::optional<Membership> membership_;
};

template <typename Value>
std::vector<double> values_of(const Placed& placed, Value value) {
  std::vector<double> values;
  values.reserve(placed.allocations().size());
  for (const auto* allocation : placed.allocations()) values.push_back(value(*allocation));
  return values;
}

/// All, unless there are so many, on so many nodes, that it would take minutes.
std::vector<const NoisyAllocation*> newest(std::vector<const NoisyAllocation*> all) {
  if (all.size() <= kMostPlaced) return all;
  std::set<std::string> nodes;
  for (const auto* allocation : all)
    nodes.insert(allocation->nodes.begin(), allocation->nodes.end());
  if (nodes.size() > kMostPlaced)
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(kMostPlaced));
  return all;
}

/// One of `known`, where it is of the same allocations.
const Placed& placed(std::list<Placed>& known, std::vector<const NoisyAllocation*> allocations) {
  allocations = newest(std::move(allocations));
  for (const Placed& one : known) {
    if (one.allocations() == allocations) return one;
  }
  return known.emplace_back(std::move(allocations));
}

void add_presences(Tests& tests, const std::vector<NoisyAllocation>& all,
                   const std::vector<NoisyAllocation>& collected) {
  const auto any = [](const NoisyAllocation&) { return true; };
  const auto has_network = [](const NoisyAllocation& a) { return a.all_reduce.has_value(); };
  const auto has_gemm = [](const NoisyAllocation& a) { return a.gemm.has_value(); };
  const auto effect = [](const NoisyAllocation& a) { return a.effect; };
  const auto all_reduce = [](const NoisyAllocation& a) { return *a.all_reduce; };
  const auto gemm = [](const NoisyAllocation& a) { return *a.gemm; };
  std::list<Placed> known;
  const Placed& everywhere = placed(known, chosen(all, any));
  everywhere.add(tests, Test::Of::kStepTime, values_of(everywhere, effect), {});
  const auto with_network = chosen(all, has_network);
  auto readings = with_network;
  for (const auto* table : chosen(collected, has_network)) readings.push_back(table);
  const Placed& measured = placed(known, readings);
  measured.add(tests, Test::Of::kAllReduce, values_of(measured, all_reduce), {});
  const Placed& given = placed(known, with_network);
  const auto network = values_of(given, all_reduce);
  if (!network.empty() && squares_of(network) > 0)
    given.add(tests, Test::Of::kGivenNetwork, values_of(given, effect), {network});
  const Placed& computing = placed(known, chosen(all, has_gemm));
  computing.add(tests, Test::Of::kGemm, values_of(computing, gemm), {});
}

// ---- what canaries measured --------------------------------------------------------------------

/// ln of how much something is slower than its like, by unit: an allocation where there are three,
/// else a reading.
class Slowness {
 public:
  /// With `few_suffice` two readings or one say something, too: the like of who is looked at tell
  /// how much healthy ones differ.
  Slowness(Test::Of of, bool by_allocation, bool few_suffice)
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

  void add_tests(Tests& tests) const {
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
  void add_outliers(Tests& tests, const Few& few) const {
    constexpr std::size_t kFewestOthers = 3;
    constexpr double kLeastSd = 0.005;  // of healthy ones, however equal three of them look
    if (few.size() <= kFewestOthers) return;
    for (std::size_t i = 0; i < few.size(); ++i) {
      std::vector<double> others;
      for (std::size_t k = 0; k < few.size(); ++k) {
        if (k != i) others.push_back(few[k].second);
      }
      const auto count = static_cast<double>(others.size());
      const double sd = std::max(std::sqrt(squares_of(others) / (count - 1)), kLeastSd);
      const Difference effect{few[i].second - mean_of(others), sd * std::sqrt(1 + 1 / count),
                              count - 1};
      const auto& units = values_.at(*few[i].first);
      add_test(tests,
               {of_, *few[i].first, effect, of_no_matter(of_), units.size(), 0, collected_.size()});
    }
  }

  Test::Of of_;
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
  for (const auto& [ends, value] : known) {
    const auto first = typical_of(known, ends.first, ends.second);
    const auto second = typical_of(known, ends.second, ends.first);
    if (first && second)
      links.add({ends.first, ends.second}, unit, std::min(*first, *second) - value);
  }
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
  std::set<std::string> all(nodes.begin(), nodes.end());
  all.insert(gemm.slowest_host);
  if (all.size() < 2) return;  // the slowest of one is nobody
  for (const auto& node : all) hosts.add({node}, unit, node == gemm.slowest_host ? slowness : 0);
}

void add_canaries(Tests& tests, const std::vector<NoisyAllocation>& allocations,
                  const std::vector<NoisyAllocation>& collected) {
  constexpr std::size_t kAllocations = 3;
  std::vector<const NoisyAllocation*> measured;
  for (const auto* part : {&allocations, &collected}) {
    for (const auto& allocation : *part) {
      if (!allocation.readings.empty()) measured.push_back(&allocation);
    }
  }
  const bool by_allocation = measured.size() >= kAllocations;
  Slowness nodes(Test::Of::kPairs, by_allocation, true);
  Slowness links(Test::Of::kLink, by_allocation, true);
  Slowness hosts(Test::Of::kNodeGemm, by_allocation, true);
  Slowness slowest(Test::Of::kSlowestRank, by_allocation, false);
  Slowness computing(Test::Of::kComputing, true, false);
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const bool is_collected = measured[i]->name.empty();
    for (const auto& reading : measured[i]->readings) {
      const Slowness::Unit unit{i, reading.reading, is_collected};
      add_pair_slowness(nodes, links, unit, reading);
      if (!add_node_products(hosts, unit, reading))
        add_slowest_product(slowest, unit, reading, measured[i]->nodes);
    }
  }
  for (std::size_t i = 0; i < allocations.size(); ++i) {
    for (const auto& [node, longer] : allocations[i].computing)
      computing.add({node}, {i, 0, false}, longer);
  }
  for (const auto* slowness : {&nodes, &links, &hosts, &slowest, &computing})
    slowness->add_tests(tests);
}

// ---- verdicts ----------------------------------------------------------------------------------

void adjust(Tests& tests) {
  std::vector<double> p;
  for (const auto& test : tests) p.push_back(test.p);
  const auto adjusted = benjamini_hochberg(p);
  for (std::size_t i = 0; i < tests.size(); ++i) tests[i].p_adjusted = adjusted[i];
}

const char* effect_on(Test::Of of) {
  switch (of) {
    case Test::Of::kStepTime:
    case Test::Of::kGivenNetwork:
      return "step time";
    case Test::Of::kAllReduce:
      return "all-reduce";
    case Test::Of::kGemm:
    case Test::Of::kSlowestRank:
    case Test::Of::kNodeGemm:
      return "GEMM";
    case Test::Of::kComputing:
      return "computing";
    case Test::Of::kPairs:
    case Test::Of::kLink:
      return "bandwidth";
  }
  return "";
}

std::string percent(double ln) {
  constexpr double kPercent = 100;
  return short_number((std::exp(ln) - 1) * kPercent, 2) + " %";
}

/// " (4 of these readings were collected)"; empty where none was.
std::string collected_of(const Test& test) {
  if (test.collected == 0) return "";
  if (test.collected >= test.with) return " (by collected tables)";
  return fmt::format(" ({} of {} readings are collected tables)", test.collected, test.with);
}

std::string sentence_of(const Test& test) {
  const std::string more = percent(test.effect.estimate);
  const std::string counts =
      fmt::format("{} allocations with, {} without", test.with, test.without);
  switch (test.of) {
    case Test::Of::kStepTime:
      return fmt::format("step times are {} longer where it is ({})", more, counts);
    case Test::Of::kGivenNetwork:
      return fmt::format("step times are {} longer where it is, given the all-reduce ({})", more,
                         counts);
    case Test::Of::kAllReduce:
      return fmt::format("the canary's all-reduce takes {} longer where it is ({})", more, counts);
    case Test::Of::kGemm:
      return fmt::format("the canary's slowest GEMM takes {} longer where it is ({})", more,
                         counts);
    case Test::Of::kPairs:
      return fmt::format("its links are {} slower than the others'{}", more, collected_of(test));
    case Test::Of::kLink:
      return fmt::format("it is {} slower than its nodes' other links{}", more, collected_of(test));
    case Test::Of::kSlowestRank:
      return fmt::format("its GEMM is the slowest, by {} on average", more);
    case Test::Of::kNodeGemm:
      return fmt::format("its GEMM takes {} longer than the other nodes'{}", more,
                         collected_of(test));
    case Test::Of::kComputing:
      return fmt::format("its ranks compute longest, by {} on average", more);
  }
  return "";
}

bool is_network(Test::Of of) {
  return of == Test::Of::kAllReduce || of == Test::Of::kPairs || of == Test::Of::kLink;
}

bool is_compute(Test::Of of) {
  return of == Test::Of::kGivenNetwork || of == Test::Of::kGemm || of == Test::Of::kSlowestRank ||
         of == Test::Of::kNodeGemm || of == Test::Of::kComputing;
}

/// What the surest test that tells network from compute says.
std::string kind_of(const Tests& tests) {
  const Test* surest = nullptr;
  for (const auto& test : tests) {
    const bool tells = is_network(test.of) || is_compute(test.of);
    if (tells && test.p <= kLevel && (!surest || test.p < surest->p)) surest = &test;
  }
  if (!surest) return "unknown";
  return is_network(surest->of) ? "network" : "compute";
}

Suspect suspect_of(const Tests& tests) {
  Suspect suspect;
  const Test* surest = &tests.front();
  for (const auto& test : tests) {
    if (test.p_adjusted < surest->p_adjusted ||
        (test.p_adjusted == surest->p_adjusted && test.p < surest->p))
      surest = &test;
    if (test.p_adjusted <= kLevel) suspect.evidence.push_back(sentence_of(test));
    if (test.of != Test::Of::kStepTime) continue;
    suspect.allocations_with = test.with;
    suspect.allocations_without = test.without;
  }
  suspect.nodes = surest->who;
  suspect.is_link = surest->of == Test::Of::kLink;
  suspect.kind = kind_of(tests);
  suspect.effect = surest->effect.estimate;
  suspect.effect_on = effect_on(surest->of);
  suspect.p_adjusted = surest->p_adjusted;
  if (suspect.allocations_with == 0) {
    suspect.allocations_with = surest->with;
    suspect.allocations_without = surest->without;
  }
  return suspect;
}

/// "none found; a node that makes runs 9 % longer would have been".
std::string none_because(const Tests& tests, const std::vector<NoisyAllocation>& allocations) {
  constexpr double kPower = 0.8;
  std::vector<double> detectable;
  for (const auto& test : tests) {
    if (test.of == Test::Of::kStepTime)
      detectable.push_back(
          test.threshold +
          t_detectable(test.effect.df, 2 * kLevel / static_cast<double>(tests.size()), kPower) *
              test.effect.se);
  }
  if (!detectable.empty())
    return fmt::format(
        "none found; a node that makes runs {} longer would have been in 4 of 5 "
        "cases",
        percent(median_of(detectable)));
  if (!tests.empty())
    return "none found in the canaries' products and pairs; who was there says nothing, as all "
           "allocations had the same nodes or there are fewer than 6";
  const bool known = std::any_of(allocations.begin(), allocations.end(),
                                 [](const auto& a) { return !a.nodes.empty(); });
  if (!known) return "the nodes of these runs are not known, and no canary compared any";
  return "all allocations had the same nodes or there are fewer than 6, and no canary compared "
         "nodes in 3 readings";
}

}  // namespace

Blame blame_for(const std::vector<NoisyAllocation>& allocations,
                const std::vector<NoisyAllocation>& collected) {
  Tests tests;
  add_presences(tests, allocations, collected);
  add_canaries(tests, allocations, collected);
  adjust(tests);
  // Two nodes that were always together are no link.
  std::map<std::pair<bool, std::vector<std::string>>, Tests> by_suspect;
  for (const auto& test : tests) by_suspect[{test.of == Test::Of::kLink, test.who}].push_back(test);
  Blame blame;
  for (const auto& entry : by_suspect) {
    const bool named = std::any_of(entry.second.begin(), entry.second.end(),
                                   [](const auto& test) { return test.p_adjusted <= kLevel; });
    if (named) blame.suspects.push_back(suspect_of(entry.second));
  }
  std::stable_sort(blame.suspects.begin(), blame.suspects.end(),
                   [](const auto& a, const auto& b) { return a.p_adjusted < b.p_adjusted; });
  // A slow node makes each of its links slow.
  std::set<std::string> slow;
  for (const auto& suspect : blame.suspects) {
    if (!suspect.is_link && suspect.nodes.size() == 1) slow.insert(suspect.nodes[0]);
  }
  const auto explained = [&](const Suspect& suspect) {
    return suspect.is_link && (slow.count(suspect.nodes[0]) + slow.count(suspect.nodes[1]) > 0);
  };
  blame.suspects.erase(std::remove_if(blame.suspects.begin(), blame.suspects.end(), explained),
                       blame.suspects.end());
  if (blame.suspects.empty()) blame.none_because = none_because(tests, allocations);
  return blame;
}

}  // namespace pippin
