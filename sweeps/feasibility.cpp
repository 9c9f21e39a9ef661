// SPDX-License-Identifier: Apache-2.0
#include "sweeps/feasibility.h"

#include <cstdint>
#include <fmt/format.h>
#include <initializer_list>

#include "sweeps/estimate/measured.h"

namespace pippin {

namespace {

std::string cluster_reason(std::int64_t gpus, const Cluster& cluster) {
  if (cluster.gpus_per_node == 0) return "";
  const std::int64_t all = cluster.nodes * cluster.gpus_per_node;
  if (gpus > all) {
    return fmt::format("needs {} gpus, cluster {} has {} x {} = {}", gpus, cluster.name,
                       cluster.nodes, cluster.gpus_per_node, all);
  }
  const std::int64_t nodes = nodes_for(gpus, cluster);
  if (gpus % nodes == 0) return "";
  return fmt::format("{} ranks do not spread evenly over {} nodes", gpus, nodes);
}

bool divides(const Count& divisor, const Count& number) {
  return !divisor || !number || *number % *divisor == 0;
}

struct Division {
  const char* divisor_name;
  Count divisor;
  const char* name;
  Count number;
};

std::string first_rest(std::initializer_list<Division> divisions) {
  for (const Division& d : divisions) {
    if (divides(d.divisor, d.number)) continue;
    return fmt::format("{} {} does not divide {} {}", d.divisor_name, *d.divisor, d.name,
                       *d.number);
  }
  return "";
}

/// What every probe wants of a model. Source: probes/common/setup.cpp.
std::string model_reason(const Model& m) {
  std::string reason = first_rest(
      {{"heads", m.heads, "hidden", m.hidden}, {"kv_heads", m.kv_heads, "heads", m.heads}});
  const bool odd = m.style == "llama" && m.hidden && m.heads && *m.hidden / *m.heads % 2 != 0;
  if (!reason.empty() || !odd) return reason;
  return fmt::format("hidden {} / heads {}: llama's rotary positions want an even width of a head",
                     *m.hidden, *m.heads);
}

/// What the training probe wants: whole heads, stages and parts of the MLP on each rank, and
/// products that BLAS can count. Source: probes/training/layout.cpp, settings.cpp.
std::string training_reason(const Point& point) {
  const Model& m = point.model;
  const Layout& l = point.layout;
  const Value* split = find_value(point.axes, "sequence_parallel");
  const bool splits = split && split->text == "1";
  std::string reason =
      first_rest({{"tp", l.tp, "heads", m.heads},
                  {"tp", l.tp, "kv_heads", m.kv_heads},
                  {"tp", l.tp, "ffn", m.ffn},
                  {"pp", l.pp, "layers", m.layers},
                  {"sequence_parallel: tp", splits ? l.tp : Count(1), "seq", m.seq}});
  const bool too_long = l.mbs && m.seq && *l.mbs * *m.seq > INT32_MAX;
  if (reason.empty() && too_long)
    return fmt::format("mbs {} x seq {} is not below 2^31", *l.mbs, *m.seq);
  return reason;
}

std::string text_of(const Point& point, const char* axis) {
  const Value* value = find_value(point.axes, axis);
  return value ? value->text : "";
}

/// What fits together of a call. Source: probes/collective/settings.cpp.
std::string collective_reason(const Point& point) {
  const std::string op = text_of(point, "op"), type = text_of(point, "type");
  const bool reduces = op == "all_reduce" || op == "reduce_scatter" || op == "reduce";
  const Value* root = find_value(point.axes, "root");
  const std::int64_t ranks = point.layout.gpus.value_or(1);
  if (!find_value(point.axes, "bytes")) return "bytes is missing";
  if (op == "all") return "op all is all of them: sweep them by name";
  if (reduces && type == "uint8")
    return fmt::format("type uint8 can be moved, not reduced by {}", op);
  if (text_of(point, "redop") == "max" && op != "all_reduce")
    return fmt::format("redop max is for all_reduce, not {}", op);
  if (root && root->number && *root->number >= static_cast<double>(ranks))
    return fmt::format("root {} is not among {} ranks, counted from 0", root->text, ranks);
  const auto call = call_of(point);
  if (call && bytes_sent(*call).value_or(1) == 0)
    return fmt::format("bytes {} is nothing to send by {} over {} ranks", call->bytes, op, ranks);
  return "";
}

/// Source: probes/gemm/products.cpp, settings.cpp.
std::string gemm_reason(const Point& point) {
  std::size_t given = 0;
  for (const char* size : {"m", "n", "k"}) given += find_value(point.axes, size) ? 1 : 0;
  constexpr std::size_t kAll = 3;
  if (given > 0 && given < kAll) return "m, n and k belong together";
  return first_rest({{"tp", point.layout.tp, "heads", point.model.heads},
                     {"tp", point.layout.tp, "kv_heads", point.model.kv_heads},
                     {"tp", point.layout.tp, "ffn", point.model.ffn}});
}

}  // namespace

std::int64_t nodes_for(std::int64_t gpus, const Cluster& cluster) {
  if (cluster.gpus_per_node == 0) return 1;
  return (gpus + cluster.gpus_per_node - 1) / cluster.gpus_per_node;
}

std::string why_infeasible(const Point& point, const Cluster& cluster, const std::string& probe) {
  std::string reason = cluster_reason(point.layout.gpus.value(), cluster);
  if (!reason.empty() || probe.empty()) return reason;
  reason = model_reason(point.model);
  if (!reason.empty()) return reason;
  if (probe == "collective") return collective_reason(point);
  if (probe == "gemm") return gemm_reason(point);
  return probe == "training" ? training_reason(point) : "";
}

}  // namespace pippin
