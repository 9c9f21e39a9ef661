#include "sweeps/feasibility.h"

#include <cstdint>
#include <fmt/format.h>
#include <initializer_list>

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

}  // namespace

std::int64_t nodes_for(std::int64_t gpus, const Cluster& cluster) {
  if (cluster.gpus_per_node == 0) return 1;
  return (gpus + cluster.gpus_per_node - 1) / cluster.gpus_per_node;
}

std::string why_infeasible(const Point& point, const Cluster& cluster, const std::string& probe) {
  std::string reason = cluster_reason(point.layout.gpus.value(), cluster);
  if (!reason.empty() || probe.empty()) return reason;
  reason = model_reason(point.model);
  return reason.empty() && probe == "training" ? training_reason(point) : reason;
}

}  // namespace pippin
