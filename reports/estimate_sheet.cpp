// SPDX-License-Identifier: Apache-2.0
// Estimates as pages have them.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

#include "core/base/text.h"
#include "core/base/units.h"
#include "reports/estimate.h"
#include "reports/values.h"
#include "sweeps/judge_points.h"

namespace pippin {

namespace {

constexpr int kOfLayout = 8;  // the least importance of a found layout's own columns

/// What a GPU of the stage must have at once, by its parts. What of them is not there at that
/// moment is taken off, of states that are made for the step first.
std::vector<double> parts_of_needed(const Setup& setup, std::int64_t stage) {
  const StageMemory m = stage_memory(setup, stage);
  std::vector<double> parts{m.weights,     m.gradients, m.optimizer,         m.buffers,
                            m.activations, m.working,   context_bytes(setup)};
  double over = std::accumulate(parts.begin(), parts.end(), 0.0) - needed_bytes(setup, stage);
  if (over < 0) parts.back() -= over;  // buckets that lie beside the peak
  for (const std::size_t part : {2, 1, 5, 4, 3, 0, 6}) {
    if (over <= 0) break;
    const double off = std::min(over, parts[part]);
    parts[part] -= off;
    over -= off;
  }
  for (double& part : parts) part /= kGib;
  return parts;
}

SheetStacks empty_memory_stacks(const char* title) {
  SheetStacks stacks;
  stacks.title = title;
  stacks.lead =
      "At least, at once. Beside the trainer's memory lie the CUDA context, NCCL, and buckets.";
  stacks.unit = "GiB";
  stacks.parts = {"weights",     "gradients", "optimizer", "buffers",
                  "activations", "working",   "beside"};
  return stacks;
}

SheetStacks memory_stacks(const Setup& setup, const std::optional<Accelerator>& accelerator) {
  SheetStacks stacks = empty_memory_stacks("What each stage's GPU needs");
  for (const StageRow& row : stage_rows(setup)) {
    stacks.bars.push_back((row.first == row.last ? "stage " : "stages ") + row.name());
    stacks.sizes.push_back(parts_of_needed(setup, row.first));
  }
  if (!accelerator) return stacks;
  stacks.limit = usable_bytes(setup.generation, accelerator->memory_gib.value_or(0)) / kGib;
  stacks.limit_text = fmt::format("{} has {:.1f} GiB", accelerator->name, *stacks.limit);
  return stacks;
}

void add_time(const std::string& name, const StepTime& time, SheetStacks& stacks) {
  stacks.bars.push_back(name);
  stacks.parts.clear();
  stacks.sizes.emplace_back();
  for (const auto& [part, seconds] : parts_of(time)) {
    stacks.parts.emplace_back(part);
    stacks.sizes.back().push_back(seconds);
  }
}

SheetStacks empty_time_stacks() {
  SheetStacks stacks;
  stacks.title = "Where the time of an iteration goes";
  stacks.lead = "On its critical path, as predicted.";
  stacks.unit = "s";
  return stacks;
}

PageAxis axis_of(const FlatColumn& column) {
  PageAxis axis{column.name, column.shown.title, {}};
  for (const auto cell : column.shown.cells) axis.values.emplace_back(cell);
  return axis;
}

SheetPart layout_part(const Setup& setup, const std::optional<Accelerator>& accelerator) {
  FactList facts;
  facts.add("model", "model", model_words(setup));
  facts.add("layout", "layout", layout_words(setup));
  facts.add("state", "state", state_account(setup));
  if (accelerator) facts.add("fit", "memory", fit_words(setup, *accelerator));
  return {"layout", "Layout", facts.take()};
}

SheetPart time_part(const Setup& setup, const EstimatedTime& time) {
  SheetPart part{"time", "Time of an iteration"};
  part.stacks = empty_time_stacks();
  add_time("iteration", time.time, *part.stacks);
  part.table = time_table(time.time).table;
  part.remarks.push_back(time.words);
  if (const auto share = model_flops_utilization(setup, time.machine, time.time.all()))
    part.remarks.push_back(utilization_words(*share));
  return part;
}

}  // namespace

std::string short_layout_words(const Setup& s) {
  std::string words =
      fmt::format("TP {} PP {} DP {} MBS {} GAS {}", s.tp, s.pp, s.dp, s.mbs, s.gas);
  if (s.cp > 1) words += fmt::format(" CP {}", s.cp);
  if (s.ep > 1) words += fmt::format(" EP {}", s.ep);
  if (s.shape.experts > 0 && s.expert_tp > 1) words += fmt::format(" expert TP {}", s.expert_tp);
  if (s.chunks > 1) words += fmt::format(" chunks {}", s.chunks);
  if (s.zero > 0) words += fmt::format(" ZeRO {}", s.zero);
  if (s.sequence_parallel) words += " SP";
  if (s.recompute != Recompute::kNone) words += fmt::format(" {}", text_of(s.recompute));
  return words;
}

std::string fit_words(const Setup& setup, const Accelerator& accelerator) {
  const double needed = needed_bytes(setup);
  const double usable = usable_bytes(setup.generation, accelerator.memory_gib.value_or(0));
  const std::int64_t stage = largest_stage(setup);
  // Megatron-LM 2.x has copies of fp16's gradients longer than it needs them, where there is room.
  const bool can_give_back = needed < stage_memory(setup, stage).peak;
  std::string words = fmt::format(
      "{}: stage {} needs {:.1f} GiB with context and NCCL{}, {} has {:.1f}",
      needed <= usable ? "it fits" : "it does not fit", stage, needed / kGib,
      can_give_back ? " (less than its peak: where room is short it gives copies of gradients back)"
                    : "",
      accelerator.name, usable / kGib);
  if (leaves_little(needed, usable)) words += fmt::format("; that leaves {}", kLittleLeft);
  return words;
}

std::string utilization_words(double share) {
  return fmt::format(
      "that is {:.1f} % of the GPUs' peak in 16 bits, by the products that the model has (MFU)",
      100 * share);
}

Sheet estimate_sheet(const Setup& setup, const std::optional<Accelerator>& accelerator,
                     const std::optional<EstimatedTime>& time) {
  Sheet sheet;
  sheet.kind = "estimate";
  sheet.add(layout_part(setup, accelerator));
  for (EstimateTable& made : estimate_tables(setup)) {
    SheetPart part{made.table.rows_are, made.heading};
    part.title.front() = static_cast<char>(std::toupper(part.title.front()));
    if (part.name == "stages") part.stacks = memory_stacks(setup, accelerator);
    part.table = std::move(made.table);
    sheet.add(std::move(part));
  }
  if (time) sheet.add(time_part(setup, *time));
  SheetPart differences{"analysis-tool", "Megatron's analysis tool (--compat) says otherwise"};
  differences.remarks = where_analysis_tool_differs(setup);
  sheet.add(std::move(differences));
  return sheet;
}

FlatPage found_page(const SearchResult& result, const SearchSpace& space) {
  constexpr std::size_t kMostBars = 20;
  FlatPage page;
  page.kind = "search";
  page.table = found_table(result, space);
  for (const FlatColumn& column : page.table.columns)
    if (column.name != "step_s" && column.shown.importance >= kOfLayout)
      page.axes.push_back(axis_of(column));
  SheetPart times{"times", ""}, memory{"memory", ""};
  times.stacks = empty_time_stacks();
  memory.stacks = empty_memory_stacks("What the fullest stage's GPU needs");
  memory.stacks->limit = space.usable_bytes / kGib;
  memory.stacks->limit_text = fmt::format("there are {:.1f} GiB", *memory.stacks->limit);
  for (const FoundLayout& one : result.best) {
    const double width = std::exp(one.half_width);
    const std::string name = short_layout_words(one.setup);
    page.rows.push_back(
        {name, RunState::kOk, "", one.seconds, one.seconds / width, one.seconds * width});
    if (page.rows.size() > kMostBars) continue;
    add_time(name, step_time(one.setup, space.machine, space.rates), *times.stacks);
    memory.stacks->bars.push_back(name);
    memory.stacks->sizes.push_back(parts_of_needed(one.setup, largest_stage(one.setup)));
  }
  page.sheet.emplace().kind = page.kind;
  page.sheet->parts = {std::move(times), std::move(memory)};
  return page;
}

FlatPage judgements_page(const std::vector<PointJudgement>& all) {
  FlatPage page;
  page.kind = "estimate";
  page.table = judgements_table(all);
  page.name_column = "id";
  const PointJudgement* best = nullptr;
  std::int64_t fitting = 0, unfit = 0;
  for (const PointJudgement& one : all) {
    const bool fits = one.fits.value_or(true);
    fitting += one.fits.value_or(false) ? 1 : 0;
    unfit += fits ? 0 : 1;
    if (fits && one.step_s && (!best || *one.step_s < *best->step_s)) best = &one;
    const bool wants_reason = !fits || !one.step_s;
    FlatPageRow row;
    row.name = one.id.empty() ? "(no name)" : one.id;
    if (!fits) row.state = RunState::kInfeasible;
    if (!one.fits && !one.step_s) row.state = RunState::kMissing;
    if (wants_reason) row.reason = one.why;
    if (fits) row.seconds = one.step_s, row.low = one.step_s_low, row.high = one.step_s_high;
    page.rows.push_back(std::move(row));
  }
  if (fitting + unfit > 0)
    page.said.push_back(
        fmt::format("{} fit, {} {} not", fitting, unfit, unfit == 1 ? "does" : "do"));
  if (best)
    page.said.push_back(fmt::format("fastest: {}, {} s",
                                    best->id.empty() ? "(no name)" : printable(best->id),
                                    short_number(*best->step_s)));
  return page;
}

}  // namespace pippin
