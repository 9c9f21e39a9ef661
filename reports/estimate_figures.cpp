// SPDX-License-Identifier: Apache-2.0
// An estimate of one layout, for programs.
#include <cmath>
#include <fmt/format.h>
#include <optional>

#include "core/base/text.h"
#include "reports/estimate.h"
#include "reports/flat_columns.h"
#include "sweeps/estimate/flops.h"
#include "sweeps/estimate/layer_tree.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/point_setup.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/estimate/state_memory.h"
#include "sweeps/estimate/traffic.h"

namespace pippin {

namespace {

struct Figure {
  std::optional<std::int64_t> stage;  ///< of the whole where there is none
  std::string part, what, unit, formula;
  std::optional<double> value;  ///< nothing: not known, and `formula` says why
  std::int64_t times = 1;
};

/// Counts keep all their digits.
FlatValue exactly(const std::optional<double>& value) {
  if (!value) return {};
  const bool is_count = std::abs(*value) < 9e15 && *value == std::floor(*value);
  return is_count ? FlatValue(static_cast<std::int64_t>(*value)) : FlatValue(*value);
}

/// Collects figures.
class Figures {
 public:
  Figures(const Setup& setup, const EstimateContext& context)
      : setup_(setup), context_(context), time_(context.time) {}

  std::vector<Figure> all() && {
    add(std::nullopt, "model", "parameters", static_cast<double>(model_parameters(setup_.shape)),
        "", "sum of its tensors");
    layout();
    for (std::int64_t stage = 0; stage < setup_.pp; ++stage) {
      parts(stage);
      memory(stage);
      talk(stage);
    }
    if (context_.accelerator && context_.accelerator->memory_gib) gpu(*context_.accelerator);
    work();
    if (time_)
      time();
    else if (!context_.why_no_time.empty())
      add(std::nullopt, "iteration", "time", std::nullopt, "s",
          "not known: " + context_.why_no_time);
    return std::move(figures_);
  }

 private:
  void add(std::optional<std::int64_t> stage, const std::string& part, const std::string& what,
           std::optional<double> value, const std::string& unit, const std::string& formula,
           std::int64_t times = 1) {
    figures_.push_back({stage, part, what, unit, formula, value, times});
  }

  void layout() {
    const auto count = [&](const char* what, std::int64_t value) {
      add(std::nullopt, "layout", what, number(value), "", "as given, or by what is given");
    };
    count("GPUs", setup_.gpus());
    count("GPUs per node", setup_.gpus_per_node);
    count("TP", setup_.tp);
    count("PP", setup_.pp);
    count("chunks", setup_.chunks);
    count("DP", setup_.dp);
    count("CP", setup_.cp);
    count("EP", setup_.ep);
    count("MBS", setup_.mbs);
    count("GAS", setup_.gas);
    count("ZeRO", setup_.zero);
  }

  /// "not known with --cpu-offloading", of what those arguments change; else empty.
  std::string unknown() const {
    return context_.unknown.empty() ? "" : "not known with " + join(context_.unknown, ", ");
  }

  void gpu(const Accelerator& accelerator) {
    const double needed = needed_bytes(setup_);
    const double usable = usable_bytes(setup_.generation, *accelerator.memory_gib);
    const std::string why = unknown();
    const auto known = [&](double value) {
      return why.empty() ? std::optional(value) : std::nullopt;
    };
    add(std::nullopt, "gpu", "needed", known(needed), "bytes",
        why.empty() ? "the fullest stage's peak, CUDA's context and NCCL" : why);
    add(std::nullopt, "gpu", "usable", usable, "bytes", accelerator.name);
    add(std::nullopt, "gpu", "fits", known(needed <= usable ? 1 : 0), "",
        why.empty() ? "needed <= usable" : why);
  }

  void parts(std::int64_t stage) {
    for (const ModelPart& part : parts_of_stage(setup_, stage)) {
      if (part.parameters > 0)
        add(stage, part.name, "parameters", static_cast<double>(part.parameters), "", part.formula,
            part.times);
      if (part.activations > 0)
        add(stage, part.name, "activations of a micro-batch", part.activations, "bytes",
            part.activation_formula, part.times);
    }
    add(stage, "stage", "parameters", static_cast<double>(stage_parameters(setup_, stage).all()),
        "", "sum of its tensors");
  }

  void memory(std::int64_t stage) {
    const StageMemory m = stage_memory(setup_, stage);
    const std::string states = "bytes a parameter: " + state_words(setup_);
    const auto bytes = [&](const char* what, double value, const std::string& formula) {
      add(stage, "stage", what, value, "bytes", formula);
    };
    const std::string why = unknown();
    const auto changed = [&](const char* what, double value, const char* formula) {
      if (why.empty()) return bytes(what, value, formula);
      add(stage, "stage", what, std::nullopt, "bytes", why);
    };
    bytes("weights", m.weights, states);
    bytes("gradients", m.gradients, states);
    bytes("optimizer", m.optimizer, states);
    bytes("buffers", m.buffers, "workspaces, gathers, the allocator's rests");
    bytes("retained", m.retained, "what the last micro-batch left");
    changed("activations", m.activations, "micro-batches in flight x layers x a layer's");
    changed("working", m.working, "logits, gradients on their way, what is made again");
    changed("allocated", m.allocated(), "weights + gradients + optimizer + buffers + retained");
    changed("peak", m.peak, "the largest sum of what is there at a time");
  }

  void talk(std::int64_t stage) {
    for (const Talk& one : talk_of_stage(setup_, stage)) {
      const std::string what = fmt::format("{} {}", text_of(one.topic), one.function);
      const std::string group = fmt::format("{} on {}", counted(one.ranks, "rank"),
                                            counted(nodes_of(setup_, one), "node"));
      add(stage, "talk", what + ", calls", one.calls, "", group);
      add(stage, "talk", what + ", a call", one.bytes, "bytes", group);
      add(stage, "talk", what + ", a call, on the wire", wire_bytes(one), "bytes", group);
    }
  }

  void work() {
    for (const WorkCount& one : work_counts(setup_))
      add(std::nullopt, "iteration", "work", one.flops, "FLOP", one.name);
  }

  void time() {
    const double seconds = time_->time.all(), width = std::exp(time_->half_width);
    const auto figure = [&](const char* what, double value, const char* unit,
                            const std::string& formula) {
      add(std::nullopt, "iteration", what, value, unit, formula);
    };
    for (const auto& [what, part] : parts_of(time_->time)) figure(what, part, "s", time_->words);
    figure("time", seconds, "s", "sum of its parts");
    figure("time, at least", seconds / width, "s", "with the next: 19 of 20 runs");
    figure("time, at most", seconds * width, "s", "with the last: 19 of 20 runs");
    const auto share = model_flops_utilization(setup_, time_->machine, seconds);
    if (share) figure("model FLOPs utilization", *share, "", "products / time / peak in 16 bits");
  }

  const Setup& setup_;
  const EstimateContext& context_;
  const std::optional<EstimatedTime>& time_;
  std::vector<Figure> figures_;
};

}  // namespace

FlatTable estimate_figures(const Setup& setup, const EstimateContext& context) {
  const std::vector<Figure> all = Figures(setup, context).all();
  FlatColumns<Figure> columns(all);
  const auto text = [&](const char* name, std::string Figure::*member) {
    const auto cell = [=](const Figure& one) { return one.*member; };
    columns.add({name, name, 5, TextColumn::Align::kLeft}, cell, cell);
  };
  columns.add(
      {"stage", "stage", 5},
      [](const Figure& one) { return one.stage ? std::to_string(*one.stage) : ""; },
      [](const Figure& one) { return one.stage; });
  text("part", &Figure::part);
  columns.add_count({"times", "times", 5}, &Figure::times);
  text("what", &Figure::what);
  columns.add(
      {"value", "value", 5},
      [](const Figure& one) { return one.value ? short_number(*one.value) : ""; },
      [](const Figure& one) { return exactly(one.value); });
  text("unit", &Figure::unit);
  text("formula", &Figure::formula);
  FlatTable table;
  table.rows_are = "figures";
  table.columns = columns.take();
  return table;
}

}  // namespace pippin
