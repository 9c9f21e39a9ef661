// SPDX-License-Identifier: Apache-2.0
#include "reports/noise/presences.h"

#include <algorithm>
#include <list>
#include <map>
#include <set>
#include <utility>

#include "reports/statistics/presence.h"
#include "reports/statistics/sample.h"

namespace pippin {

namespace {

// Allocations that are looked at where they and their nodes are more: the newest.
constexpr std::size_t kMostPlaced = 800;

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
  BlameTests tests(BlameTest::Of of, const std::vector<double>& values,
                   const Columns& covariates) const {
    BlameTests tests;
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

}  // namespace

struct Presences::Questions {
  struct Question {
    BlameTest::Of of;
    const Placed* placed;
    std::vector<double> values;
    Columns covariates;
  };

  template <typename Value>
  void ask(BlameTest::Of of, std::vector<const NoisyAllocation*> allocations, Value value) {
    const Placed& where = placed(known, std::move(allocations));
    all.push_back({of, &where, values_of(where, value), {}});
  }

  std::list<Placed> known;
  std::vector<Question> all;
};

Presences::Presences(const std::vector<NoisyAllocation>& all,
                     const std::vector<NoisyAllocation>& collected) {
  auto questions = std::make_unique<Questions>();
  const auto any = [](const NoisyAllocation&) { return true; };
  const auto has_network = [](const NoisyAllocation& a) { return a.all_reduce.has_value(); };
  const auto has_gemm = [](const NoisyAllocation& a) { return a.gemm.has_value(); };
  const auto effect = [](const NoisyAllocation& a) { return a.effect; };
  const auto all_reduce = [](const NoisyAllocation& a) { return *a.all_reduce; };
  const auto gemm = [](const NoisyAllocation& a) { return *a.gemm; };
  questions->ask(BlameTest::Of::kStepTime, chosen(all, any), effect);
  const auto with_network = chosen(all, has_network);
  auto readings = with_network;
  for (const auto* table : chosen(collected, has_network)) readings.push_back(table);
  questions->ask(BlameTest::Of::kAllReduce, readings, all_reduce);
  questions->ask(BlameTest::Of::kGivenNetwork, with_network, effect);
  auto network = values_of(*questions->all.back().placed, all_reduce);
  if (network.empty() || squares_of(network) == 0) {
    questions->all.pop_back();
  } else {
    questions->all.back().covariates.push_back(std::move(network));
  }
  questions->ask(BlameTest::Of::kGemm, chosen(all, has_gemm), gemm);
  questions_ = std::move(questions);
}

Presences::~Presences() = default;

void Presences::add_tests(BlameTests& tests) const {
  for (const auto& question : questions_->all) {
    for (auto& test : question.placed->tests(question.of, question.values, question.covariates))
      tests.push_back(std::move(test));
  }
}

std::optional<BlameTest> Presences::again(
    BlameTest test, const std::vector<std::vector<std::string>>& given) const {
  for (const auto& question : questions_->all) {
    if (question.of != test.of) continue;
    const auto effect =
        question.placed->effect(test.who, question.values, question.covariates, given);
    if (!effect) return std::nullopt;
    test.effect = *effect;
    weigh(test);
  }
  return test;
}

}  // namespace pippin
