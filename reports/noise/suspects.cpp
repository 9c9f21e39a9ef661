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

/// Works out the p of a test.
void weigh(Test& test) {
  const double beyond = test.effect.estimate - test.threshold;
  if (test.effect.se > 0) {
    test.p = t_above(beyond / test.effect.se, test.effect.df);
  } else {
    test.p = beyond > 0 ? 0 : 1;
  }
}

void add_test(Tests& tests, Test test) {
  weigh(test);
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
  Tests tests(Test::Of of, const std::vector<double>& values, const Columns& covariates) const {
    Tests tests;
    if (!membership_ || squares_of(values) == 0) return tests;
    const auto effects = membership_->effects(values, covariates);
    for (std::size_t i = 0; i < effects.size(); ++i) {
      if (!effects[i]) continue;
      const std::size_t with = groups_.allocations[i];
      add_test(tests, {of, groups_.groups[i], *effects[i], of_no_matter(of), with,
                       allocations_.size() - with, 0});
    }
    return tests;
  }

  /// The effect of the group `who` beside those of the groups `given`.
  std::optional<Difference> effect(const std::vector<std::string>& who,
                                   const std::vector<double>& values, Columns covariates,
                                   const std::vector<std::vector<std::string>>& given) const {
    const auto place = std::find(groups_.groups.begin(), groups_.groups.end(), who);
    if (!membership_ || place == groups_.groups.end()) return std::nullopt;
    for (const auto& other : given) covariates.push_back(presence_of(other));
    const auto number = static_cast<std::size_t>(place - groups_.groups.begin());
    return membership_->effects(values, covariates, {number}).front();
  }

 private:
  /// 1 for each allocation that had the group.
  std::vector<double> presence_of(const std::vector<std::string>& who) const {
    const auto has = [&](const NoisyAllocation* allocation) {
      return std::find(allocation->nodes.begin(), allocation->nodes.end(), who.front()) !=
             allocation->nodes.end();
    };
    std::vector<double> presence;
    presence.reserve(allocations_.size());
    for (const auto* allocation : allocations_) presence.push_back(has(allocation) ? 1 : 0);
    return presence;
  }

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

/// What can be asked of who was there.
class Presences {
 public:
  Presences(const std::vector<NoisyAllocation>& all,
            const std::vector<NoisyAllocation>& collected) {
    const auto any = [](const NoisyAllocation&) { return true; };
    const auto has_network = [](const NoisyAllocation& a) { return a.all_reduce.has_value(); };
    const auto has_gemm = [](const NoisyAllocation& a) { return a.gemm.has_value(); };
    const auto effect = [](const NoisyAllocation& a) { return a.effect; };
    const auto all_reduce = [](const NoisyAllocation& a) { return *a.all_reduce; };
    const auto gemm = [](const NoisyAllocation& a) { return *a.gemm; };
    ask(Test::Of::kStepTime, chosen(all, any), effect);
    const auto with_network = chosen(all, has_network);
    auto readings = with_network;
    for (const auto* table : chosen(collected, has_network)) readings.push_back(table);
    ask(Test::Of::kAllReduce, readings, all_reduce);
    ask(Test::Of::kGivenNetwork, with_network, effect);
    auto network = values_of(*questions_.back().placed, all_reduce);
    if (network.empty() || squares_of(network) == 0) {
      questions_.pop_back();
    } else {
      questions_.back().covariates.push_back(std::move(network));
    }
    ask(Test::Of::kGemm, chosen(all, has_gemm), gemm);
  }

  void add_tests(Tests& tests) const {
    for (const auto& question : questions_) {
      for (auto& test : question.placed->tests(question.of, question.values, question.covariates))
        tests.push_back(std::move(test));
    }
  }

  /// The same question about the same suspect beside others that are known to be slow; other tests
  /// stay as they are. Nothing where those stand in for it.
  std::optional<Test> again(Test test, const std::vector<std::vector<std::string>>& given) const {
    for (const auto& question : questions_) {
      if (question.of != test.of) continue;
      const auto effect =
          question.placed->effect(test.who, question.values, question.covariates, given);
      if (!effect) return std::nullopt;
      test.effect = *effect;
      weigh(test);
    }
    return test;
  }

 private:
  struct Question {
    Test::Of of;
    const Placed* placed;
    std::vector<double> values;
    Columns covariates;
  };

  template <typename Value>
  void ask(Test::Of of, std::vector<const NoisyAllocation*> allocations, Value value) {
    const Placed& where = placed(known_, std::move(allocations));
    questions_.push_back({of, &where, values_of(where, value), {}});
  }

  std::list<Placed> known_;
  std::vector<Question> questions_;
};

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
  for (std::size_t i = 0; i < allocations.size(); ++i)
    add_above_others(computing, {i, 0, false}, allocations[i].computing);
  for (const auto* slowness : {&nodes, &links, &hosts, &slowest, &computing})
    slowness->add_tests(tests);
}

// ---- verdicts ----------------------------------------------------------------------------------

/// All that was tested of one node, link or group.
struct Case {
  Tests tests;
  double p = 1, p_adjusted = 1;  ///< of all its tests; and beside those of others
};

/// The p of all tests of a suspect, each of which is adjusted for the others.
double taken_together(Tests& tests) {
  std::vector<double> p;
  p.reserve(tests.size());
  for (Test& test : tests) {
    p.push_back(test.p);
    test.p_adjusted = std::min(1.0, test.p * static_cast<double>(tests.size()));
  }
  return simes(std::move(p));
}

/// Tests of one suspect count as one: with each on its own, five that find a slow node would let
/// others pass whom chance has made look slow.
std::vector<Case> cases_of(const Tests& tests) {
  std::map<std::vector<std::string>, Tests> by_suspect;
  for (const auto& test : tests) by_suspect[test.who].push_back(test);
  std::vector<Case> cases;
  std::vector<double> together;
  for (auto& entry : by_suspect) {
    Case& one = cases.emplace_back();
    one.tests = std::move(entry.second);
    one.p = taken_together(one.tests);
    together.push_back(one.p);
  }
  const auto adjusted = holm(together);
  for (std::size_t i = 0; i < cases.size(); ++i) cases[i].p_adjusted = adjusted[i];
  return cases;
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

/// "23 % longer than", or "2.5 times as long as".
std::string longer_than(double ln) {
  constexpr double kPercent = 100, kTwice = 2;
  const double times = std::exp(ln);
  return times < kTwice ? short_number((times - 1) * kPercent, 2) + " % longer than"
                        : short_number(times, 2) + " times as long as";
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
  const std::string longer = longer_than(test.effect.estimate);
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
      return fmt::format("messages over its links take {} over the others'{}", longer,
                         collected_of(test));
    case Test::Of::kLink:
      return fmt::format("messages over it take {} over its nodes' other links{}", longer,
                         collected_of(test));
    case Test::Of::kSlowestRank:
      return fmt::format("its GEMM is the slowest, by {} on average", more);
    case Test::Of::kNodeGemm:
      return fmt::format("its GEMM takes {} the other nodes'{}", longer, collected_of(test));
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

Suspect suspect_of(const Case& found) {
  const Tests& tests = found.tests;
  Suspect suspect;
  const Test* surest = &tests.front();
  for (const auto& test : tests) {
    if (test.p < surest->p) surest = &test;
    if (test.p_adjusted <= kLevel) suspect.evidence.push_back(sentence_of(test));
    if (test.of != Test::Of::kStepTime) continue;
    suspect.allocations_with = test.with;
    suspect.allocations_without = test.without;
  }
  if (suspect.evidence.empty()) suspect.evidence.push_back(sentence_of(*surest));
  suspect.nodes = surest->who;
  suspect.is_link = surest->of == Test::Of::kLink;
  suspect.kind = kind_of(tests);
  suspect.effect = surest->effect.estimate;
  suspect.effect_on = effect_on(surest->of);
  suspect.p_adjusted = found.p_adjusted;
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

/// The slowest of an allocation sets its pace, so that a node that is often with a slow one may
/// look slow or fast. Whoever is suspect must be so beside those that are so more surely.
void hold_beside_others(std::vector<Case>& cases, const Presences& presences) {
  std::vector<Case*> named;
  for (Case& one : cases) {
    if (one.p_adjusted <= kLevel) named.push_back(&one);
  }
  std::stable_sort(named.begin(), named.end(),
                   [](const Case* a, const Case* b) { return a->p < b->p; });
  std::vector<std::vector<std::string>> given;
  for (Case* one : named) {
    if (!given.empty()) {
      Tests tests;
      for (const Test& test : one->tests) {
        if (auto again = presences.again(test, given)) tests.push_back(*std::move(again));
      }
      one->p_adjusted = 1;
      if (tests.empty()) continue;
      one->tests = std::move(tests);
      one->p_adjusted =
          std::min(1.0, taken_together(one->tests) * static_cast<double>(cases.size()));
    }
    if (one->p_adjusted <= kLevel) given.push_back(one->tests.front().who);
  }
}

/// A slow node makes its links slow, and a slow link its two nodes: the one stays whose slowness
/// the other does not explain.
void drop_what_others_explain(std::vector<Suspect>& suspects, const std::vector<Case>& cases) {
  constexpr double kMuch = 2;
  std::map<std::string, double> by_pairs;  // ln by which a node's typical link is slow
  std::set<std::string> otherwise;         // nodes that something else than pairs names
  for (const auto& one : cases) {
    for (const auto& test : one.tests) {
      if (test.who.size() != 1) continue;
      if (test.of == Test::Of::kPairs) {
        by_pairs[test.who[0]] = test.effect.estimate;
      } else if (test.p_adjusted <= kLevel) {
        otherwise.insert(test.who[0]);
      }
    }
  }
  const auto is_node = [](const Suspect& suspect) {
    return !suspect.is_link && suspect.nodes.size() == 1;
  };
  std::set<std::string> named, of_links;
  for (const auto& suspect : suspects) {
    if (is_node(suspect)) named.insert(suspect.nodes[0]);
  }
  const auto is_explained_link = [&](const Suspect& suspect) {
    const auto explains = [&](const std::string& node) {
      return named.count(node) > 0 && suspect.effect <= kMuch * by_pairs[node];
    };
    return suspect.is_link && std::any_of(suspect.nodes.begin(), suspect.nodes.end(), explains);
  };
  const auto drop = [&](const auto& goes) {
    suspects.erase(std::remove_if(suspects.begin(), suspects.end(), goes), suspects.end());
  };
  drop(is_explained_link);
  for (const auto& suspect : suspects) {
    if (suspect.is_link) of_links.insert(suspect.nodes.begin(), suspect.nodes.end());
  }
  drop([&](const Suspect& suspect) {
    return is_node(suspect) && of_links.count(suspect.nodes[0]) > 0 &&
           otherwise.count(suspect.nodes[0]) == 0;
  });
}

}  // namespace

Blame blame_for(const std::vector<NoisyAllocation>& allocations,
                const std::vector<NoisyAllocation>& collected) {
  const Presences presences(allocations, collected);
  Tests tests;
  presences.add_tests(tests);
  add_canaries(tests, allocations, collected);
  // Of few nodes there are many links: nodes and links are two questions, each with its own level.
  const auto of_links = std::stable_partition(
      tests.begin(), tests.end(), [](const auto& test) { return test.of != Test::Of::kLink; });
  auto cases = cases_of({tests.begin(), of_links});
  hold_beside_others(cases, presences);
  for (auto& link : cases_of({of_links, tests.end()})) cases.push_back(std::move(link));
  Blame blame;
  for (const auto& one : cases) {
    if (one.p_adjusted <= kLevel) blame.suspects.push_back(suspect_of(one));
  }
  std::stable_sort(blame.suspects.begin(), blame.suspects.end(),
                   [](const auto& a, const auto& b) { return a.p_adjusted < b.p_adjusted; });
  drop_what_others_explain(blame.suspects, cases);
  if (blame.suspects.empty()) blame.none_because = none_because(tests, allocations);
  return blame;
}

}  // namespace pippin
