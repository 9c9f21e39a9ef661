// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "probes/common/setup.h"
#include "probes/device/drawing.h"
#include "probes/training/layout.h"

namespace pippin::probes {

/// When a tensor's gradient is complete, and what it still lacks at the end of the backward pass.
enum class Lack {
  kNothing,
  kOtherStage,   ///< the tied embedding: the other end of the pipeline adds its part
  kOtherTokens,  ///< sequence parallelism: the other tensor-parallel ranks add their tokens' parts
};

/// One rank's part of a tensor: its place in the rank's flat array.
struct Shard {
  std::string name;            ///< of the whole tensor, as the oracle names it
  std::int64_t rows, columns;  ///< of the part
  std::int64_t full_rows, full_columns;
  Split split;
  Lack lack = Lack::kNothing;
  double sd = 0;       ///< of the normal it starts from; 0 is a constant
  double start = 0;    ///< the constant
  bool counts = true;  ///< in the norm of the gradient: no other rank has the same
  std::int64_t offset = 0;

  std::int64_t size() const { return rows * columns; }
  bool decays() const { return sd > 0; }
};

/// A run of the flat array that is reduced as one: its parts lack the same.
struct Region {
  Lack lack;
  std::int64_t begin, end;  ///< whole DP parts, each aligned()
};

/// Elements to whose multiples tensors and their DP parts are padded: of 16 bits the 16 bytes that
/// a GPU loads at once.
inline constexpr std::int64_t kShardAlignment = 8;
/// `count` up to the next multiple of it, in each of `parts` equal parts.
std::int64_t aligned(std::int64_t count, std::int64_t parts = 1);

/// What a rank holds of the model: the tensors of its stage in the order of the forward pass, those
/// that lack something after the others.
struct ShardTable {
  std::vector<Shard> shards;
  std::vector<Region> regions;
  std::int64_t size = 0;   ///< elements of the flat array, padding included
  std::int64_t count = 0;  ///< parameters
};

/// Requires check_layout().
ShardTable shard_table(const Setup& setup, const Place& place);

TensorPart part_of(const Shard& shard, const Setup& setup, const Place& place);

/// What a part starts from. Source: GPT-2 and Megatron-LM: normal with SD 0.02, those that feed the
/// residual stream with 0.02/√(2·layers), biases 0, norm gains 1.
Drawing drawing_of(const Shard& shard, const Setup& setup, const Place& place);

}  // namespace pippin::probes
