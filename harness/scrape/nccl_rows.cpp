#include "harness/scrape/nccl_rows.h"

#include <algorithm>
#include <iterator>

#include "core/base/text.h"
#include "harness/scrape/table_reader.h"

namespace pippin {

namespace {

constexpr std::string_view kProgramEnd = "_perf";
constexpr std::string_view kCollectives[] = {
    "all_reduce", "all_gather", "alltoall",       "alltoallv", "broadcast", "gather",
    "hypercube",  "reduce",     "reduce_scatter", "scatter",   "sendrecv"};

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }

bool is_collective(std::string_view name) {
  return std::find(std::begin(kCollectives), std::end(kCollectives), name) !=
         std::end(kCollectives);
}

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

bool NcclRows::read_header(const Words& words) {
  if (words.size() < 3 || words[1] != "size" || words[2] != "count") return false;
  columns_.assign(words.begin() + 1, words.end());
  const auto has = [&](std::string_view name) {
    return std::find(columns_.begin(), columns_.end(), name) != columns_.end();
  };
  host_time_ = has("cputime");
  dated_ = has("timestamp");
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
  constexpr std::size_t kSides = 2;
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
