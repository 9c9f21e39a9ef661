// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/network.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <memory>

#include "core/base/text.h"
#include "harness/scrape/all_reduce_bench.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/lines.h"
#include "harness/scrape/nccl_rows.h"
#include "harness/scrape/osu.h"
#include "harness/scrape/probe_records.h"
#include "harness/scrape/table_reader.h"

namespace pippin {

namespace {

using Words = std::vector<std::string_view>;

constexpr std::string_view kAllReduce = "all_reduce";

/// "0-3" and 4 make "0-4".
std::string with_rank(const std::string& ranks, std::int64_t rank) {
  const auto comma = ranks.rfind(','), dash = ranks.rfind('-');
  const auto begin = comma == std::string::npos ? 0 : comma + 1;
  const bool is_range = dash != std::string::npos && dash > begin;
  const auto last = parse_integer(std::string_view(ranks).substr(is_range ? dash + 1 : begin));
  if (!last) return std::to_string(rank);
  if (*last + 1 != rank) return fmt::format("{},{}", ranks, rank);
  return fmt::format("{}-{}", is_range ? ranks.substr(0, dash) : ranks, rank);
}

/// The word after `name`.
std::optional<double> number_behind(const Words& words, std::string_view name) {
  const auto at = std::find(words.begin(), words.end(), name);
  return at == words.end() || at + 1 == words.end() ? std::nullopt : positive(at[1]);
}

/// What our probes, their records, the canary and nccl-tests print.
class NcclReader : public TableReader {
 public:
  bool begins(std::string_view line) const override {
    if (concluded_) return true;
    if (line.starts_with('{')) return line.find("\"canary\":") != std::string_view::npos;
    return !begun_ && is_beginning(line);
  }

  void read(std::string_view line) override {
    // A command that stands in the log, or newer nccl-tests' own word.
    if (const auto named = nccl_collective(line)) {
      if (line.find(kConcluded) != std::string_view::npos) return conclude(*named);
      runs_ = *named;
      says_itself_ = line.find(kStarting) != std::string_view::npos;
    }
    if (line.find("busbw") != std::string_view::npos) see_other_header(words_of(line));
    if (line.starts_with("{")) {
      read_probe_record(line, table_);
    } else if (is_beginning(line)) {
      if (!begun_) is_ours_ = line.find(kProbe) != std::string_view::npos;
      if (!begun_) set_operation();
      begun_ = line.find(kProbe) != std::string_view::npos;  // its nThread follows
      is_bare_ = trim(line).starts_with(kBareBeginning);
    } else if (trim(line).starts_with('#')) {
      read_remark(line, words_of(line));
    } else if (is_bare_ && trim(line).starts_with("Avg bus bandwidth")) {
      is_bare_ = false;  // it ends the table
    } else if (is_bare_ && !trim(line).empty() && !is_digit(trim(line).front())) {
      Words words = words_of(line);
      words.insert(words.begin(), "#");
      read_remark(line, words);
    } else {
      read_row(words_of(line));
    }
  }

  void finish(NetworkTables& found) override {
    table_.nodes = std::max(table_.nodes, static_cast<std::int64_t>(table_.by_node.size()));
    if (is_strange_ || (rows_.has_usual_columns() && !rows_.factor().is_one())) {
      table_ = {};
      refused_ = "holds rows of nccl-tests without the line that names their columns";
    }
    if (!table_.collectives.empty()) {
      finish_rows();
    } else if (refused_.empty() && rows_.has_header()) {
      refused_ =
          "holds the head of a table of nccl-tests, but no row that is whole: the test ended "
          "before, or other lines (NCCL_DEBUG) were printed into its rows";
    }
    if (!refused_.empty()) add_problem(found, std::move(refused_));
    if (!table_.pairs.empty() || !table_.all_reduce.empty() || !table_.collectives.empty())
      found.tables.push_back(std::move(table_));
    table_ = {};
    rows_ = {};
    refused_.clear();
    columns_.clear();
    in_pairs_ = false;
    sizes_.clear();
    listed_ = 0;
    concluded_ = is_strange_ = false;
    set_operation();
  }

 private:
  static constexpr std::string_view kStarting = "Collective test starting: ",
                                    kConcluded = "Collective test concluded: ";
  static constexpr std::string_view kProbe = "> probe: pippin ";
  /// Where the table was pasted, and its '#' taken for Markdown's.
  static constexpr std::string_view kBareBeginning = "nThread ";
  static bool is_beginning(std::string_view line) {
    const bool is_bare =
        trim(line).starts_with(kBareBeginning) && line.find(" minBytes ") != std::string_view::npos;
    return line.find(kProbe) != std::string_view::npos ||
           line.find("# nThread ") != std::string_view::npos || is_bare;
  }

  void see_other_header(const Words& words) {
    const auto before = NcclRows::word_before_size(words);
    if (!before.empty())
      refused_ = fmt::format("holds a table of nccl-tests, but with '{}' before its column 'size'",
                             printable(before));
  }

  void read_remark(std::string_view line, const Words& words) {
    if (words.size() < 2) return;
    begun_ = false;
    if (rows_.has_usual_columns() && words[1] == "Avg") concluded_ = true;  // none is named below
    if (words[1] == "Operation") {
      operation_ = words.back();
      is_named_ = true;
    }
    if (rows_.read_header(words)) {
      if (operation_.empty()) set_operation();  // its beginning is not in the log
      return;
    }
    if (words[1] == "Library") table_.library = printable(trim(line.substr(line.find(':') + 1)));
    if (words[1] == "Rank") read_rank(words);
    if (words[1] == "out") read_spread(words);
    if (words[1] == "Pairs:") {
      begin_pairs(words);
    } else if (in_pairs_) {
      read_pairs(words);
    }
  }

  /// "#  Rank  0 Group  0 Pid  23284 on  n1 device  0 [0x00] AMD EPYC"
  void read_rank(const Words& words) {
    const auto on = std::find(words.begin(), words.end(), "on");
    const auto rank = words.size() > 2 ? parse_integer(words[2]) : std::nullopt;
    if (!rank || on == words.end() || on + 1 == words.end()) return;
    table_.ranks = std::max(table_.ranks, *rank + 1);
    ++listed_;
    const std::string name = printable(on[1]);
    auto node = std::find_if(table_.by_node.begin(), table_.by_node.end(),
                             [&](const auto& known) { return known.name == name; });
    if (node == table_.by_node.end())
      node = table_.by_node.insert(node, CanaryNode{name, "", {}, {}});
    node->ranks = with_rank(node->ranks, *rank);
  }

  void read_row(const Words& words) {
    if (rows_.is_without_header(words)) {
      if (!rows_.take_usual_columns(words)) is_strange_ = true;
      if (operation_.empty()) set_operation();
    }
    const auto size = rows_.row(words);
    auto measured = rows_.measured(words, printable(operation_));
    if (!size && measured.empty()) return;
    if (rows_.is_host_time()) {
      refused_ =
          "holds a table of nccl-tests, but with the times of the host's calls (-C), not of the "
          "operations";
      return;
    }
    rows_.see_factor(words);
    std::move(measured.begin(), measured.end(), std::back_inserter(table_.collectives));
    if (!size) return;
    if (operation_ == kAllReduce) add_size(table_.all_reduce, *size);
    sizes_.push_back(*size);
  }

  /// Of the command, or the program's word, that stood last.
  void set_operation() {
    operation_ = runs_;
    is_named_ = says_itself_ && !runs_.empty();
  }

  /// A table ends with its name, which counts unless it began with one. That is of no table after.
  void conclude(const std::string& name) {
    concluded_ = true;
    if (!is_named_ && !name.empty()) name_rows(name);
    if (says_itself_) runs_.clear();
    says_itself_ = false;
  }

  void name_rows(const std::string& name) {
    if (table_.collectives.empty() || name == operation_) return;
    operation_ = name;
    for (auto& measured : table_.collectives) measured.operation = name;
    table_.all_reduce.clear();
    if (name != kAllReduce) return;
    for (const auto& size : sizes_) add_size(table_.all_reduce, size);
  }

  /// What only a whole table says.
  void finish_rows() {
    if (operation_.empty() && rows_.factor().is_all_reduce()) name_rows(std::string(kAllReduce));
    const auto is_nameless = [](const auto& measured) { return measured.operation.empty(); };
    if (std::erase_if(table_.collectives, is_nameless) > 0)
      refused_ =
          "holds a table of nccl-tests, but neither the table nor a command says of which "
          "collective";
    if (is_ours_) return;
    const auto ranks = rows_.factor().ranks(operation_);
    const bool is_of_more = ranks && ranks->least > table_.ranks;
    if (is_of_more || listed_ < table_.ranks) table_.nodes = 0;  // the list of ranks is cut
    if (is_of_more) table_.ranks = ranks->least == ranks->most ? ranks->least : 0;
    if (table_.ranks != 1 || table_.collectives.empty()) return;
    refused_ = rows_.factor().is_above_0()
                   ? "holds a table of nccl-tests that lists one rank alone, and does not say "
                     "whether there were more"
                   : "holds a table of nccl-tests of one rank, which sends nothing (where mpirun "
                     "began several, they were built without MPI=1)";
    table_ = {};
  }

  /// "#  out  call (us) min 0.46 median 0.49 p99 0.65 …" of the row above it.
  void read_spread(const Words& words) {
    const auto min = number_behind(words, "min"), median = number_behind(words, "median"),
               p99 = number_behind(words, "p99");
    if (!min || !median || !p99 || table_.all_reduce.empty()) return;
    CanaryAllReduce& size = table_.all_reduce.back();
    size.median_busbw_gb_per_s *= size.median_us / *median;
    size.min_us = min;
    size.median_us = *median;
    size.p99_us = p99;
  }

  /// "# Pairs: 33554432 bytes each way at once, median of 20, GB/s each way"
  void begin_pairs(const Words& words) {
    in_pairs_ = true;
    columns_.clear();
    pair_bytes_ = words.size() > 2 ? parse_integer(words[2]) : std::nullopt;
    const auto of = std::find(words.begin(), words.end(), "of");
    const bool counted = of != words.end() && of + 1 != words.end();
    repetitions_ = counted ? parse_integer(of[1].substr(0, of[1].find(','))) : std::nullopt;
  }

  /// The names of the columns, then a row for each node.
  void read_pairs(const Words& words) {
    if (columns_.empty()) {
      for (std::size_t i = 1; i < words.size(); ++i) columns_.push_back(printable(words[i]));
      return;
    }
    const std::string row = words.size() == columns_.size() + 2 ? printable(words[1]) : "";
    const auto place = std::find(columns_.begin(), columns_.end(), row);
    if (place == columns_.end()) {
      in_pairs_ = false;
      return;
    }
    for (std::size_t i = static_cast<std::size_t>(place - columns_.begin()) + 1;
         i < columns_.size(); ++i) {
      if (const auto speed = positive(words[i + 2]))
        add_pair(table_, {row, columns_[i], *speed, pair_bytes_, repetitions_});
    }
  }

  CanaryFigures table_;
  bool begun_ = false;            ///< the probe has named itself, and its table follows
  bool is_ours_ = false;          ///< the table is the probe's
  bool is_bare_ = false;          ///< its remarks have no '#'
  std::string runs_, operation_;  ///< by the last command, and of the table; empty: unknown
  bool says_itself_ = false, is_named_ = false;  ///< that is the word of the program itself
  bool concluded_ = false;                       ///< the table is at its end
  std::vector<CanaryAllReduce> sizes_;           ///< of its rows, whichever its operation is
  std::int64_t listed_ = 0;                      ///< lines that tell of a rank
  std::string refused_;                          ///< why rows are not in the table
  bool is_strange_ = false;  ///< rows without a header have other columns than others have
  NcclRows rows_;
  bool in_pairs_ = false;
  std::vector<std::string> columns_;
  std::optional<std::int64_t> pair_bytes_, repetitions_;
};

}  // namespace

std::vector<std::string_view> table_signs() {
  return {"nThread ",         "# Pairs:",      "\"record\":\"",
          "{\"canary\":",     "busbw: ",       "bandwidth of all_reduce over",
          "# OSU ",           "algbw   busbw", "     sum      -1 ",
          "    none      -1 "};
}

NetworkTables find_network_tables(std::string_view text) {
  const std::unique_ptr<TableReader> readers[] = {
      std::make_unique<NcclReader>(), std::make_unique<AllReduceBench>(), std::make_unique<Osu>()};
  NetworkTables found;
  const auto finish = [&] {
    for (const auto& reader : readers) reader->finish(found);
  };
  Lines lines(text);
  for (std::string_view line; lines.next(line);) {
    if (!lines.terminated() && !line.ends_with('}')) continue;
    if (std::any_of(std::begin(readers), std::end(readers),
                    [&](const auto& reader) { return reader->begins(line); }))
      finish();
    for (const auto& reader : readers) reader->read(line);
  }
  finish();
  return found;
}

std::vector<CanaryFigures> read_network(std::string_view text) {
  return find_network_tables(text).tables;
}

}  // namespace pippin
