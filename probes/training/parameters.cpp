#include "probes/training/parameters.h"

#include <cmath>

#include "probes/common/random.h"

namespace pippin::probes {

namespace {

// The table: token and position embeddings, twelve tensors a layer, the last norm.
constexpr std::int64_t kTensorsBefore = 2, kTensorsOfLayer = 12;

void append_layer(std::vector<Parameter>& table, const std::string& name, const Setup& s) {
  const std::int64_t h = s.hidden, f = s.ffn_width();
  table.push_back({name + "norm1.gain", 1, h, Start::kOne});
  table.push_back({name + "norm1.bias", 1, h, Start::kZero});
  table.push_back({name + "qkv.weight", 3 * h, h, Start::kNormal});
  table.push_back({name + "qkv.bias", 1, 3 * h, Start::kZero});
  table.push_back({name + "out.weight", h, h, Start::kScaledNormal});
  table.push_back({name + "out.bias", 1, h, Start::kZero});
  table.push_back({name + "norm2.gain", 1, h, Start::kOne});
  table.push_back({name + "norm2.bias", 1, h, Start::kZero});
  table.push_back({name + "up.weight", f, h, Start::kNormal});
  table.push_back({name + "up.bias", 1, f, Start::kZero});
  table.push_back({name + "down.weight", h, f, Start::kScaledNormal});
  table.push_back({name + "down.bias", 1, h, Start::kZero});
}

}  // namespace

std::vector<Parameter> parameter_table(const Setup& setup) {
  std::vector<Parameter> table;
  table.push_back({"tokens", padded_vocab(setup), setup.hidden, Start::kNormal});
  table.push_back({"positions", setup.seq, setup.hidden, Start::kNormal});
  for (std::int64_t layer = 0; layer < setup.layers; ++layer)
    append_layer(table, "layer" + std::to_string(layer) + ".", setup);
  table.push_back({"norm.gain", 1, setup.hidden, Start::kOne});
  table.push_back({"norm.bias", 1, setup.hidden, Start::kZero});
  std::int64_t offset = 0;
  for (auto& parameter : table) {
    parameter.offset = offset;
    offset += parameter.size();
  }
  return table;
}

std::int64_t parameter_count(const std::vector<Parameter>& table) {
  return table.back().offset + table.back().size();
}

template <typename T>
void draw_parameters(const std::vector<Parameter>& table, const Setup& setup, T* values) {
  constexpr double kSd = 0.02;
  const double scaled_sd = kSd / std::sqrt(2.0 * static_cast<double>(setup.layers));
  for (const auto& parameter : table) {
    T* tensor = values + parameter.offset;
    const double sd = parameter.start == Start::kScaledNormal ? scaled_sd : kSd;
    Random random(seed_of(static_cast<std::uint64_t>(setup.seed), "parameter " + parameter.name));
    for (std::int64_t i = 0; i < parameter.size(); ++i)
      tensor[i] = parameter.decays() ? static_cast<T>(sd * random.normal())
                                     : T(parameter.start == Start::kOne ? 1 : 0);
  }
}

template <typename P>
BlockTensors<P> block_tensors(const std::vector<Parameter>& table, std::int64_t layer, P* flat) {
  std::int64_t next = kTensorsBefore + layer * kTensorsOfLayer;
  const auto take = [&] { return flat + table[static_cast<std::size_t>(next++)].offset; };
  BlockTensors<P> block{};
  for (P** tensor : {&block.norm1_gain, &block.norm1_bias, &block.qkv_weight, &block.qkv_bias,
                     &block.out_weight, &block.out_bias, &block.norm2_gain, &block.norm2_bias,
                     &block.up_weight, &block.up_bias, &block.down_weight, &block.down_bias})
    *tensor = take();
  return block;
}

template <typename P>
EdgeTensors<P> edge_tensors(const std::vector<Parameter>& table, P* flat) {
  const std::size_t last = table.size() - 1;
  return {flat + table[0].offset, flat + table[1].offset, flat + table[last - 1].offset,
          flat + table[last].offset};
}

// NOLINTBEGIN(bugprone-macro-parentheses): T is a type
#define PROBES_PARAMETERS(T)                                                                \
  template void draw_parameters(const std::vector<Parameter>&, const Setup&, T*);           \
  template BlockTensors<T> block_tensors(const std::vector<Parameter>&, std::int64_t, T*);  \
  template BlockTensors<const T> block_tensors(const std::vector<Parameter>&, std::int64_t, \
                                               const T*);                                   \
  template EdgeTensors<T> edge_tensors(const std::vector<Parameter>&, T*);                  \
  template EdgeTensors<const T> edge_tensors(const std::vector<Parameter>&, const T*);
PROBES_PARAMETERS(float)
PROBES_PARAMETERS(double)
#undef PROBES_PARAMETERS
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace pippin::probes
