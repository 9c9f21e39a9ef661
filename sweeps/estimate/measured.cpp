// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/measured.h"

#include <algorithm>
#include <utility>

#include "core/base/whole_number.h"
#include "sweeps/estimate/parameters.h"

namespace pippin {

namespace {

constexpr std::pair<std::string_view, std::int64_t> kTypeBytes[] = {
    {"float", 4}, {"double", 8}, {"half", 2}, {"bfloat16", 2}, {"uint8", 1}};

/// Operations whose size is that of one part of every rank together.
bool in_parts(std::string_view operation) {
  return operation == "all_gather" || operation == "reduce_scatter" || operation == "all_to_all";
}

std::optional<double> bus_factor(const CollectiveCall& call) {
  const auto n = static_cast<double>(call.ranks);
  if (call.ranks < 2) return std::nullopt;
  if (call.operation == "all_reduce") return 2 * (n - 1) / n;
  if (in_parts(call.operation)) return (n - 1) / n;
  const bool whole =
      call.operation == "broadcast" || call.operation == "reduce" || call.operation == "sendrecv";
  return whole ? std::optional(1.0) : std::nullopt;
}

double product(std::initializer_list<double> factors) {
  double result = 1;
  for (const double factor : factors) result *= factor;
  return result;
}

/// Of a linear layer forward, to its input and to its weight.
double linear_flops(double rows, double in, double out) {
  constexpr double kPasses = 3;
  return product({kPasses, 2, rows, in, out});
}

/// Scores and values forward, four products backward.
double attention_flops(double batch, double heads, double width, double seq) {
  constexpr double kProducts = 6;
  return product({kProducts, 2, batch, heads, width, seq * (seq + 1) / 2});
}

std::optional<double> layer_flops(const Point& point) {
  const Model& m = point.model;
  const Layout& l = point.layout;
  if (!m.hidden || !m.heads || !m.seq || !m.vocab || !m.ffn || !l.tp || !l.mbs) return std::nullopt;
  const auto tp = static_cast<double>(*l.tp), batch = static_cast<double>(*l.mbs);
  const auto hidden = static_cast<double>(*m.hidden), heads = static_cast<double>(*m.heads);
  const auto groups = static_cast<double>(m.kv_heads.value_or(*m.heads));
  const auto seq = static_cast<double>(*m.seq), ffn = static_cast<double>(*m.ffn) / tp;
  const double width = hidden / heads, rows = batch * seq;
  const auto vocab = static_cast<double>(padded_vocab(*m.vocab, *l.tp));
  const double gates = m.style == "llama" ? 2 : 1;
  return linear_flops(rows, hidden, (heads + 2 * groups) * width / tp) +
         attention_flops(batch, heads / tp, width, seq) + linear_flops(rows, hidden / tp, hidden) +
         linear_flops(rows, hidden, gates * ffn) + linear_flops(rows, ffn, hidden) +
         linear_flops(rows, hidden, vocab / tp);
}

}  // namespace

std::optional<std::int64_t> bytes_sent(const CollectiveCall& call) {
  const auto* type = std::find_if(std::begin(kTypeBytes), std::end(kTypeBytes),
                                  [&](const auto& known) { return known.first == call.type; });
  if (type == std::end(kTypeBytes)) return std::nullopt;
  const std::int64_t size = type->second, count = call.bytes / size;
  if (!in_parts(call.operation)) return count * size;
  constexpr std::int64_t kAligned = 16;
  const std::int64_t aligned = kAligned / size;
  return count / call.ranks / aligned * aligned * size * call.ranks;
}

std::optional<double> bus_bandwidth_gb_per_s(const CollectiveCall& call, double seconds) {
  constexpr double kGiga = 1e9;
  const auto bytes = bytes_sent(call);
  const auto factor = bus_factor(call);
  if (!bytes || *bytes == 0 || !factor) return std::nullopt;
  return *factor * static_cast<double>(*bytes) / seconds / kGiga;
}

std::optional<CollectiveCall> call_of(const Point& point) {
  const Value* operation = find_value(point.axes, "op");
  const Value* bytes = find_value(point.axes, "bytes");
  const Value* type = find_value(point.axes, "type");
  const Count size = bytes && bytes->number ? whole_number(*bytes->number) : std::nullopt;
  if (!operation || !size || !type || !point.layout.gpus) return std::nullopt;
  return CollectiveCall{operation->text, *size, type->text, *point.layout.gpus};
}

std::optional<double> product_flops(const Point& point) {
  const Value* m = find_value(point.axes, "m");
  const Value* n = find_value(point.axes, "n");
  const Value* k = find_value(point.axes, "k");
  if (!m && !n && !k) return layer_flops(point);
  if (!m || !n || !k || !m->number || !n->number || !k->number) return std::nullopt;
  return product({2, *m->number, *n->number, *k->number});
}

}  // namespace pippin
