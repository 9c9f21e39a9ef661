// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/osu.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin {

namespace {

using Words = std::vector<std::string_view>;

constexpr std::string_view kTitle = "# OSU ", kSize = "# Size";
constexpr std::string_view kPrograms[] = {"osu_allreduce", "osu_xccl_allreduce"};
constexpr std::string_view kTime = "Avg Latency(us)";

/// At least two spaces stand between columns, whose names have one within.
std::vector<std::string> columns_in(std::string_view header) {
  std::vector<std::string> columns;
  header = trim(header.substr(1));
  while (!header.empty()) {
    const std::size_t end = std::min({header.find("  "), header.find('\t'), header.size()});
    columns.emplace_back(header.substr(0, end));
    header = trim(header.substr(end));
  }
  return columns;
}

bool is_program(std::string_view word) {
  const std::string_view name = word.substr(word.rfind('/') + 1);
  return std::find(std::begin(kPrograms), std::end(kPrograms), name) != std::end(kPrograms);
}

/// The number of ranks that an option of mpirun or srun asks for: "-np 8", "-n8", "--ntasks=8".
std::optional<std::int64_t> asked_ranks(std::string_view option, std::string_view next) {
  for (const std::string_view name : {"-np", "--np", "-n", "--n", "--ntasks"}) {
    if (option == name) return parse_integer(next);
  }
  if (option.starts_with("--ntasks=")) return parse_integer(option.substr(option.find('=') + 1));
  if (option.starts_with("-n")) return parse_integer(option.substr(2));
  return std::nullopt;
}

/// "MPI-CUDA Allreduce Latency Test v5.9", and neither its non-blocking kin nor a bandwidth.
bool is_all_reduce(const std::string& title) {
  const Words words = words_of(title);
  return words.size() >= 4 && words[1] == "Allreduce" && words[2] == "Latency" &&
         words[3] == "Test";
}

/// As nccl-tests define it.
double busbw_gb_per_s(const CanaryAllReduce& size, std::int64_t ranks) {
  const auto n = static_cast<double>(ranks);
  const double bytes_per_us = static_cast<double>(size.bytes) / size.median_us;
  return bytes_per_us * 1e-3 * 2 * (n - 1) / n;
}

}  // namespace

bool Osu::begins(std::string_view line) const { return trim(line).starts_with(kTitle); }

void Osu::read(std::string_view line) {
  if (trim(line).starts_with('#')) {
    read_remark(trim(line));
  } else if (line.find("allreduce") != std::string_view::npos) {
    read_command(line);
  } else if (!columns_.empty()) {
    read_row(words_of(line));
  }
}

void Osu::read_command(std::string_view line) {
  const Words words = words_of(line);
  const auto program = std::find_if(words.begin(), words.end(), is_program);
  if (program == words.end()) return;
  std::optional<std::int64_t> ranks;
  for (auto word = words.begin(); word != program; ++word) {
    const auto asked = asked_ranks(*word, *(word + 1));
    if (asked) ranks = asked;
  }
  if (!ranks) return;
  told_ranks_ = told_ranks_ && told_ranks_ != ranks ? 0 : ranks;
}

/// A command tells of the table that follows it.
void Osu::read_remark(std::string_view line) {
  if (line.starts_with(kTitle)) {
    title_ = printable(trim(line.substr(kTitle.size())));
    ranks_ = std::exchange(told_ranks_, std::nullopt).value_or(0);
  } else if (line.starts_with(kSize) && !title_.empty()) {
    columns_ = columns_in(line);
  }
}

/// Warnings stand between rows. Sizes rise.
void Osu::read_row(const Words& words) {
  const auto bytes = words.empty() ? std::nullopt : parse_integer(words[0]);
  if (!bytes || *bytes < 1 || words.size() != columns_.size()) return;
  has_rows_ = true;
  const auto time = std::find(columns_.begin(), columns_.end(), kTime);
  if (time == columns_.end() || words.back() == "Fail") return;
  const auto us = positive(words[static_cast<std::size_t>(time - columns_.begin())]);
  if (us && (sizes_.empty() || sizes_.back().bytes < *bytes))
    sizes_.push_back({*bytes, {}, *us, {}, 0});
}

/// Why there is no table; empty where there is one.
std::string Osu::reason_against() const {
  if (!is_all_reduce(title_))
    return fmt::format(
        "holds a table of OSU's {}, but those of its Allreduce Latency Test only "
        "can be kept",
        title_);
  if (sizes_.empty()) return fmt::format("holds a table of OSU without a column '{}'", kTime);
  if (ranks_ < 2)
    return "holds a table of OSU's Allreduce Latency Test, but no command before it says of how "
           "many ranks (as 'mpirun -np 8 osu_allreduce')";
  return {};
}

void Osu::finish(NetworkTables& found) {
  const std::string reason = has_rows_ ? reason_against() : "";
  if (!reason.empty()) {
    add_problem(found, reason);
  } else if (has_rows_) {
    CanaryFigures figures;
    figures.ranks = ranks_;
    figures.all_reduce = sizes_;
    for (auto& size : figures.all_reduce) size.median_busbw_gb_per_s = busbw_gb_per_s(size, ranks_);
    found.tables.push_back(std::move(figures));
  }
  title_.clear();
  columns_.clear();
  sizes_.clear();
  has_rows_ = false;
  ranks_ = 0;
}

}  // namespace pippin
