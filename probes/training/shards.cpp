// SPDX-License-Identifier: Apache-2.0
#include "probes/training/shards.h"

#include <algorithm>
#include <cmath>

#include "probes/common/random.h"

namespace pippin::probes {

namespace {

constexpr double kSd = 0.02;

/// Lists the tensors of a stage.
class Writer {
 public:
  Writer(const Setup& setup, const Place& place) : s_(setup), place_(place) {}

  std::vector<Shard> stage() {
    const bool first = place_.pp == 0, last = place_.pp == s_.pp - 1;
    if (first) embeddings();
    std::int64_t layer = 0;
    for (std::int64_t stage = 0; stage < place_.pp; ++stage) layer += layers_of_stage(s_, stage);
    for (std::int64_t i = 0; i < layers_of_stage(s_, place_.pp); ++i, ++layer)
      this->layer("layer" + std::to_string(layer) + ".");
    if (last) head(first);
    return std::move(shards_);
  }

 private:
  void embeddings() {
    weight("tokens", padded_vocab(s_), s_.hidden, Split::kRows, kSd);
    if (tied() && s_.pp > 1) shards_.back().lack = Lack::kOtherStage;
    if (!s_.llama()) replicated("positions", s_.seq, s_.hidden, kSd, 0);
  }

  void layer(const std::string& prefix) {
    const std::int64_t h = s_.hidden, f = s_.ffn_width();
    const double scaled = kSd / std::sqrt(2.0 * static_cast<double>(s_.layers));
    norm(prefix + "norm1");
    weight(prefix + "qkv.weight", s_.qkv_width(), h, Split::kRows, kSd);
    if (!s_.llama()) weight(prefix + "qkv.bias", s_.qkv_width(), 1, Split::kRows, 0);
    weight(prefix + "out.weight", h, h, Split::kColumns, scaled);
    if (!s_.llama()) replicated(prefix + "out.bias", 1, h, 0, 0);
    norm(prefix + "norm2");
    weight(prefix + "up.weight", s_.llama() ? 2 * f : f, h,
           s_.llama() ? Split::kGateUp : Split::kRows, kSd);
    if (!s_.llama()) weight(prefix + "up.bias", f, 1, Split::kRows, 0);
    weight(prefix + "down.weight", h, f, Split::kColumns, scaled);
    if (!s_.llama()) replicated(prefix + "down.bias", 1, h, 0, 0);
  }

  void head(bool first) {
    norm("norm");
    if (!tied()) return weight("output", padded_vocab(s_), s_.hidden, Split::kRows, kSd);
    if (first) return;
    weight("tokens", padded_vocab(s_), s_.hidden, Split::kRows, kSd);
    shards_.back().lack = Lack::kOtherStage;
    shards_.back().counts = false;  // the first stage counts it
  }

  void norm(const std::string& name) {
    replicated(name + ".gain", 1, s_.hidden, 0, 1);
    if (!s_.llama()) replicated(name + ".bias", 1, s_.hidden, 0, 0);
  }

  void replicated(const std::string& name, std::int64_t rows, std::int64_t columns, double sd,
                  double start) {
    Shard shard{name, rows, columns, rows, columns, Split::kWhole};
    shard.sd = sd;
    shard.start = start;
    shard.counts = place_.tp == 0;
    if (splits_sequence(s_)) shard.lack = Lack::kOtherTokens;
    shards_.push_back(std::move(shard));
  }

  void weight(const std::string& name, std::int64_t rows, std::int64_t columns, Split split,
              double sd) {
    Shard shard{name, rows, columns, rows, columns, split};
    (split == Split::kColumns ? shard.columns : shard.rows) /= s_.tp;
    shard.sd = sd;
    shards_.push_back(std::move(shard));
  }

  bool tied() const { return !s_.llama(); }

  const Setup& s_;
  const Place& place_;
  std::vector<Shard> shards_;
};

}  // namespace

std::int64_t aligned(std::int64_t count, std::int64_t parts) {
  const std::int64_t step = kShardAlignment * parts;
  return (count + step - 1) / step * step;
}

ShardTable shard_table(const Setup& setup, const Place& place) {
  ShardTable table;
  const std::vector<Shard> all = Writer(setup, place).stage();
  for (const Lack lack : {Lack::kNothing, Lack::kOtherStage, Lack::kOtherTokens}) {
    Region region{lack, table.size, table.size};
    for (const auto& shard : all) {
      if (shard.lack != lack) continue;
      table.shards.push_back(shard);
      table.shards.back().offset = region.end;
      region.end = aligned(region.end + shard.size());
      table.count += shard.size();
    }
    if (region.begin == region.end) continue;
    region.end = aligned(region.end, setup.dp);
    table.size = region.end;
    table.regions.push_back(region);
  }
  return table;
}

TensorPart part_of(const Shard& shard, const Setup& setup, const Place& place) {
  return {shard.rows, shard.columns, shard.full_columns, shard.split, setup.tp, place.tp};
}

Drawing drawing_of(const Shard& shard, const Setup& setup, const Place& place) {
  const auto seed = static_cast<std::uint64_t>(setup.seed);
  return {seed_of(seed, "parameter " + shard.name), shard.sd, shard.start,
          part_of(shard, setup, place)};
}

}  // namespace pippin::probes
