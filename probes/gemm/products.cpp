// SPDX-License-Identifier: Apache-2.0
#include "probes/gemm/products.h"

#include "probes/common/error.h"

namespace pippin::probes {

const char* Product::pass_name() const {
  switch (pass) {
    case Pass::kForward:
    case Pass::kAttention:
      return "forward";
    case Pass::kInputGradient:
      return "input_gradient";
    case Pass::kWeightGradient:
      return "weight_gradient";
    case Pass::kAttentionBackward:
      return "backward";
  }
  return "";
}

std::int64_t Product::m() const {
  if (!linear()) return shape.seq;
  return pass == Pass::kWeightGradient ? out : rows;
}

std::int64_t Product::n() const {
  if (!linear()) return shape.seq;
  return pass == Pass::kForward ? out : in;
}

std::int64_t Product::k() const {
  if (!linear()) return shape.head_width;
  if (pass == Pass::kForward) return in;
  return pass == Pass::kInputGradient ? out : rows;
}

std::int64_t Product::batch() const { return linear() ? 1 : shape.batch * shape.heads; }

double Product::flops() const {
  if (linear())
    return 2.0 * static_cast<double>(m()) * static_cast<double>(n()) * static_cast<double>(k());
  const double seq = static_cast<double>(shape.seq), scores = seq * (seq + 1) / 2;
  const double products = pass == Pass::kAttention ? 2 : 4;
  return products * 2.0 * scores * static_cast<double>(shape.head_width) *
         static_cast<double>(batch());
}

std::vector<Product> linear_products(const std::string& layer, std::int64_t rows, std::int64_t in,
                                     std::int64_t out) {
  std::vector<Product> products;
  for (const Pass pass : {Pass::kForward, Pass::kInputGradient, Pass::kWeightGradient})
    products.push_back({layer, pass, rows, in, out, {}});
  return products;
}

namespace {

void check_divides(const Setup& s, const char* option, std::int64_t whole) {
  if (whole % s.tp != 0)
    bad_layout("--tp " + std::to_string(s.tp) + " does not divide " + option + " " +
               std::to_string(whole));
}

void append(std::vector<Product>& products, const std::vector<Product>& more) {
  products.insert(products.end(), more.begin(), more.end());
}

std::vector<Product> attention_products(const Setup& s) {
  const AttentionShape shape{s.mbs, s.seq, s.heads / s.tp, s.groups() / s.tp, s.head_width()};
  return {{"attention", Pass::kAttention, 0, 0, 0, shape},
          {"attention", Pass::kAttentionBackward, 0, 0, 0, shape}};
}

}  // namespace

std::vector<Product> products_of(const Setup& s) {
  check_divides(s, "--heads", s.heads);
  check_divides(s, "--kv-heads", s.groups());
  check_divides(s, "--ffn", s.ffn_width());
  const std::int64_t rows = s.mbs * s.seq, ffn = s.ffn_width() / s.tp;
  std::vector<Product> products = linear_products("qkv", rows, s.hidden, s.qkv_width() / s.tp);
  append(products, attention_products(s));
  append(products, linear_products("attention_out", rows, s.hidden / s.tp, s.hidden));
  // SwiGLU has a gate beside what goes up.
  append(products, linear_products("mlp_up", rows, s.hidden, s.llama() ? 2 * ffn : ffn));
  append(products, linear_products("mlp_down", rows, ffn, s.hidden));
  append(products, linear_products("logits", rows, s.hidden, padded_vocab(s) / s.tp));
  return products;
}

}  // namespace pippin::probes
