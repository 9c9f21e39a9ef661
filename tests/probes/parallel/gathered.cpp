// SPDX-License-Identifier: Apache-2.0
#include "tests/probes/parallel/gathered.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace pippin::probes::test {

namespace {

double largest_of(const std::vector<double>& values) {
  double largest = 0;
  for (const double value : values) largest = std::max(largest, std::fabs(value));
  return largest;
}

/// Adds one rank's parts; notes how far what was there already is from them.
template <typename T>
void merge(const ShardTable& table, const Setup& setup, const Place& at, const T* flat,
           Tensors& tensors, std::map<std::string, double>& spread) {
  for (const auto& shard : table.shards) {
    auto& whole = tensors[shard.name];
    const auto size = static_cast<std::size_t>(shard.full_rows * shard.full_columns);
    if (whole.empty()) whole.assign(size, NAN);
    const TensorPart part = part_of(shard, setup, at);
    for (std::int64_t i = 0; i < shard.size(); ++i) {
      double& place = whole[static_cast<std::size_t>(place_in_whole(part, i))];
      const auto value = static_cast<double>(flat[shard.offset + i]);
      if (std::isnan(place)) place = value;
      double& far = spread[shard.name];
      far = std::max(far, std::fabs(place - value));
    }
  }
}

}  // namespace

template <typename T>
Gathered gathered(Communicator& world, const Setup& setup, const ShardTable& table, const T* flat,
                  double tolerance) {
  Gathered result;
  Tensors& tensors = result.tensors;
  if (world.rank() > 0) {
    world.start_send(flat, table.size, element_of<T>(), 0)->wait();
    return result;
  }
  std::map<std::string, double> spread;
  merge(table, setup, place_of(setup, 0), flat, tensors, spread);
  for (int rank = 1; rank < world.size(); ++rank) {
    const Place place = place_of(setup, rank);
    const ShardTable theirs = shard_table(setup, place);
    std::vector<T> part(static_cast<std::size_t>(theirs.size));
    world.start_receive(part.data(), theirs.size, element_of<T>(), rank)->wait();
    merge(theirs, setup, place, part.data(), tensors, spread);
  }
  for (const auto& [name, far] : spread)
    if (!(far <= tolerance * largest_of(tensors[name])))
      result.complaint = name + ": ranks that hold the same differ by " +
                         std::to_string(far / largest_of(tensors[name]));
  return result;
}

Difference difference(const Tensors& a, const Tensors& oracle) {
  Difference worst;
  for (const auto& [name, whole] : oracle) {
    const auto found = a.find(name);
    if (found == a.end()) throw std::runtime_error("no rank has " + name);
    // A vocabulary may be padded further for TP than the oracle's.
    const std::size_t shared = std::min(whole.size(), found->second.size());
    double far = 0;
    for (std::size_t i = 0; i < shared; ++i) {
      const double step = std::fabs(found->second[i] - whole[i]);
      far = std::isnan(step) ? INFINITY : std::max(far, step);
    }
    const double relative = far / largest_of(whole);
    if (relative > worst.relative) worst = {relative, name};
  }
  return worst;
}

template Gathered gathered(Communicator&, const Setup&, const ShardTable&, const Half*, double);
template Gathered gathered(Communicator&, const Setup&, const ShardTable&, const BFloat16*, double);
template Gathered gathered(Communicator&, const Setup&, const ShardTable&, const float*, double);
template Gathered gathered(Communicator&, const Setup&, const ShardTable&, const double*, double);

}  // namespace pippin::probes::test
