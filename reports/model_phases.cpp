// SPDX-License-Identifier: Apache-2.0
#include "reports/model_phases.h"

#include <algorithm>
#include <map>

namespace pippin {

namespace {

using Names = std::vector<const char*>;

/// What ranks compute themselves; Megatron counts tensor-parallel traffic among it.
const Names kForward{"forward-compute", "backward-compute", "recompute"};
/// The same of Megatron's first version, whose "backward" holds the sum of gradients.
const Names kFirstForward{"forward", "backward-backward"};
const Names kBoth{"forward-backward"};
const Names kTensor{"tp-exposed", "loss-exposed"};
const Names kPipeline{"pp-exposed",
                      "forward-recv",
                      "forward-send",
                      "backward-recv",
                      "backward-send",
                      "forward-send-backward-recv",
                      "backward-send-forward-recv",
                      "forward-send-forward-recv",
                      "backward-send-backward-recv",
                      "forward-backward-send-forward-backward-recv"};
const Names kData{"dp-reduce-exposed",
                  "dp-gather-exposed",
                  "embedding-exposed",
                  "norm-exposed",
                  "backward-allreduce",
                  "backward-params-all-reduce",
                  "backward-embedding-all-reduce",
                  "backward-layernorm-all-reduce",
                  "grads-all-reduce",
                  "grads-reduce-scatter",
                  "params-all-gather",
                  "layernorm-grads-all-reduce",
                  "embedding-grads-all-reduce"};
/// It lies within "forward-backward".
const Names kDataWithin{"all-grads-sync"};
const Names kOptimizer{"optimizer"};
const Names kRest{"unattributed", "batch-generator"};

/// Times by their names, of which each may be there as it is, or as the least and the most of all
/// ranks.
class Times {
 public:
  explicit Times(const std::vector<Timer>& timers) {
    for (const Timer& timer : timers) by_name_[timer.name] = timer.seconds;
  }
  bool has(const char* name) const { return find(name, " max").has_value(); }
  bool any(const Names& names) const {
    return std::any_of(names.begin(), names.end(), [&](const char* name) { return has(name); });
  }
  double longest(const Names& names) const { return sum(names, " max"); }
  double shortest(const Names& names) const { return sum(names, " min"); }

 private:
  std::optional<double> find(const std::string& name, const std::string& which) const {
    for (const std::string& rest : {which, std::string(), std::string(" max"), std::string(" min")})
      if (const auto found = by_name_.find(name + rest); found != by_name_.end())
        return found->second;
    return std::nullopt;
  }
  double sum(const Names& names, const std::string& which) const {
    double seconds = 0;
    for (const char* name : names) seconds += find(name, which).value_or(0);
    return seconds;
  }

  std::map<std::string, double> by_name_;
};

/// Of CP and EP, which no timer tells from the computing that they lie in.
bool has_messages_within(const StepTime& time) { return time.context + time.experts > 0; }

double computing(const StepTime& time) {
  return time.products + time.attention + time.elements + time.issue + time.context + time.experts;
}

/// Nothing where no such timer is there.
void add_waiting(const char* name, double predicted, const Names& timers, const Times& times,
                 std::vector<Phase>& phases) {
  if (times.any(timers)) phases.push_back({name, "network", predicted, times.shortest(timers)});
}

/// Forward and backward passes apart from what others keep waiting.
void add_passes(const StepTime& time, const Times& times, std::vector<Phase>& phases) {
  const Names& forward = times.has("forward-compute") ? kForward : kFirstForward;
  const bool parts_tensor = times.any(kTensor) || time.tensor == 0;
  const double tensor = parts_tensor ? 0 : time.tensor;
  phases.push_back({parts_tensor ? "compute" : "compute and tensor",
                    parts_tensor && !has_messages_within(time) ? "compute" : "both",
                    computing(time) + tensor, times.longest(forward)});
  if (parts_tensor) add_waiting("tensor", time.tensor, kTensor, times, phases);
  add_waiting("pipeline", time.pipeline, kPipeline, times, phases);
  add_waiting("data", time.data, kData, times, phases);
}

/// One timer for all of them. Later ones hold the sum of gradients, too.
void add_both(const StepTime& time, const Times& times, std::vector<Phase>& phases) {
  const double passes = computing(time) + time.tensor + time.pipeline;
  const double within = times.longest(kDataWithin), both = times.longest(kBoth);
  if (times.any(kDataWithin) || times.any(kData)) {
    phases.push_back({"compute, tensor and pipeline", "both", passes, both - within});
    const double data = times.any(kDataWithin) ? within : times.shortest(kData);
    phases.push_back({"data", "network", time.data, data});
  } else {
    phases.push_back({"compute, tensor, pipeline and data", "both", passes + time.data, both});
  }
}

}  // namespace

const std::vector<std::string>& phase_timers() {
  static const std::vector<std::string> kAll = [] {
    std::vector<std::string> all;
    for (const Names* names : {&kForward, &kFirstForward, &kBoth, &kTensor, &kPipeline, &kData,
                               &kDataWithin, &kOptimizer, &kRest}) {
      for (const std::string name : *names)
        for (const char* which : {"", " min", " max"}) all.push_back(name + which);
    }
    return all;
  }();
  return kAll;
}

std::vector<Phase> phases_of(const StepTime& predicted, const std::vector<Timer>& timers) {
  const Times times(timers);
  std::vector<Phase> phases;
  if (times.has("forward-compute") || times.has("backward-backward"))
    add_passes(predicted, times, phases);
  else if (times.any(kBoth))
    add_both(predicted, times, phases);
  else
    return phases;
  if (times.any(kOptimizer))
    phases.push_back({"optimizer", "compute", predicted.optimizer, times.longest(kOptimizer)});
  if (times.any(kRest))
    phases.push_back({"rest", "compute", predicted.fixed, times.longest(kRest)});
  return phases;
}

std::vector<Phase> measured_phases(const std::vector<Timer>& timers, bool tensor_parallel,
                                   bool context_parallel) {
  StepTime unknown{};
  // Which decide what parts are called.
  unknown.tensor = tensor_parallel ? 1 : 0;
  unknown.context = context_parallel ? 1 : 0;
  std::vector<Phase> phases = phases_of(unknown, timers);
  for (Phase& phase : phases) phase.predicted = 0;
  return phases;
}

}  // namespace pippin
