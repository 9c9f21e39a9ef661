// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/all_reduce_bench.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text.h"
#include "core/base/whole_number.h"
#include "harness/scrape/characters.h"

namespace pippin {

namespace {

constexpr std::string_view kSize = " data size: ", kTrial = "-----trial-", kNccl = "NCCL version ";

/// Who tells a size, and which: "29 data size: 4.0 GB".
struct ToldSize {
  std::string_view label;
  std::int64_t bytes = 0;
};

std::optional<ToldSize> told_size(std::string_view line) {
  const auto at = line.find(kSize);
  if (at == std::string_view::npos) return std::nullopt;
  const auto words = words_of(line.substr(at + kSize.size()));
  const auto gb = words.size() == 2 && words[1] == "GB" ? positive(words[0]) : std::nullopt;
  const auto bytes = gb ? nearest_whole_number(*gb * 1e9) : std::nullopt;
  if (!bytes) return std::nullopt;
  return ToldSize{trim(line.substr(0, at)), *bytes};
}

/// "29" of "29:", "node-1:3" of "node-1:3:"; empty for others.
std::string_view label_in(std::string_view line) {
  line = trim(line);
  if (!line.ends_with(':')) return {};
  line.remove_suffix(1);
  const std::string_view rank = line.substr(line.rfind(':') + 1);
  const bool is_label = !rank.empty() && std::all_of(rank.begin(), rank.end(), is_digit) &&
                        line.find_first_of(" \t/") == std::string_view::npos;
  return is_label ? line : std::string_view();
}

/// The number behind a name and before the unit that ends the line.
std::optional<double> figure(std::string_view line, std::string_view name, std::string_view unit) {
  const auto at = line.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  const auto words = words_of(line.substr(at + name.size()));
  if (words.size() < 2 || words.back() != unit) return std::nullopt;
  return positive(words[words.size() - 2]);
}

void add(std::vector<double>& figures, const std::optional<double>& figure) {
  if (figure) figures.push_back(*figure);
}

void append(std::vector<double>& figures, const std::vector<double>& more) {
  figures.insert(figures.end(), more.begin(), more.end());
}

/// Requires some.
double median(std::vector<double> figures) {
  std::sort(figures.begin(), figures.end());
  const std::size_t half = figures.size() / 2;
  return figures.size() % 2 == 1 ? figures[half] : (figures[half - 1] + figures[half]) / 2;
}

/// The hosts of labels as "node-1:3".
std::vector<CanaryNode> nodes_of(const std::set<std::string, std::less<>>& labels) {
  std::vector<CanaryNode> nodes;
  for (const auto& label : labels) {
    const auto colon = label.rfind(':');
    if (colon == std::string::npos) continue;
    const std::string name = printable(label.substr(0, colon));
    if (nodes.empty() || nodes.back().name != name) nodes.push_back({name, "", {}, {}});
  }
  return nodes;
}

}  // namespace

/// All ranks tell the size, one of them perhaps late: another run has another size, or a rank that
/// told it before.
bool AllReduceBench::begins(std::string_view line) const {
  const auto size = told_size(line);
  if (!size) return line.find("bandwidth of all_reduce over ") != std::string_view::npos;
  return !run_.bytes || *run_.bytes != size->bytes || run_.sized.contains(size->label);
}

void AllReduceBench::read(std::string_view line) {
  if (const auto size = told_size(line)) {
    run_.bytes = size->bytes;
    run_.sized.emplace(size->label);
    run_.labels.emplace(size->label);
  } else if (line.find(kTrial) != std::string_view::npos) {
    run_.is_announced = true;
    run_.trials.emplace_back();
  } else if (line.starts_with(kNccl)) {
    run_.library = "NCCL " + printable(trim(line.substr(kNccl.size())));
  } else if (line.find("bandwidth of all_reduce over ") != std::string_view::npos) {
    run_.has_mean_table = true;
  } else {
    read_record(line);
  }
}

void AllReduceBench::read_record(std::string_view line) {
  Trial& trial = run_.trials.back();
  add(trial.seconds, figure(line, "duration: ", "sec"));
  add(trial.algo_gbit, figure(line, "algo throughput: ", "Gbps"));
  add(trial.busbw_gbit, figure(line, "busbw: ", "Gbps"));
  if (const auto label = label_in(line); !label.empty()) run_.labels.emplace(label);
}

/// The last may be cut off.
bool AllReduceBench::are_told_apart(const Run& run) {
  const auto& trials = run.trials;
  if (!run.is_announced || !trials[0].busbw_gbit.empty()) return false;
  const std::size_t records = trials[1].busbw_gbit.size();
  return trials.back().busbw_gbit.size() <= records &&
         std::all_of(trials.begin() + 1, trials.end() - 1,
                     [&](const auto& trial) { return trial.busbw_gbit.size() == records; });
}

AllReduceBench::Trial AllReduceBench::counted_records(const Run& run) {
  constexpr std::size_t kBeforeTrials = 1, kWarmUps = 1;
  Trial counted;
  for (std::size_t i = are_told_apart(run) ? kBeforeTrials + kWarmUps : 0; i < run.trials.size();
       ++i) {
    append(counted.seconds, run.trials[i].seconds);
    append(counted.algo_gbit, run.trials[i].algo_gbit);
    append(counted.busbw_gbit, run.trials[i].busbw_gbit);
  }
  return counted;
}

/// As many as were seen if the figures agree, 0 otherwise: the bus bandwidth of n ranks is
/// (n - 1)/n of that algo throughput.
std::int64_t AllReduceBench::ranks_of(const Run& run, const Trial& counted) {
  constexpr double kRounding = 1e-4;
  const auto seen = static_cast<double>(run.labels.size());
  if (counted.algo_gbit.size() != counted.busbw_gbit.size()) return 0;
  const double share = median(counted.busbw_gbit) / median(counted.algo_gbit);
  return std::abs(share - (seen - 1) / seen) < kRounding ? std::llround(seen) : 0;
}

CanaryFigures AllReduceBench::figures_of(const Run& run, const Trial& counted) {
  constexpr double kUsPerSecond = 1e6, kBitsPerByte = 8;
  CanaryFigures figures;
  figures.ranks = ranks_of(run, counted);
  figures.by_node = nodes_of(run.labels);
  figures.nodes = static_cast<std::int64_t>(figures.by_node.size());
  figures.library = run.library;
  const double fastest = *std::min_element(counted.seconds.begin(), counted.seconds.end());
  figures.all_reduce.push_back({*run.bytes,
                                fastest * kUsPerSecond,
                                median(counted.seconds) * kUsPerSecond,
                                {},
                                median(counted.busbw_gbit) / kBitsPerByte});
  return figures;
}

/// Why there are no figures; empty where there are.
std::string AllReduceBench::reason_against(const Run& run, const Trial& counted) {
  if (run.has_mean_table)
    return "holds a table of all_reduce_bench.py, but of bandwidths without times";
  if (run.trials.size() == 1 && run.trials[0].busbw_gbit.empty()) return {};
  if (!run.bytes) return "holds figures of all_reduce_bench.py, but not their data size";
  if (counted.busbw_gbit.empty() || counted.seconds.empty())
    return "holds figures of all_reduce_bench.py, but of no trial beside the warm-up";
  return {};
}

void AllReduceBench::finish(NetworkTables& found) {
  const Run run = std::exchange(run_, {});
  const Trial counted = counted_records(run);
  std::string reason = reason_against(run, counted);
  if (!reason.empty()) {
    add_problem(found, std::move(reason));
  } else if (!counted.busbw_gbit.empty() && !counted.seconds.empty()) {
    found.tables.push_back(figures_of(run, counted));
  }
}

}  // namespace pippin
