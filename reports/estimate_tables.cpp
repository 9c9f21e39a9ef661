// SPDX-License-Identifier: Apache-2.0
// An estimate of one layout, for people.
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "reports/estimate.h"
#include "reports/flat_columns.h"
#include "sweeps/estimate/flops.h"
#include "sweeps/estimate/groups.h"
#include "sweeps/estimate/memory.h"
#include "sweeps/estimate/point_setup.h"
#include "sweeps/estimate/stage_parameters.h"
#include "sweeps/estimate/state_memory.h"
#include "sweeps/estimate/traffic.h"

namespace pippin {

namespace {

constexpr double kPeta = 1e15;
constexpr auto kLeft = TextColumn::Align::kLeft;

bool are_alike(const StageRow& a, const StageRow& b) {
  return a.layers == b.layers && a.parameters == b.parameters && a.memory.peak == b.memory.peak;
}

std::string with_commas(std::int64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

/// "64.0 MiB", "8 B".
std::string bytes_text(double bytes) {
  constexpr double kStep = 1024;
  for (const char* unit : {"B", "KiB", "MiB", "GiB"}) {
    if (bytes < kStep) return fmt::format("{} {}", short_number(bytes), unit);
    bytes /= kStep;
  }
  return fmt::format("{} TiB", short_number(bytes));
}

FlatTable memory_table(const std::vector<StageRow>& rows) {
  FlatColumns<StageRow> columns(rows);
  const auto stages = [](const auto& row) { return row.name(); };
  columns.add({"stage", "stage", 9, kLeft}, stages, stages);
  columns.add_count({"layers", "layers", 5}, &StageRow::layers);
  columns.add(
      {"parameters", "parameters", 8}, [](const auto& row) { return with_commas(row.parameters); },
      [](const auto& row) { return std::optional(row.parameters); });
  const auto gib = [&](const char* title, const char* name, int importance,
                       double bytes_of(const StageMemory&)) {
    columns.add(
        {title, name, importance},
        [=](const auto& row) { return fmt::format("{:.2f}", bytes_of(row.memory) / kGib); },
        [=](const auto& row) { return std::optional(bytes_of(row.memory) / kGib); });
  };
  gib("weights", "weights_gib", 6, [](const StageMemory& m) { return m.weights; });
  gib("gradients", "gradients_gib", 6, [](const StageMemory& m) { return m.gradients; });
  gib("optimizer", "optimizer_gib", 6, [](const StageMemory& m) { return m.optimizer; });
  gib("buffers", "buffers_gib", 3, [](const StageMemory& m) { return m.buffers; });
  gib("activations", "activations_gib", 7, [](const StageMemory& m) { return m.activations; });
  gib("working", "working_gib", 4, [](const StageMemory& m) { return m.working; });
  gib("peak", "peak_gib", 9, [](const StageMemory& m) { return m.peak; });
  FlatTable table;
  table.rows_are = "stages";
  table.columns = columns.take();
  return table;
}

struct TalkRow {
  Talk talk;
  double calls_a_gpu = 0;  ///< of the GPU that makes most
  std::int64_t nodes = 1;
};

}  // namespace

std::int64_t nodes_of(const Setup& setup, const Talk& talk) {
  switch (talk.topic) {
    case Topic::kTensor:
    case Topic::kLoss:
      return nodes_of_group(setup, Dimension::kTensor);
    case Topic::kPipeline:
      return nodes_of_group(setup, Dimension::kPipeline);
    case Topic::kContext:
      return nodes_of_group(setup, Dimension::kContext);
    case Topic::kDataReduce:
    case Topic::kDataGather:
      return nodes_of_group(setup, Dimension::kReplicas);
    case Topic::kExperts:
      return nodes_of_group(setup,
                            setup.gathers_tokens ? Dimension::kAllExperts : Dimension::kExperts);
    case Topic::kExpertTensor:
      return nodes_of_group(setup, Dimension::kExpertTensor);
    case Topic::kExpertReduce:
    case Topic::kExpertGather:
      return nodes_of_group(setup, Dimension::kExpertData);
    case Topic::kEmbedding:
      return std::min(talk.ranks, nodes_of_group(setup, Dimension::kPipeline));
    case Topic::kNorm:
      break;
  }
  return (setup.gpus() + setup.gpus_per_node - 1) / setup.gpus_per_node;
}

namespace {

std::vector<TalkRow> talk_rows(const Setup& setup) {
  std::vector<TalkRow> rows;
  for (const Talk& all : talk_of_all(setup)) rows.push_back({all, 0, nodes_of(setup, all)});
  for (std::int64_t stage = 0; stage < setup.pp; ++stage) {
    const std::vector<Talk> said = talk_of_stage(setup, stage);
    for (TalkRow& row : rows) {
      double calls = 0;
      for (const Talk& one : said)
        if (row.talk.topic == one.topic && row.talk.function == one.function) calls += one.calls;
      row.calls_a_gpu = std::max(row.calls_a_gpu, calls);
    }
  }
  return rows;
}

FlatTable talk_table(const std::vector<TalkRow>& rows) {
  FlatColumns<TalkRow> columns(rows);
  const auto topic = [](const auto& row) { return std::string(text_of(row.talk.topic)); };
  const auto function = [](const auto& row) { return std::string(row.talk.function); };
  columns.add({"what", "what", 9, kLeft}, topic, topic);
  columns.add({"function", "function", 8, kLeft}, function, function);
  columns.add(
      {"ranks", "ranks", 7}, [](const auto& row) { return std::to_string(row.talk.ranks); },
      [](const auto& row) { return std::optional(row.talk.ranks); });
  columns.add_count({"nodes", "nodes", 6}, &TalkRow::nodes);
  columns.add(
      {"calls a GPU", "calls_a_gpu", 7},
      [](const auto& row) { return fmt::format("{:.0f}", row.calls_a_gpu); },
      [](const auto& row) { return std::optional(row.calls_a_gpu); });
  columns.add(
      {"a call", "bytes_a_call", 7}, [](const auto& row) { return bytes_text(row.talk.bytes); },
      [](const auto& row) { return std::optional(row.talk.bytes); });
  const auto wire = [](const auto& row) { return row.talk.calls * wire_bytes(row.talk); };
  columns.add(
      {"on the wire, all GPUs", "wire_bytes_of_all", 5},
      [=](const auto& row) { return bytes_text(wire(row)); },
      [=](const auto& row) { return std::optional(wire(row)); });
  FlatTable table;
  table.rows_are = "talk";
  table.columns = columns.take();
  return table;
}

FlatTable work_table(const Setup& setup, const std::vector<WorkCount>& counts) {
  FlatColumns<WorkCount> columns(counts);
  const auto formula = [](const auto& row) { return row.name; };
  columns.add({"formula", "formula", 9, kLeft}, formula, formula);
  columns.add(
      {"PFLOP", "pflop", 8},
      [](const auto& row) { return fmt::format("{:.1f}", row.flops / kPeta); },
      [](const auto& row) { return std::optional(row.flops / kPeta); });
  const double gpus = static_cast<double>(setup.gpus());
  columns.add(
      {"TFLOP a GPU", "tflop_a_gpu", 7},
      [=](const auto& row) { return fmt::format("{:.1f}", row.flops / kTera / gpus); },
      [=](const auto& row) { return std::optional(row.flops / kTera / gpus); });
  FlatTable table;
  table.rows_are = "work";
  table.columns = columns.take();
  return table;
}

}  // namespace

std::string StageRow::name() const {
  return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
}

std::vector<StageRow> stage_rows(const Setup& setup) {
  std::vector<StageRow> rows;
  for (std::int64_t stage = 0; stage < setup.pp; ++stage) {
    StageRow row{stage, stage, setup.layers_of_stage(stage), stage_parameters(setup, stage).all(),
                 stage_memory(setup, stage)};
    if (!rows.empty() && are_alike(rows.back(), row))
      rows.back().last = stage;
    else
      rows.push_back(row);
  }
  return rows;
}

FlatTable found_table(const SearchResult& result, const SearchSpace& space) {
  const std::vector<FoundLayout>& rows = result.best;
  FlatColumns<FoundLayout> columns(rows);
  const auto count = [&](const char* title, const char* name, int importance, auto of) {
    columns.add(
        {title, name, importance}, [=](const auto& row) { return std::to_string(of(row.setup)); },
        [=](const auto& row) { return std::optional<std::int64_t>(of(row.setup)); });
  };
  count("TP", "tp", 9, [](const Setup& s) { return s.tp; });
  count("PP", "pp", 9, [](const Setup& s) { return s.pp; });
  count("DP", "dp", 9, [](const Setup& s) { return s.dp; });
  // For people where some layout has any.
  const auto seldom = [&](const char* title, const char* name, auto of) {
    const bool any =
        std::any_of(rows.begin(), rows.end(), [&](const auto& row) { return of(row.setup) > 1; });
    count(any ? title : "", name, 9, of);
  };
  seldom("CP", "cp", [](const Setup& s) { return s.cp; });
  seldom("EP", "ep", [](const Setup& s) { return s.ep; });
  seldom("expert TP", "expert_tp", [](const Setup& s) { return s.expert_tp; });
  const bool has_ends = std::any_of(rows.begin(), rows.end(),
                                    [](const auto& row) { return row.setup.first_layers > 0; });
  count(has_ends ? "first" : "", "first_layers", 9,
        [](const Setup& s) { return s.layers_of_stage(0); });
  count(has_ends ? "last" : "", "last_layers", 9,
        [](const Setup& s) { return s.layers_of_stage(s.pp - 1); });
  count("chunks", "chunks", 9, [](const Setup& s) { return s.chunks; });
  count("MBS", "mbs", 9, [](const Setup& s) { return s.mbs; });
  count("GAS", "gas", 9, [](const Setup& s) { return s.gas; });
  count("ZeRO", "zero", 9, [](const Setup& s) { return s.zero; });
  count("SP", "sequence_parallel", 9, [](const Setup& s) { return s.sequence_parallel ? 1 : 0; });
  const auto recompute = [](const auto& row) { return std::string(text_of(row.setup.recompute)); };
  columns.add({"recompute", "recompute", 8, kLeft}, recompute, recompute);
  const auto number = [&](const char* title, const char* name, int importance, auto of) {
    columns.add(
        {title, name, importance}, [=](const auto& row) { return short_number(of(row)); },
        [=](const auto& row) { return std::optional<double>(of(row)); });
  };
  number("step s", "step_s", 9, [](const FoundLayout& row) { return row.seconds; });
  number("at least", "step_s_low", 5,
         [](const FoundLayout& row) { return row.seconds * std::exp(-row.half_width); });
  number("at most", "step_s_high", 5,
         [](const FoundLayout& row) { return row.seconds * std::exp(row.half_width); });
  number("MFU %", "mfu_percent", 7, [&](const FoundLayout& row) {
    return 100 * model_flops_utilization(row.setup, space.machine, row.seconds).value_or(0);
  });
  number("GiB", "needed_gib", 7, [](const FoundLayout& row) { return row.needed_bytes / kGib; });
  const double usable = space.usable_bytes;
  number("free GiB", "free_gib", 6,
         [=](const FoundLayout& row) { return (usable - row.needed_bytes) / kGib; });
  FlatTable table;
  table.rows_are = "layouts";
  table.columns = columns.take();
  return table;
}

std::vector<std::pair<const char*, double>> parts_of(const StepTime& time) {
  return {{"matrix products", time.products},
          {"attention", time.attention},
          {"elementwise", time.elements},
          {"waiting for TP", time.tensor},
          {"waiting for CP", time.context},
          {"waiting for EP", time.experts},
          {"issuing kernels", time.issue},
          {"pipeline", time.pipeline},
          {"waiting for DP", time.data},
          {"optimizer", time.optimizer},
          {"fixed", time.fixed}};
}

std::optional<double> model_flops_utilization(const Setup& setup, const Machine& machine,
                                              double seconds) {
  return model_work(setup.shape, setup.gbs()) / seconds /
         (machine.peak_tflops_16 * kTera * static_cast<double>(setup.gpus()));
}

EstimateTable time_table(const StepTime& time) {
  struct Part {
    const char* name;
    double seconds;
  };
  std::vector<Part> parts;
  for (const auto& [name, seconds] : parts_of(time)) parts.push_back({name, seconds});
  parts.push_back({"all", time.all()});
  FlatColumns<Part> columns(parts);
  const auto name = [](const auto& part) { return std::string(part.name); };
  columns.add({"part", "part", 9, kLeft}, name, name);
  columns.add(
      {"seconds", "seconds", 8}, [](const auto& part) { return short_number(part.seconds); },
      [](const auto& part) { return std::optional(part.seconds); });
  columns.add(
      {"share", "share", 7},
      [&](const auto& part) { return fmt::format("{:.1f} %", 100 * part.seconds / time.all()); },
      [&](const auto& part) { return std::optional(part.seconds / time.all()); });
  EstimateTable made{"time of an iteration", {}};
  made.table.rows_are = "time";
  made.table.columns = columns.take();
  return made;
}

std::string model_words(const Setup& setup) {
  const Shape& m = setup.shape;
  const char* activation = m.activation == Activation::kGeglu         ? "GEGLU"
                           : m.gated()                                ? "SwiGLU"
                           : m.activation == Activation::kSquaredRelu ? "squared ReLU"
                                                                      : "GELU";
  std::string words = fmt::format("{} layers, hidden {}, {} heads", m.layers, m.hidden, m.heads);
  if (m.is_latent())
    words += fmt::format(" ({} wide, values {}, of latents {})", m.head_width, m.values(),
                         m.query_latent > 0 ? fmt::format("{} and {}", m.query_latent, m.key_latent)
                                            : fmt::format("{}", m.key_latent));
  if (m.kv_heads != m.heads) words += fmt::format(" ({} of keys)", m.kv_heads);
  words +=
      fmt::format(", ffn {} ({}), sequence {}, vocabulary {}", m.ffn, activation, m.seq, m.vocab);
  if (m.experts > 0)
    words += fmt::format(", {} experts, {} a token", m.experts, m.experts_per_token);
  if (m.mixes_layers()) words += fmt::format(", in {} of the layers", m.mixtures_of(m.layers));
  if (m.shared_ffn > 0) words += fmt::format(", shared ones of width {}", m.shared_ffn);
  if (m.mtp_layers > 0)
    words +=
        fmt::format(", {} more to predict further tokens (MTP)", counted(m.mtp_layers, "layer"));
  return words + fmt::format("; {} parameters", with_commas(model_parameters(m)));
}

std::string layout_words(const Setup& setup) {
  std::string words = fmt::format("TP {}  PP {}  DP {}", setup.tp, setup.pp, setup.dp);
  if (setup.cp > 1) words += fmt::format("  CP {}", setup.cp);
  if (setup.ep > 1) words += fmt::format("  EP {}", setup.ep);
  if (setup.chunks > 1) words += fmt::format("  {} chunks a stage", setup.chunks);
  words += fmt::format("  MBS {}  GAS {}  GBS {}", setup.mbs, setup.gas, setup.gbs());
  const std::int64_t nodes = (setup.gpus() + setup.gpus_per_node - 1) / setup.gpus_per_node;
  return words + fmt::format(", {} on {}", counted(setup.gpus(), "GPU"), counted(nodes, "node"));
}

std::string state_account(const Setup& setup) {
  const double bytes = checkpoint_bytes(setup);
  const double all = bytes * static_cast<double>(model_parameters(setup.shape));
  return fmt::format(
      "bytes a parameter: {}; in a checkpoint {:.4g}: {:.1f} GB, {:.2f} GB of each GPU",
      state_words(setup), bytes, all / kGb, all / kGb / static_cast<double>(setup.gpus()));
}

std::vector<EstimateTable> estimate_tables(const Setup& setup) {
  std::vector<EstimateTable> tables;
  tables.push_back({"GiB of a GPU", memory_table(stage_rows(setup))});
  if (setup.gpus() > 1)
    tables.push_back({"what they say in an iteration", talk_table(talk_rows(setup))});
  tables.push_back({"work of an iteration", work_table(setup, work_counts(setup))});
  return tables;
}

}  // namespace pippin
