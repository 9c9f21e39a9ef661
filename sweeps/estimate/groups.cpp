// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/groups.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace pippin {

namespace {

/// How many ranks a group has, and how far apart they are.
struct Stride {
  std::int64_t size, step;
};

Stride stride_of(const Setup& setup, Dimension dimension) {
  switch (dimension) {
    case Dimension::kTensor:
      return {setup.tp, 1};
    case Dimension::kContext:
      return {setup.cp, setup.tp};
    case Dimension::kData:
      return {setup.dp, setup.replica_step()};
    case Dimension::kReplicas:
      return {setup.dp * setup.cp, setup.cp == 1 ? setup.replica_step() : setup.tp};
    case Dimension::kExperts:
      return {setup.ep, setup.expert_tp};
    case Dimension::kExpertTensor:
      return {setup.expert_tp, 1};
    case Dimension::kAllExperts:
      return {setup.ep * setup.expert_tp, 1};
    case Dimension::kExpertData:
      return {setup.expert_replicas(),
              setup.expert_tp * setup.ep * (setup.pipeline_before_data ? setup.pp : 1)};
    case Dimension::kPipeline:
      break;
  }
  return {setup.pp, setup.stage_step()};
}

/// Whether they are no equal steps apart: CP's ranks in a row, and DP's behind the pipeline's.
bool has_two_steps(const Setup& setup, Dimension dimension) {
  return dimension == Dimension::kReplicas && setup.pipeline_before_data && setup.cp > 1 &&
         setup.dp > 1 && setup.pp > 1;
}

std::vector<Ranks> groups_of_replicas(const Setup& setup) {
  std::vector<Ranks> groups;
  for (const Ranks& first : groups_of(setup, Dimension::kContext)) {
    if (first.front() >= setup.replica_step()) break;
    Ranks group;
    for (std::int64_t i = 0; i < setup.dp; ++i)
      for (const std::int64_t rank : first) group.push_back(rank + i * setup.replica_step());
    groups.push_back(std::move(group));
  }
  return groups;
}

}  // namespace

std::vector<Ranks> groups_of(const Setup& setup, Dimension dimension) {
  if (has_two_steps(setup, dimension)) return groups_of_replicas(setup);
  const auto [size, step] = stride_of(setup, dimension);
  std::vector<Ranks> groups;
  for (std::int64_t outer = 0; outer < setup.gpus(); outer += size * step) {
    for (std::int64_t first = outer; first < outer + step; ++first) {
      Ranks group;
      for (std::int64_t i = 0; i < size; ++i) group.push_back(first + i * step);
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

std::int64_t nodes_of_group(const Setup& setup, Dimension dimension) {
  if (has_two_steps(setup, dimension)) {
    std::size_t most = 1;
    for (const Ranks& group : groups_of_replicas(setup)) {
      std::set<std::int64_t> nodes;
      for (const std::int64_t rank : group) nodes.insert(rank / setup.gpus_per_node);
      most = std::max(most, nodes.size());
    }
    return static_cast<std::int64_t>(most);
  }
  const auto [size, step] = stride_of(setup, dimension);
  const std::int64_t node = setup.gpus_per_node, whole = size * step, length = (size - 1) * step;
  // A group begins at each place of a node that is there; where a node holds whole groups, or they
  // whole nodes, the first ones stand for all.
  const std::int64_t outers = std::min(setup.gpus() / whole, node);
  std::int64_t nodes = 1;
  for (std::int64_t outer = 0; outer < outers; ++outer) {
    for (std::int64_t first = 0; first < std::min(step, node); ++first) {
      const std::int64_t begin = outer * whole + first;
      const std::int64_t spanned = (begin + length) / node - begin / node + 1;
      nodes = std::max(nodes, std::min(spanned, size));
    }
    if (whole % node == 0 || node % whole == 0) break;
  }
  return nodes;
}

std::string place_of(const Setup& setup, std::int64_t rank) {
  return fmt::format("n{}_g{}", rank / setup.gpus_per_node, rank % setup.gpus_per_node);
}

}  // namespace pippin
