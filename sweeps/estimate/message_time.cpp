// SPDX-License-Identifier: Apache-2.0
#include "sweeps/estimate/message_time.h"

#include <algorithm>
#include <numeric>

#include "sweeps/estimate/activations.h"

namespace pippin {

namespace {

constexpr double kGiga = 1e9, kMicro = 1e-6;

}  // namespace

/// Whether some of the groups over so many ranks in a row are on several nodes.
bool MessageTime::leaves_node(std::int64_t span) const {
  const std::int64_t node = setup_.gpus_per_node;
  return span > node || (node % span != 0 && setup_.gpus() > node);
}

/// Of a ring through a group's ranks, which are among so many in a row; `groups` of them share a
/// node's adapters.
double MessageTime::bytes_a_second(std::int64_t span, std::int64_t groups) const {
  double rate = machine_.link_gb_per_s * rates_.link_share;
  const std::int64_t node = setup_.gpus_per_node;
  if (leaves_node(span)) {
    // DeepSpeed's ZeRO-3 gathers at one GPU's part of the adapters, as was measured at SC21.
    const bool one_part = setup_.framework == Framework::kDeepSpeedZero && setup_.zero == 3;
    // Of those that a node's end cuts, it has one at each end.
    const std::int64_t cut = span > node ? groups : 2 * groups;
    const std::int64_t sharing = one_part ? node : std::min(cut, node);
    rate = std::min(rate, machine_.node_gb_per_s * rates_.node_share / number(sharing));
  }
  return rate * kGiga;
}

double MessageTime::half_collective(double bytes, std::int64_t ranks, std::int64_t groups) const {
  if (ranks <= 1) return 0;
  return (number(ranks) - 1) / number(ranks) * bytes / bytes_a_second(ranks * groups, groups);
}

double MessageTime::sum_of_embedding(double bytes) const {
  const double ranks = number(setup_.embedding_stages());
  if (ranks <= 1) return 0;
  const std::int64_t step = setup_.stage_step();
  return 2 * (ranks - 1) / ranks * bytes / bytes_a_second(setup_.pp * step, step);
}

double MessageTime::sum_of_tensor(std::int64_t width) const {
  constexpr double kBytes = 2;
  if (setup_.tp == 1) return 0;
  return 2 * half_collective(kBytes * tokens_of(setup_) * number(width), setup_.tp, 1) +
         rates_.call_us * kMicro;
}

double MessageTime::ring(double attention, std::int64_t tensors) const {
  constexpr double kBytes = 2;
  if (setup_.cp == 1) return 0;
  const double keys =
      kBytes * tokens_of(setup_) * number(shape_.key_widths()) / 2 / number(setup_.tp);
  const double hop = number(tensors) * keys / message_rate(leaves_node(setup_.cp * setup_.tp)) +
                     rates_.call_us * kMicro;
  return (number(setup_.cp) - 1) * std::max(hop - attention / number(setup_.cp), 0.0);
}

/// Each rank of an EP group sends every other one an equal part of so many bytes. Those to its own
/// node and to others go at the same time; all GPUs of a node share its adapters.
double MessageTime::all_to_all(double bytes) const {
  if (setup_.ep == 1) return 0;
  const std::int64_t node = setup_.gpus_per_node, span = setup_.ep * setup_.expert_tp;
  // The rank waits longest that has the fewest others on its node.
  const std::int64_t beside =
      leaves_node(span) ? std::max<std::int64_t>(std::gcd(span, node) / setup_.expert_tp, 1)
                        : setup_.ep;
  const double part = bytes / number(setup_.ep) / kGiga;
  const double near = number(beside - 1) * part / (machine_.link_gb_per_s * rates_.link_share);
  const double far = number(setup_.ep - beside) * part * number(node) /
                     (machine_.node_gb_per_s * rates_.node_share);
  return std::max(near, far) + rates_.call_us * kMicro;
}

double MessageTime::dispatch() const {
  constexpr double kBytes = 2;
  const std::int64_t holders = setup_.ep * setup_.expert_tp;
  if (shape_.experts == 0 || holders == 1) return 0;
  const double own = kBytes * tokens_of(setup_) * number(shape_.hidden) * sequence_share(setup_);
  const double call = rates_.call_us * kMicro;
  if (setup_.gathers_tokens) return half_collective(own * number(holders), holders, 1) + call;
  const double each = own * number(shape_.experts_per_token);
  const double gather =
      setup_.expert_tp > 1
          ? half_collective(each * number(setup_.expert_tp), setup_.expert_tp, 1) + call
          : 0;
  return all_to_all(each) + gather;
}

/// Of one GPU to another, which has its part of a node's adapters. Bytes a second.
double MessageTime::message_rate(bool between_nodes) const {
  const double senders = number(std::min(setup_.gpus() / setup_.pp, setup_.gpus_per_node));
  return kGiga * (between_nodes ? machine_.node_gb_per_s / senders * rates_.message_share
                                : machine_.link_gb_per_s * rates_.link_share);
}

double MessageTime::between_stages(bool between_nodes, std::int64_t streams) const {
  constexpr double kBytes = 2;
  const double whole = kBytes * tokens_of(setup_) * number(shape_.hidden);
  const double bytes = setup_.sends_parts() ? whole / number(setup_.tp) : whole;
  const double gather = setup_.gathers_messages() ? sum_of_tensor() / 2 : 0;
  const double each = bytes / message_rate(between_nodes) + gather;
  return 2 * (number(streams) * each + rates_.call_us * kMicro);
}

}  // namespace pippin
