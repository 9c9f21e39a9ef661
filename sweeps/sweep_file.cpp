// SPDX-License-Identifier: Apache-2.0
#include "sweeps/sweep_file.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/placeholders.h"
#include "core/base/text.h"
#include "sweeps/cluster_file.h"
#include "sweeps/draft.h"
#include "sweeps/environment.h"
#include "sweeps/keys.h"
#include "sweeps/name_checks.h"
#include "sweeps/packing_keys.h"
#include "sweeps/probe_axes.h"
#include "sweeps/probe_checks.h"
#include "sweeps/resolve.h"
#include "sweeps/typed_counts.h"

namespace pippin {

namespace {

constexpr std::int64_t kMostRepeats = 100'000;
constexpr std::int64_t kMostRuns = 1'000'000;
constexpr std::int64_t kMostIterations = 1'000'000'000;
constexpr std::size_t kMostFormulas = 1000;
constexpr double kLongestCanary_s = 600;
// The probe's own limits.
constexpr std::int64_t kFewestCanaryBytes = 64 << 10, kMostCanaryBytes = 1 << 30;

const std::vector<std::string> kKeys{
    "sweep",     "cluster", "probe",   "command", "model",  "grid",     "zip",
    "points",    "fixed",   "gpus",    "where",   "derive", "env",      "iterations",
    "warmup",    "order",   "repeats", "seed",    "pack",   "run_time", "stalled",
    "reference", "canary",  "scrape",  "log",     "trace"};

std::string read_name(const YamlNode& root) {
  const YamlNode* node = root.find("sweep");
  if (!node) fail(root, "a sweep needs a name: `sweep: NAME`");
  const std::string& name = text_at(*node, "sweep");
  if (trim(name).empty()) fail(*node, "the sweep's name is empty");
  if (printable(name) != name) fail(*node, "the sweep's name must be one line of text");
  return name;
}

Cluster read_cluster(const YamlNode& root, const fs::path& directory) {
  if (const auto* node = root.find("cluster")) return load_cluster(*node, directory);
  YamlNode local = root;
  local.kind = YamlNode::Kind::kText;
  local.text = "local";
  return load_cluster(local, directory);
}

/// How the command's lines are read, and where it writes them.
void read_lines(const YamlNode& root, Trainer& trainer) {
  if (const YamlNode* scrape = root.find("scrape")) {
    expect_map(*scrape, "scrape");
    for (std::size_t i = 0; i < scrape->keys.size(); ++i) {
      const std::string& field = text_at(scrape->keys[i], "a field of scrape");
      trainer.scrape.emplace_back(fmt::format("{}{}", kPatternPrefix, field),
                                  value_of(text_at(scrape->items[i], "scrape: " + field)));
      trainer.scrape_lines.push_back(scrape->keys[i].line);
    }
  }
  const YamlNode* log = root.find("log");
  if (!log) return;
  trainer.log = text_at(*log, "log");
  const fs::path path = trainer.log;
  const bool leaves = std::find(path.begin(), path.end(), "..") != path.end();
  if (trim(trainer.log).empty() || printable(trainer.log) != trainer.log || path.is_absolute() ||
      leaves || !path.has_filename()) {
    fail(*log,
         "log must be a file in the run's own folder, as train.log where the command writes "
         "{{run_dir}}/train.log, not {}",
         in_quotes(trainer.log));
  }
  for (const auto& piece : placeholders(trainer.log)) {
    if (piece.is_name && piece.text != "rank" && piece.text != "node")
      fail(*log, "log has {{{}}}; only {{rank}} and {{node}} stand for files of several ranks",
           piece.text);
  }
}

bool read_trace(const YamlNode& root, const Probe& probe) {
  const YamlNode* node = root.find("trace");
  if (!node || !truth_at(*node, "trace")) return false;
  if (std::find(probe.without.begin(), probe.without.end(), "trace") == probe.without.end())
    fail(*node, "the probe {} traces nothing; training does", probe.name);
  return true;
}

Trainer read_trainer(const YamlNode& root) {
  const YamlNode *probe = root.find("probe"), *command = root.find("command");
  if (probe && command) fail(*command, "probe and command are both given; a run has one trainer");
  Trainer trainer;
  if (command) {
    if (const YamlNode* trace = root.find("trace"))
      fail(*trace, "trace is said of the probe training; a command says itself what it writes");
    trainer.command = text_at(*command, "command");
    if (trim(trainer.command).empty()) fail(*command, "the command is empty");
    read_lines(root, trainer);
    return trainer;
  }
  for (const char* key : {"scrape", "log"}) {
    if (const YamlNode* node = root.find(key))
      fail(*node, "{} is said of a command; pippin knows what its probes print", key);
  }
  trainer.probe = probe ? text_at(*probe, "probe") : "training";
  const auto known = find_probe(trainer.probe);
  if (!known) {
    fail(probe ? *probe : root, "unknown probe {}{}", in_quotes(trainer.probe),
         hint(trainer.probe, probe_names()));
  }
  trainer.options = known->options;
  trainer.options.insert(trainer.options.end(), known->given.begin(), known->given.end());
  trainer.option_names = known->names;
  trainer.once = known->launch == Probe::Launch::kOnce;
  trainer.traces = read_trace(root, *known);
  return trainer;
}

Repeats read_repeats(const YamlNode& root) {
  Repeats repeats;
  const YamlNode* node = root.find("repeats");
  if (!node) return repeats;
  if (node->kind == YamlNode::Kind::kText) {
    repeats.allocations = whole_number_at(*node, "repeats", 1, kMostRepeats);
    return repeats;
  }
  expect_map(*node, "repeats", {"allocations", "runs"});
  if (const auto* count = node->find("allocations")) {
    repeats.allocations = whole_number_at(*count, "repeats: allocations", 1, kMostRepeats);
  }
  if (const auto* count = node->find("runs")) {
    repeats.runs = whole_number_at(*count, "repeats: runs", 1, kMostRepeats);
  }
  return repeats;
}

std::optional<std::int64_t> read_warmup(const YamlNode& root, std::int64_t iterations) {
  const YamlNode* node = root.find("warmup");
  if (!node || (node->kind == YamlNode::Kind::kText && node->text == "auto")) return std::nullopt;
  const auto warmup = whole_number_at(*node, "warmup (auto or a number)", 0, kMostIterations);
  if (warmup >= iterations) {
    fail(*node, "warmup {} leaves none of {} iterations", warmup, iterations);
  }
  return warmup;
}

Order read_order(const YamlNode& root) {
  const YamlNode* node = root.find("order");
  if (!node) return Order::kBlocks;
  const std::string& name = text_at(*node, "order");
  if (name == "blocks") return Order::kBlocks;
  if (name == "sequential") return Order::kSequential;
  if (name == "shuffled") return Order::kShuffled;
  fail(*node, "unknown order {}{}", in_quotes(name),
       hint(name, {"blocks", "sequential", "shuffled"}));
}

std::uint64_t read_seed(const YamlNode& root) {
  const YamlNode* node = root.find("seed");
  if (!node) return 1;
  const auto seed = parse_integer(text_at(*node, "seed"));
  if (!seed || *seed < 0) {
    fail(*node, "seed must be a whole number from 0 to 9223372036854775807, not {}",
         in_quotes(node->text));
  }
  return static_cast<std::uint64_t>(*seed);
}

/// What the sweep says goes before what its cluster says.
void read_canary(const YamlNode& root, Sweep& sweep) {
  const YamlNode* node = root.find("canary");
  if (!node) return;
  sweep.cluster.canary.clear();
  if (node->kind == YamlNode::Kind::kText && node->text == "off") return;
  if (node->kind != YamlNode::Kind::kMap) expect_map(*node, "canary (off, or {seconds: 5})");
  expect_map(*node, "canary", {"seconds", "bytes"});
  const YamlNode* seconds = node->find("seconds");
  if (!seconds) fail(*node, "canary needs seconds: {{seconds: 5}}; for none, write off");
  sweep.canary_s = positive_number_at(*seconds, "canary: seconds");
  if (*sweep.canary_s > kLongestCanary_s) {
    fail(*seconds, "canary: seconds must be at most {}, not {}; it runs before and after each run",
         kLongestCanary_s, in_quotes(seconds->text));
  }
  const YamlNode* bytes = node->find("bytes");
  if (!bytes) return;
  sweep.canary_bytes = parse_integer(text_at(*bytes, "canary: bytes"));
  if (sweep.canary_bytes.value_or(0) < kFewestCanaryBytes ||
      *sweep.canary_bytes > kMostCanaryBytes) {
    fail(*bytes, "canary: bytes must be a whole number from {} to {}, not {}", kFewestCanaryBytes,
         kMostCanaryBytes, in_quotes(bytes->text));
  }
}

Sweep read_settings(const YamlNode& root, const fs::path& file) {
  Sweep sweep;
  sweep.name = read_name(root);
  sweep.file = file;
  sweep.cluster = read_cluster(root, file.parent_path());
  sweep.trainer = read_trainer(root);
  if (const auto* env = root.find("env")) sweep.env = read_environment(*env);
  if (const auto* node = root.find("iterations")) {
    sweep.iterations = whole_number_at(*node, "iterations", 1, kMostIterations);
  }
  sweep.warmup = read_warmup(root, sweep.iterations);
  sweep.repeats = read_repeats(root);
  sweep.order = read_order(root);
  sweep.seed = read_seed(root);
  read_canary(root, sweep);
  read_packing(root, sweep);
  return sweep;
}

NamedValues read_model(const YamlNode& root) {
  const YamlNode* node = root.find("model");
  NamedValues model;
  if (!node) return model;
  if (node->kind == YamlNode::Kind::kText) return {{"size", read_axis_value("size", *node)}};
  expect_map(*node, "model", model_key_names());
  for (std::size_t i = 0; i < node->keys.size(); ++i) {
    const std::string& key = node->keys[i].text;
    model.emplace_back(key, read_axis_value(key, node->items[i]));
  }
  return model;
}

Expression read_expression(const std::string& what, const YamlNode& node) {
  const std::string& text = text_at(node, what);
  try {
    return Expression(text);
  } catch (const Error& error) {
    fail(node, "{}: {}", what, error.what());
  }
}

std::vector<Formula> read_where(const YamlNode& root) {
  std::vector<Formula> clauses;
  const YamlNode* node = root.find("where");
  if (!node) return clauses;
  for (const YamlNode* clause : list_at(*node, "where")) {
    clauses.push_back({"where", read_expression("where", *clause), *clause});
  }
  return clauses;
}

std::vector<Formula> read_derive(const YamlNode& root) {
  std::vector<Formula> formulas;
  const YamlNode* node = root.find("derive");
  if (!node) return formulas;
  expect_map(*node, "derive");
  if (node->keys.size() > kMostFormulas)
    fail(*node, "derive has {} formulas; at most {} can be", node->keys.size(), kMostFormulas);
  for (std::size_t i = 0; i < node->keys.size(); ++i) {
    const std::string& name = node->keys[i].text;
    formulas.push_back({name, read_expression("derive: " + name, node->items[i]), node->keys[i]});
  }
  return formulas;
}

std::optional<Value> read_gpus(const YamlNode& root, const Axes& axes) {
  const YamlNode* node = root.find("gpus");
  if (!node) return std::nullopt;
  if (node->kind == YamlNode::Kind::kList)
    fail(*node, "gpus is one number here; a list belongs in grid");
  if (axes.has("gpus"))
    fail(*node, "gpus is an axis already, {}", place_text(axes.places.at("gpus")));
  return read_axis_value("gpus", *node);
}

/// A probe that is told nothing of its model is `tiny`.
void add_default_size(Draft& draft) {
  if (!draft.probe->takes("hidden") || draft.gives("m")) return;
  for (const char* name : {"size", "layers", "hidden", "heads", "kv_heads", "ffn"}) {
    if (draft.gives(name) || draft.derives(name)) return;
  }
  draft.model.emplace_back("size", Value{"tiny", std::nullopt});
}

Draft read_draft(YamlNode root, const Trainer& trainer, const Cluster& cluster) {
  Draft draft;
  draft.probe = find_probe(trainer.probe);
  if (draft.probe) read_ranks(root, *draft.probe, cluster);
  draft.axes = read_axes(root);
  draft.model = read_model(root);
  draft.gpus = read_gpus(root, draft.axes);
  draft.derive = read_derive(root);
  draft.where = read_where(root);
  draft.root = std::move(root);
  complete_axes(draft);
  if (draft.probe) add_default_size(draft);
  return draft;
}

void check_runs(const YamlNode& root, const Sweep& sweep) {
  const auto points = static_cast<std::int64_t>(sweep.points.size());
  const std::int64_t runs_of_point = sweep.repeats.allocations * sweep.repeats.runs;
  if (points <= kMostRuns / runs_of_point) return;
  const YamlNode* repeats = root.find("repeats");
  fail(repeats ? *repeats : root,
       "{} points x {} allocations x {} runs are too many; a campaign holds at most {}", points,
       sweep.repeats.allocations, sweep.repeats.runs, kMostRuns);
}

/// A file that is not there, with the likely meant name beside it.
[[noreturn]] void no_such_file(const fs::path& file) {
  std::vector<std::string> beside;
  std::error_code ignored;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    beside.push_back(entry->path().filename().string());
  }
  std::sort(beside.begin(), beside.end());
  bad_input("{}: no such file{}", printable(file.string()),
            did_you_mean(file.filename().string().substr(0, 60), beside));
}

}  // namespace

Sweep load_sweep(const fs::path& file, const AskProbe& ask) {
  if (!disk().exists(file)) no_such_file(file);
  return load_sweep(read_yaml(file), file, ask);
}

Sweep load_sweep(YamlNode root, const fs::path& file, const AskProbe& ask) {
  expect_map(root, "a sweep file", kKeys);
  Sweep sweep = read_settings(root, file);
  Draft draft = read_draft(std::move(root), sweep.trainer, sweep.cluster);
  check_names(draft, sweep);
  ProbeAnswers answers(draft.probe, ask);
  check_probe_values(draft, sweep, answers);
  resolve(draft, sweep, answers);
  check_typed_counts(draft, sweep);
  read_reference(draft.root, sweep);
  check_runs(draft.root, sweep);
  return sweep;
}

}  // namespace pippin
