// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/canary.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/text.h"

namespace pippin {

namespace {

using Json = nlohmann::json;

constexpr std::int64_t kFormat = 1;
constexpr std::size_t kLongestProblem = 300;
constexpr std::string_view kNumber = "canary=", kTaken = " taken=", kExit = "exit=";

/// A value of the object, and what it is called in a message: "gemm: m".
struct Entry {
  std::string name;
  const Json& value;

  Entry at(const char* key) const {
    const std::string path = name.empty() ? key : fmt::format("{}: {}", name, key);
    const auto found = value.find(key);
    if (found == value.end()) bad_input("{} is missing", path);
    return {path, *found};
  }
};

double number_in(const Entry& entry) {
  const bool sound = entry.value.is_number() && std::isfinite(entry.value.get<double>()) &&
                     entry.value.get<double>() >= 0;
  if (!sound) bad_input("{} must be a number from 0 on", entry.name);
  return entry.value.get<double>();
}

std::int64_t count_in(const Entry& entry, std::int64_t low) {
  const bool whole = entry.value.is_number_unsigned() &&
                     entry.value.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX) &&
                     entry.value.get<std::int64_t>() >= low;
  if (!whole) bad_input("{} must be a whole number from {} on", entry.name, low);
  return entry.value.get<std::int64_t>();
}

std::string text_in(const Entry& entry) {
  if (!entry.value.is_string()) bad_input("{} must be a text", entry.name);
  std::string text = printable(entry.value.get<std::string>());
  if (text.empty()) bad_input("{} is empty", entry.name);
  return text;
}

const Entry& object(const Entry& entry) {
  if (!entry.value.is_object()) bad_input("{} must be an object", entry.name);
  return entry;
}

std::vector<Entry> items_of(const Entry& entry) {
  if (!entry.value.is_array()) bad_input("{} must be a list", entry.name);
  std::vector<Entry> items;
  items.reserve(entry.value.size());
  for (const auto& item : entry.value) {
    items.push_back({fmt::format("{}[{}]", entry.name, items.size()), item});
    object(items.back());
  }
  return items;
}

CanaryGemm gemm_in(const Entry& entry) {
  object(entry);
  CanaryGemm gemm;
  gemm.m = count_in(entry.at("m"), 1);
  gemm.n = count_in(entry.at("n"), 1);
  gemm.k = count_in(entry.at("k"), 1);
  gemm.min_tflops = number_in(entry.at("tflops_min"));
  gemm.median_tflops = number_in(entry.at("tflops_median"));
  gemm.max_tflops = number_in(entry.at("tflops_max"));
  gemm.slowest_rank = count_in(entry.at("slowest_rank"), 0);
  gemm.slowest_host = text_in(entry.at("slowest_host"));
  return gemm;
}

/// Readings from before the probe said so have none.
std::vector<CanaryNode> nodes_in(const Entry& gemm) {
  std::vector<CanaryNode> nodes;
  if (!gemm.value.contains("by_node")) return nodes;
  const Entry by_node = gemm.at("by_node");
  std::set<std::string> seen;
  for (const auto& item : items_of(by_node)) {
    CanaryNode& node = nodes.emplace_back();
    node.name = text_in(item.at("node"));
    node.ranks = text_in(item.at("ranks"));
    node.min_tflops = number_in(item.at("tflops_min"));
    node.median_tflops = number_in(item.at("tflops_median"));
    if (!seen.insert(node.name).second) bad_input("{} has {} twice", by_node.name, node.name);
  }
  return nodes;
}

std::vector<CanaryAllReduce> all_reduce_in(const Entry& entry) {
  std::vector<CanaryAllReduce> sizes;
  std::set<std::int64_t> seen;
  for (const auto& item : items_of(entry)) {
    CanaryAllReduce& size = sizes.emplace_back();
    size.bytes = count_in(item.at("bytes"), 1);
    if (!seen.insert(size.bytes).second) bad_input("{} has {} bytes twice", entry.name, size.bytes);
    size.min_us = number_in(item.at("time_us_min"));
    size.median_us = number_in(item.at("time_us_median"));
    size.p99_us = number_in(item.at("time_us_p99"));
    size.median_busbw_gb_per_s = number_in(item.at("busbw_gbs_median"));
  }
  return sizes;
}

std::vector<CanaryPair> pairs_in(const Entry& entry) {
  std::vector<CanaryPair> pairs;
  std::set<std::pair<std::string, std::string>> seen;
  for (const auto& item : items_of(entry)) {
    CanaryPair& pair = pairs.emplace_back();
    pair.a = text_in(item.at("a"));
    pair.b = text_in(item.at("b"));
    pair.gb_per_s = number_in(item.at("gbs"));
    if (item.value.contains("bytes")) pair.bytes = count_in(item.at("bytes"), 1);
    if (item.value.contains("iterations")) pair.repetitions = count_in(item.at("iterations"), 1);
    if (!seen.insert({pair.a, pair.b}).second)
      bad_input("{} has {} and {} twice", entry.name, pair.a, pair.b);
  }
  return pairs;
}

/// The number after `name` in "canary=3 taken=1700000000".
std::optional<std::int64_t> field(std::string_view line, std::string_view name) {
  const auto at = line.find(name);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view rest = line.substr(at + name.size());
  return parse_integer(rest.substr(0, rest.find(' ')));
}

/// Takes the last line off that is not empty; empty where there is none.
std::string_view take_last_line(std::string_view& text) {
  text = trim(text);
  const auto end = text.find_last_of('\n');
  const std::string_view line = end == std::string_view::npos ? text : text.substr(end + 1);
  text = text.substr(0, end == std::string_view::npos ? 0 : end);
  return trim(line);
}

std::string shown(std::string_view line) { return printable(line.substr(0, kLongestProblem)); }

}  // namespace

CanaryFigures read_canary_figures(std::string_view json) {
  const Json value = Json::parse(json, nullptr, false);
  if (value.is_discarded()) bad_input("broken JSON: {}", shown(json));
  const Entry root{"", value};
  if (!value.is_object()) bad_input("not an object: {}", shown(json));
  const std::int64_t format = count_in(root.at("canary"), 1);
  if (format != kFormat) {
    bad_input("canary is {}, and this pippin reads {}; use the pippin that the probe came with",
              format, kFormat);
  }
  CanaryFigures figures;
  figures.seconds = number_in(root.at("seconds"));
  figures.ranks = count_in(root.at("ranks"), 1);
  figures.nodes = count_in(root.at("nodes"), 1);
  // Readings from before the probe said so have none.
  if (value.contains("library")) figures.library = text_in(root.at("library"));
  figures.gemm = gemm_in(root.at("gemm"));
  figures.by_node = nodes_in(root.at("gemm"));
  figures.all_reduce = all_reduce_in(root.at("all_reduce"));
  figures.pairs = pairs_in(root.at("pairs"));
  return figures;
}

std::optional<CanaryReading> read_canary(std::string_view text) {
  const std::string_view head = text.substr(0, text.find('\n'));
  const auto number = field(head, kNumber), taken_at = field(head, kTaken);
  if (!head.starts_with(kNumber) || !number || !taken_at || head.size() == text.size())
    return std::nullopt;
  CanaryReading reading{*number, *taken_at, {}, {}};
  std::string_view printed = text.substr(head.size());
  std::string_view line = take_last_line(printed);
  if (line.starts_with(kExit)) {
    const std::string_view said = take_last_line(printed), code = line.substr(kExit.size());
    reading.problem = fmt::format("exit {}{}{}", code, said.empty() ? "" : ": ", shown(said));
    return reading;
  }
  // Launchers and libraries may have the last word.
  while (!line.starts_with('{') && !printed.empty()) line = take_last_line(printed);
  if (!line.starts_with('{')) return std::nullopt;
  try {
    reading.figures = read_canary_figures(line);
  } catch (const Error& error) {
    reading.problem = error.what();
  }
  return reading;
}

}  // namespace pippin
