// SPDX-License-Identifier: Apache-2.0
#include "tests/probes/oracle/parameters.h"

#include <cmath>

#include "probes/common/random.h"

namespace pippin::probes::oracle {

namespace {

/// Appends tensors under a common prefix; a bias only where the style has biases.
struct TableWriter {
  std::vector<Parameter>& table;
  std::string prefix;
  bool biases;

  void weight(const char* name, std::int64_t rows, std::int64_t columns, Start start) {
    table.push_back({prefix + name + ".weight", rows, columns, start});
  }
  void bias(const char* name, std::int64_t width) {
    if (biases) table.push_back({prefix + name + ".bias", 1, width, Start::kZero});
  }
  void norm(const char* name, std::int64_t width) {
    table.push_back({prefix + name + ".gain", 1, width, Start::kOne});
    bias(name, width);
  }
};

void append_layer(TableWriter& t, const Setup& s) {
  const std::int64_t h = s.hidden, f = s.ffn_width(), up = s.llama() ? 2 * f : f;
  t.norm("norm1", h);
  t.weight("qkv", s.qkv_width(), h, Start::kNormal);
  t.bias("qkv", s.qkv_width());
  t.weight("out", h, h, Start::kScaledNormal);
  t.bias("out", h);
  t.norm("norm2", h);
  t.weight("up", up, h, Start::kNormal);
  t.bias("up", up);
  t.weight("down", h, f, Start::kScaledNormal);
  t.bias("down", h);
}

}  // namespace

std::vector<Parameter> parameter_table(const Setup& setup) {
  const std::int64_t vocab = padded_vocab(setup), h = setup.hidden;
  std::vector<Parameter> table;
  table.push_back({"tokens", vocab, h, Start::kNormal});
  if (!setup.llama()) table.push_back({"positions", setup.seq, h, Start::kNormal});
  for (std::int64_t layer = 0; layer < setup.layers; ++layer) {
    TableWriter writer{table, "layer" + std::to_string(layer) + ".", !setup.llama()};
    append_layer(writer, setup);
  }
  TableWriter{table, "", !setup.llama()}.norm("norm", h);
  if (setup.llama()) table.push_back({"output", vocab, h, Start::kNormal});
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
    const std::uint64_t seed =
        seed_of(static_cast<std::uint64_t>(setup.seed), "parameter " + parameter.name);
    for (std::int64_t i = 0; i < parameter.size(); ++i)
      tensor[i] = parameter.decays()
                      ? static_cast<T>(sd * normal_at(seed, static_cast<std::uint64_t>(i)))
                      : T(parameter.start == Start::kOne ? 1 : 0);
  }
}

namespace {

/// Null where the table has no such tensor.
template <typename P>
P* find(const std::vector<Parameter>& table, const std::string& name, P* flat) {
  for (const auto& parameter : table)
    if (parameter.name == name) return flat + parameter.offset;
  return nullptr;
}

}  // namespace

template <typename P>
BlockTensors<P> block_tensors(const std::vector<Parameter>& table, std::int64_t layer, P* flat) {
  const auto at = [&](const char* name) {
    return find(table, "layer" + std::to_string(layer) + "." + name, flat);
  };
  return {at("norm1.gain"), at("norm1.bias"), at("qkv.weight"),  at("qkv.bias"),
          at("out.weight"), at("out.bias"),   at("norm2.gain"),  at("norm2.bias"),
          at("up.weight"),  at("up.bias"),    at("down.weight"), at("down.bias")};
}

template <typename P>
EdgeTensors<P> edge_tensors(const std::vector<Parameter>& table, P* flat) {
  P* tokens = find(table, "tokens", flat);
  P* output = find(table, "output", flat);
  return {tokens, find(table, "positions", flat), find(table, "norm.gain", flat),
          find(table, "norm.bias", flat), output ? output : tokens};
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

}  // namespace pippin::probes::oracle
