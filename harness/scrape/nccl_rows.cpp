// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/nccl_rows.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/base/text.h"
#include "harness/scrape/table_reader.h"
#include "harness/scrape/trainers/figures.h"

namespace pippin {

namespace {

constexpr std::string_view kProgramEnd = "_perf";
constexpr std::string_view kCollectives[] = {
    "all_reduce", "all_gather", "alltoall",       "alltoallv", "broadcast", "gather",
    "hypercube",  "reduce",     "reduce_scatter", "scatter",   "sendrecv"};

constexpr std::size_t kSides = 2;  // out of place and in place

constexpr std::string_view kTypes[] = {"int8",   "uint8",  "int32",    "uint32",  "int64",
                                       "uint64", "half",   "float",    "double",  "bfloat16",
                                       "f8e4m3", "f8e5m2", "fp8_e4m3", "fp8_e5m2"};
constexpr std::string_view kReductions[] = {"sum", "prod", "max", "min", "avg", "mulsum", "none"};
/// Of both sides; the root is not there before 2.13.
constexpr std::string_view kUsual[] = {"size",  "count", "type",  "redop",  "root",
                                       "time",  "algbw", "busbw", "#wrong", "time",
                                       "algbw", "busbw", "#wrong"};

bool is_among(std::string_view word, const auto& words) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

/// Whether so many bytes in such a time, in us, are that many GB/s, as far as it is written.
bool is_bandwidth(std::int64_t bytes, std::string_view time, std::string_view algbw) {
  const auto took = figure_at(time), said = figure_at(algbw);
  if (!took || !said || !(took->value > 0)) return false;
  constexpr double kBytesPerUs = 1e3;  // of 1 GB/s
  const double is = static_cast<double>(bytes) / took->value / kBytesPerUs;
  return std::abs(is - said->value) <= said->quantum + is * took->quantum / took->value;
}

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

bool is_collective(std::string_view name) { return is_among(name, kCollectives); }

/// As "all_reduce_performance"; builds with MPI end with "_mpi".
bool goes_on_as_word(std::string_view line, std::size_t end) {
  const std::size_t behind = end + kProgramEnd.size();
  return behind < line.size() && is_letter(line[behind]);
}

}  // namespace

std::optional<std::string> nccl_collective(std::string_view line) {
  std::optional<std::string> found;
  for (auto end = line.find(kProgramEnd); end != std::string_view::npos;
       end = line.find(kProgramEnd, end + kProgramEnd.size())) {
    std::size_t begin = end;
    while (begin > 0 && (is_letter(line[begin - 1]) || line[begin - 1] == '_')) --begin;
    const std::string_view name = line.substr(begin, end - begin);
    if (!is_collective(name) || goes_on_as_word(line, end)) continue;
    found = found && *found != name ? "" : std::string(name);
  }
  return found;
}

void BusFactor::see(std::string_view algbw, std::string_view busbw) {
  const auto of_algorithm = figure_at(algbw), of_bus = figure_at(busbw);
  if (!of_algorithm || !of_bus || !(of_algorithm->value > 0) || !(of_bus->value > 0)) return;
  const auto most = [](const Figure& figure) { return figure.value + figure.quantum / 2; };
  const auto least = [](const Figure& figure) { return figure.value - figure.quantum / 2; };
  low_ = std::max(low_, least(*of_bus) / most(*of_algorithm));
  if (least(*of_algorithm) > 0) high_ = std::min(high_, most(*of_bus) / least(*of_algorithm));
}

std::optional<BusFactor::Ranks> BusFactor::ranks(std::string_view operation) const {
  constexpr std::string_view kPartsOfRanks[] = {
      "all_gather", "alltoall", "alltoallv", "gather", "hypercube", "reduce_scatter", "scatter"};
  const bool is_of_parts = std::find(std::begin(kPartsOfRanks), std::end(kPartsOfRanks),
                                     operation) != std::end(kPartsOfRanks);
  const double of_many = operation == "all_reduce" ? 2 : is_of_parts ? 1 : 0;
  if (!(low_ > 0 && low_ <= high_ && low_ < of_many)) return std::nullopt;
  // factor = of_many · (ranks - 1) / ranks
  const auto ranks_of = [&](double factor) {
    constexpr double kMost = 1e9;
    return factor < of_many ? std::min(of_many / (of_many - factor), kMost) : kMost;
  };
  const Ranks ranks{static_cast<std::int64_t>(std::ceil(ranks_of(low_))),
                    static_cast<std::int64_t>(std::floor(ranks_of(high_)))};
  return ranks.least <= ranks.most ? std::optional(ranks) : std::nullopt;
}

std::string_view NcclRows::word_before_size(const Words& words) {
  const auto size = std::find(words.begin(), words.end(), "size");
  const bool is_header = size != words.end() && size + 1 != words.end() && size[1] == "count" &&
                         std::find(size, words.end(), "busbw") != words.end();
  if (!is_header) return {};
  const auto first = words.front() == "#" ? words.begin() + 1 : words.begin();
  return first != size ? *first : std::string_view();
}

void NcclRows::see_factor(const Words& words) {
  if (!is_row(words)) return;
  for (std::size_t side = 0; side < kSides; ++side) {
    const auto algbw = word_at(words, "algbw", side), busbw = word_at(words, "busbw", side);
    if (algbw && busbw) factor_.see(*algbw, *busbw);
  }
}

bool NcclRows::read_header(const Words& words) {
  if (words.size() < 3 || words[1] != "size" || words[2] != "count") return false;
  columns_.assign(words.begin() + 1, words.end());
  is_usual_ = false;
  const auto has = [&](std::string_view name) {
    return std::find(columns_.begin(), columns_.end(), name) != columns_.end();
  };
  host_time_ = has("cputime");
  dated_ = has("timestamp");
  return true;
}

bool NcclRows::is_without_header(const Words& words) const {
  const bool is_size = words.size() == std::size(kUsual) || words.size() + 1 == std::size(kUsual);
  if ((!columns_.empty() && !is_usual_) || !is_size) return false;
  return parse_integer(words[0]).value_or(0) >= 1 && parse_integer(words[1]).has_value() &&
         is_among(words[2], kTypes) && is_among(words[3], kReductions);
}

bool NcclRows::take_usual_columns(const Words& words) {
  std::vector<std::string> usual(std::begin(kUsual), std::end(kUsual));
  if (words.size() < usual.size()) std::erase(usual, "root");
  if (is_usual_ && columns_ != usual) return false;
  columns_ = std::move(usual);
  is_usual_ = true;
  for (std::size_t side = 0; side < kSides; ++side) {
    const auto time = *word_at(words, "time", side), algbw = *word_at(words, "algbw", side);
    if (time != "N/A" && !is_bandwidth(*parse_integer(words[0]), time, algbw)) return false;
  }
  return true;
}

/// Of the columns of a name the first is the one out of place, the next the one in place.
std::optional<std::string_view> NcclRows::word_at(const Words& words, std::string_view column,
                                                  std::size_t side) const {
  auto found = std::find(columns_.begin(), columns_.end(), column);
  for (; side > 0 && found != columns_.end(); --side)
    found = std::find(found + 1, columns_.end(), column);
  if (found == columns_.end()) return std::nullopt;
  return words[static_cast<std::size_t>(found - columns_.begin())];
}

std::optional<double> NcclRows::at(const Words& words, std::string_view column,
                                   std::size_t side) const {
  const auto word = word_at(words, column, side);
  return word ? positive(*word) : std::nullopt;
}

/// A row that another program's line cut, and one without figures out of place, has fewer words.
bool NcclRows::is_row(const Words& words) const {
  const std::size_t words_of_row = columns_.size() + (dated_ ? 1 : 0);  // a date has two
  if (columns_.empty() || words.size() != words_of_row) return false;
  return parse_integer(words[0]).value_or(0) >= 1 && parse_integer(words[1]).has_value();
}

std::optional<CanaryAllReduce> NcclRows::row(const Words& words) const {
  if (!is_row(words)) return std::nullopt;
  const auto time = at(words, host_time_ ? "cputime" : "time"), busbw = at(words, "busbw");
  if (!time || !busbw) return std::nullopt;
  return CanaryAllReduce{*parse_integer(words[0]), at(words, "i_min"), *time, at(words, "i_p99"),
                         *busbw};
}

std::optional<Collective> NcclRows::measured_at(const Words& words, std::size_t side) const {
  const auto time = at(words, "time", side);
  if (!time) return std::nullopt;
  Collective measured;
  measured.bytes = *parse_integer(words[0]);
  measured.in_place = side == 1;
  measured.number_type = printable(word_at(words, "type", 0).value_or(""));
  measured.time_us = *time;
  measured.algbw_gb_per_s = at(words, "algbw", side);
  measured.busbw_gb_per_s = at(words, "busbw", side);
  if (const auto wrong = word_at(words, "#wrong", side)) measured.wrong = parse_integer(*wrong);
  return measured;
}

std::vector<Collective> NcclRows::measured(const Words& words, std::string_view operation) const {
  std::vector<Collective> sides;
  if (!is_row(words) || !at(words, "time")) return sides;
  for (std::size_t side = 0; side < kSides; ++side) {
    auto measured = measured_at(words, side);
    if (!measured) continue;
    measured->operation = operation;
    sides.push_back(*std::move(measured));
  }
  return sides;
}

}  // namespace pippin
