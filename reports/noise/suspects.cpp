// SPDX-License-Identifier: Apache-2.0
#include "reports/noise/suspects.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

#include "reports/noise/blame_test.h"
#include "reports/noise/canary_tests.h"
#include "reports/noise/presences.h"
#include "reports/statistics/many_tests.h"
#include "reports/statistics/sample.h"
#include "reports/statistics/student.h"

namespace pippin {

namespace {

constexpr double kLevel = 0.05;

/// All that was tested of one node, link or group.
struct Case {
  BlameTests tests;
  double p = 1, p_adjusted = 1;  ///< of all its tests; and beside those of others
};

/// The p of all tests of a suspect, each of which is adjusted for the others.
double taken_together(BlameTests& tests) {
  std::vector<double> p;
  p.reserve(tests.size());
  for (BlameTest& test : tests) {
    p.push_back(test.p);
    test.p_adjusted = std::min(1.0, test.p * static_cast<double>(tests.size()));
  }
  return simes(std::move(p));
}

/// BlameTests of one suspect count as one: with each on its own, five that find a slow node would
/// let others pass whom chance has made look slow.
std::vector<Case> cases_of(const BlameTests& tests) {
  std::map<std::vector<std::string>, BlameTests> by_suspect;
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

/// What the surest test that tells network from compute says.
std::string kind_of(const BlameTests& tests) {
  const BlameTest* surest = nullptr;
  for (const auto& test : tests) {
    const bool tells = is_network(test.of) || is_compute(test.of);
    if (tells && test.p <= kLevel && (!surest || test.p < surest->p)) surest = &test;
  }
  if (!surest) return "unknown";
  return is_network(surest->of) ? "network" : "compute";
}

Suspect suspect_of(const Case& found) {
  const BlameTests& tests = found.tests;
  Suspect suspect;
  const BlameTest* surest = &tests.front();
  for (const auto& test : tests) {
    if (test.p < surest->p) surest = &test;
    if (test.p_adjusted <= kLevel) suspect.evidence.push_back(sentence_of(test));
    if (test.of != BlameTest::Of::kStepTime) continue;
    suspect.allocations_with = test.with;
    suspect.allocations_without = test.without;
  }
  if (suspect.evidence.empty()) suspect.evidence.push_back(sentence_of(*surest));
  suspect.nodes = surest->who;
  suspect.is_link = surest->of == BlameTest::Of::kLink;
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
std::string none_because(const BlameTests& tests, const std::vector<NoisyAllocation>& allocations) {
  constexpr double kPower = 0.8;
  const auto of_nodes = std::count_if(
      tests.begin(), tests.end(), [](const auto& test) { return test.of != BlameTest::Of::kLink; });
  std::vector<double> detectable;
  for (const auto& test : tests) {
    if (test.of != BlameTest::Of::kStepTime) continue;
    const double level = 2 * kLevel / static_cast<double>(of_nodes);
    detectable.push_back(test.threshold +
                         t_detectable(test.effect.df, level, kPower) * test.effect.se);
  }
  if (!detectable.empty())
    return fmt::format(
        "none found; a node that makes runs {} longer would have been in 4 of 5 "
        "cases",
        percent_longer(median_of(detectable)));
  if (!tests.empty())
    return "none found in the canaries' products and pairs; who was there says nothing, as all "
           "allocations had the same nodes or there are fewer than 6";
  const bool known = std::any_of(allocations.begin(), allocations.end(),
                                 [](const auto& a) { return !a.nodes.empty(); });
  if (!known) return "the nodes of these runs are not known, and no canary compared any";
  return "all allocations had the same nodes or there are fewer than 6, and no canary compared "
         "them";
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
      BlameTests tests;
      for (const BlameTest& test : one->tests) {
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
      if (test.of == BlameTest::Of::kPairs) {
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

std::vector<MachineEffect> effects_in(const BlameTests& tests) {
  constexpr double kInterval = 0.95;
  std::vector<MachineEffect> effects;
  for (const auto& test : tests) {
    const bool of_node = test.of == BlameTest::Of::kStepTime && test.who.size() == 1;
    if (!of_node && test.of != BlameTest::Of::kLink) continue;
    effects.push_back({test.who, test.effect.estimate, test.effect.low(kInterval),
                       test.effect.high(kInterval), test.with});
  }
  return effects;
}

}  // namespace

Blame blame_for(const std::vector<NoisyAllocation>& allocations,
                const std::vector<NoisyAllocation>& collected) {
  const Presences presences(allocations, collected);
  BlameTests tests;
  presences.add_tests(tests);
  add_canary_tests(tests, allocations, collected);
  // Of few nodes there are many links: nodes and links are two questions, each with its own level.
  const auto of_links = std::stable_partition(
      tests.begin(), tests.end(), [](const auto& test) { return test.of != BlameTest::Of::kLink; });
  auto cases = cases_of({tests.begin(), of_links});
  hold_beside_others(cases, presences);
  for (auto& link : cases_of({of_links, tests.end()})) cases.push_back(std::move(link));
  Blame blame;
  blame.effects = effects_in(tests);
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
