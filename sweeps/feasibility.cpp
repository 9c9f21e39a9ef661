#include "sweeps/feasibility.h"

#include <fmt/format.h>

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

/// What the training probe wants: whole heads, stages and parts of the MLP on each rank.
std::string training_reason(const Point& point) {
  const Model& m = point.model;
  const Layout& l = point.layout;
  const Value* split = find_value(point.axes, "sequence_parallel");
  const bool splits = split && split->text == "1";
  for (const Division& d :
       {Division{"heads", m.heads, "hidden", m.hidden},
        Division{"kv_heads", m.kv_heads, "heads", m.heads}, Division{"tp", l.tp, "heads", m.heads},
        Division{"tp", l.tp, "kv_heads", m.kv_heads}, Division{"tp", l.tp, "ffn", m.ffn},
        Division{"pp", l.pp, "layers", m.layers},
        Division{"sequence_parallel: tp", splits ? l.tp : Count(1), "seq", m.seq}}) {
    if (divides(d.divisor, d.number)) continue;
    return fmt::format("{} {} does not divide {} {}", d.divisor_name, *d.divisor, d.name,
                       *d.number);
  }
  return "";
}

}  // namespace

std::int64_t nodes_for(std::int64_t gpus, const Cluster& cluster) {
  if (cluster.gpus_per_node == 0) return 1;
  return (gpus + cluster.gpus_per_node - 1) / cluster.gpus_per_node;
}

std::string why_infeasible(const Point& point, const Cluster& cluster, const std::string& probe) {
  std::string reason = cluster_reason(point.layout.gpus.value(), cluster);
  if (!reason.empty() || probe != "training") return reason;
  return training_reason(point);
}

}  // namespace pippin
