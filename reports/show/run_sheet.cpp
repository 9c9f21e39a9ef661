// SPDX-License-Identifier: Apache-2.0
#include "reports/show/run_sheet.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "reports/flat_columns.h"
#include "reports/show/run_table.h"
#include "reports/values.h"

namespace pippin {

namespace {

constexpr double kPercent = 100;

std::string how_far(const WholeRun& run) {
  if (!run.last_iteration) return "";
  if (!run.planned_iterations) return fmt::format("iteration {}", *run.last_iteration);
  return fmt::format("{} of {} iterations", *run.last_iteration, *run.planned_iterations);
}

/// "ok: 20 of 20 iterations, 5.36 s a step."
std::string how_it_went(const RunToShow& shown) {
  const WholeRun& run = shown.run;
  std::string words(text_of(run.listed.state));
  const std::string far = how_far(run);
  if (!far.empty()) words += ": " + far;
  if (const auto mean = mean_ms_of(run.listed)) words += ", " + step_text(*mean) + " a step";
  if (!run.listed.evidence.empty()) words += fmt::format(" ({})", printable(run.listed.evidence));
  return words + ".";
}

/// Repeats in its campaign that count, and itself: their mean steps, in ms.
std::vector<double> means_of_repeats(const RunToShow& shown) {
  std::vector<double> means;
  for (const auto& run : shown.repeats.runs) {
    const bool counts = run.sweep == shown.run.listed.sweep &&
                        run.campaign == shown.run.listed.campaign && !run.dropped &&
                        counts_beside_ok(run.state);
    const auto mean = counts ? mean_ms_of(run) : std::nullopt;
    if (mean) means.push_back(*mean);
  }
  return means;
}

/// Where it stands among its repeats; empty where it has none to be held against.
std::string among_repeats(const RunToShow& shown) {
  const auto own = mean_ms_of(shown.run.listed);
  std::vector<double> means = means_of_repeats(shown);
  if (!own || means.size() < 2 || !counts_beside_ok(shown.run.listed.state)) return "";
  std::sort(means.begin(), means.end());
  const auto faster = std::lower_bound(means.begin(), means.end(), *own) - means.begin();
  const std::size_t middle = means.size() / 2;
  const double median =
      means.size() % 2 == 1 ? means[middle] : (means[middle - 1] + means[middle]) / 2;
  const double more = (*own / median - 1) * kPercent;
  const auto all = std::ssize(means);
  const std::string place = faster == 0         ? "the fastest"
                            : faster + 1 == all ? "the slowest"
                                                : fmt::format("number {} by speed", faster + 1);
  return fmt::format("It is {} of {} runs of its point: it takes {:.1f} % {} than their median.",
                     place, all, std::abs(more), more < 0 ? "less" : "more");
}

std::vector<std::string> sentences_on(const RunToShow& shown) {
  std::vector<std::string> said{how_it_went(shown)};
  const std::string among = among_repeats(shown);
  if (!among.empty()) said.push_back(among);
  if (shown.run.listed.dropped)
    said.push_back(fmt::format("It is dropped: {}; no table counts it.",
                               printable(*shown.run.listed.dropped)));
  return said;
}

SheetPart origin_part(const RunToShow& shown) {
  const WholeRun& run = shown.run;
  FactList facts;
  facts.add("number", "number", std::to_string(run.listed.id), run.listed.id);
  facts.add("state", "state", std::string(text_of(run.listed.state)));
  facts.add("evidence", "because", run.listed.evidence);
  facts.add_count("exit_code", "exit code", run.exit_code);
  facts.add("point", "point", run.listed.point);
  facts.add_hidden("point_id", run.listed.point_id);
  facts.add("of", "of", origin_of(run.listed));
  facts.add("tags", "tags", join(shown.tags, ", "));
  facts.add("allocation", "allocation",
            run.listed.attempt > 1
                ? fmt::format("{}, attempt {}", run.listed.allocation, run.listed.attempt)
                : run.listed.allocation);
  facts.add_count("repeat", "repeat in it", run.repeat);
  facts.add_time("started_utc", "started (UTC)", run.listed.started_at);
  facts.add_time("ended_utc", "ended (UTC)", run.listed.ended_at);
  if (run.listed.started_at && run.listed.ended_at) {
    const auto seconds =
        static_cast<double>(*run.listed.ended_at) - static_cast<double>(*run.listed.started_at);
    facts.add("took_s", "took", duration_text(seconds), seconds);
  }
  return {"run", "What it is", facts.take()};
}

SheetPart how_part(const WholeRun& run) {
  const Provenance& from = run.provenance;
  FactList facts;
  facts.add("trainer", "trainer", run.point.trainer);
  facts.add_hidden("command", flat(from.command));
  facts.add("cluster", "cluster", run.cluster);
  facts.add("host", "host", from.host);
  facts.add("node_list", "nodes", from.node_list);
  facts.add("gpu_model", "GPU", from.gpu_model);
  facts.add("driver", "driver", from.driver);
  facts.add("nccl", "NCCL", from.nccl);
  facts.add("git_commit", "commit", from.git_commit);
  facts.add("recompute", "recomputation", run.recompute);
  facts.add("derived", "derived", run.derived);
  facts.add_hidden("script", flat(from.script));
  facts.add_hidden("environment", flat(from.environment));
  SheetPart part{"how", "How it ran", facts.take()};
  part.code = from.command;
  return part;
}

SheetPart nodes_part(const WholeRun& run) {
  SheetPart part{"nodes", "Nodes"};
  FlatColumns<RunNode> columns(run.nodes);
  constexpr auto kLeft = TextColumn::Align::kLeft;
  columns.add_text({"node", "node", 9, kLeft}, [](const auto& node) { return node.name; });
  columns.add_text({"ranks", "ranks", 8, kLeft}, [](const auto& node) { return node.ranks; });
  part.put_table("nodes", columns.take());
  for (const auto& rank : run.slowest_ranks) {
    part.remarks.push_back(
        fmt::format("In {} rank {}{} computed longest: {} where all ranks took {}.",
                    counted(rank.lines, "line"), rank.rank,
                    rank.node.empty() ? "" : " on " + printable(rank.node),
                    step_text(rank.computing_ms), step_text(rank.mean_ms)));
  }
  return part;
}

SheetPart memory_part(const WholeRun& run) {
  SheetPart part{"memory", "Memory"};
  FactList facts;
  const auto add = [&](const char* name, const char* title,
                       std::optional<double> RankMemory::*mib) {
    const RankMemory* most = nullptr;
    for (const auto& rank : run.memory)
      if (rank.*mib && (!most || *(rank.*mib) > *(most->*mib))) most = &rank;
    if (!most) return;
    const double gib = *(most->*mib) / kMibPerGib;
    facts.add(name, title, fmt::format("{} GiB, of rank {}", short_number(gib), most->rank), gib);
  };
  add("max_allocated_gib", "most allocated", &RankMemory::max_allocated_mib);
  add("max_reserved_gib", "most reserved", &RankMemory::max_reserved_mib);
  part.facts = facts.take();
  return part;
}

SheetPart checkpoints_part(const WholeRun& run) {
  SheetPart part{"checkpoints", "Checkpoints"};
  if (run.checkpoints.empty()) return part;
  FlatColumns<Checkpoint> columns(run.checkpoints);
  constexpr auto kLeft = TextColumn::Align::kLeft;
  const auto text = [&](const FlatColumns<Checkpoint>::Names& names, auto of) {
    columns.add(names, of, of);
  };
  text({"kind", "kind", 9, kLeft}, [](const auto& one) { return std::string(text_of(one.kind)); });
  text({"state", "state", 8, kLeft},
       [](const auto& one) { return std::string(text_of(one.state)); });
  columns.add(
      {"step", "step", 7},
      [](const auto& one) { return one.step ? std::to_string(*one.step) : std::string(); },
      [](const auto& one) { return one.step; });
  columns.add(
      {"took", "seconds", 6},
      [](const auto& one) {
        return one.seconds ? step_text(*one.seconds * kMsPerSecond) : std::string();
      },
      [](const auto& one) { return one.seconds; });
  columns.add_text({"path", "path", 1, kLeft}, [](const auto& one) { return one.path; });
  part.put_table("checkpoints", columns.take());
  return part;
}

SheetPart notes_part(const WholeRun& run) {
  SheetPart part{"notes", "Notes"};
  for (const auto& note : run.notes) {
    part.remarks.push_back(
        utc_text(note.written_at, "%F %T") + "  " +
        (note.text.empty() ? "(the note before was taken away)" : printable(note.text)));
  }
  return part;
}

SheetPart arguments_part(const WholeRun& run) {
  SheetPart part{"arguments", "Arguments"};
  FactList facts;
  for (const auto& [name, value] : run.arguments) facts.add_hidden(name, value.text);
  part.facts = facts.take();
  return part;
}

}  // namespace

SheetPart neighbours_part(const RunToShow& shown) {
  SheetPart part{"neighbours", "Its allocation"};
  if (shown.neighbours.runs.size() < 2) return part;
  RunTableColumns columns;
  columns.positions = columns.points = true;
  columns.marked = shown.run.listed.id;
  put_runs(shown.neighbours, columns, "behind these", part);
  return part;
}

SheetPart repeats_part(const RunToShow& shown) {
  SheetPart part{"repeats", "Runs of its point"};
  if (shown.repeats.runs.size() < 2) return part;
  RunTableColumns columns;
  columns.sweeps = columns.allocations = true;
  columns.marked = shown.run.listed.id;
  put_runs(shown.repeats, columns, "older than these", part);
  return part;
}

Sheet run_sheet(const RunToShow& shown) {
  Sheet sheet{"run", shown.run.listed.name, sentences_on(shown)};
  sheet.add(origin_part(shown));
  sheet.add(steps_part(shown));
  sheet.add(left_out_part(shown));
  sheet.add(places_part(shown));
  sheet.add(canaries_part(shown.run));
  sheet.add(neighbours_part(shown));
  sheet.add(repeats_part(shown));
  sheet.add(how_part(shown.run));
  sheet.add(nodes_part(shown.run));
  sheet.add(memory_part(shown.run));
  sheet.add(checkpoints_part(shown.run));
  sheet.add(notes_part(shown.run));
  sheet.add(arguments_part(shown.run));
  return sheet;
}

}  // namespace pippin
