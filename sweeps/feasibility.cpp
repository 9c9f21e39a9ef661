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

/// What the reference trainer can be: a GPT-2 with whole heads and whole pipeline stages.
std::string training_reason(const Model& model, const Layout& layout) {
  if (model.style != "gpt2") return fmt::format("probe training knows no style {}", model.style);
  if (model.kv_heads && model.kv_heads != model.heads) {
    return "probe training knows no kv_heads other than heads";
  }
  if (!divides(model.heads, model.hidden)) {
    return fmt::format("heads {} do not divide hidden {}", *model.heads, *model.hidden);
  }
  if (!divides(layout.pp, model.layers)) {
    return fmt::format("pp {} does not divide layers {}", *layout.pp, *model.layers);
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
  return training_reason(point.model, point.layout);
}

}  // namespace pippin
