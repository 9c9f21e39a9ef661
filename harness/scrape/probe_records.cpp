// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/probe_records.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "harness/scrape/canary.h"
#include "harness/scrape/table_reader.h"

namespace pippin {

namespace {

using Json = nlohmann::json;

std::string text_at(const Json& record, const char* key) {
  const auto found = record.find(key);
  return found != record.end() && found->is_string() ? printable(found->get<std::string>()) : "";
}

std::optional<double> positive_at(const Json& record, const char* key) {
  const auto found = record.find(key);
  if (found == record.end() || !found->is_number() || !(found->get<double>() > 0))
    return std::nullopt;
  return found->get<double>();
}

std::optional<std::int64_t> count_at(const Json& record, const char* key) {
  const auto found = record.find(key);
  if (found == record.end() || !found->is_number_integer() || found->get<std::int64_t>() < 1)
    return std::nullopt;
  return found->get<std::int64_t>();
}

void read_canary_record(std::string_view line, CanaryFigures& table) {
  try {
    table = read_canary_figures(line);
  } catch (const Error&) {
    table = {};  // of another version, or broken
  }
}

void read_pair_record(const Json& record, CanaryFigures& table) {
  const std::string a = text_at(record, "a"), b = text_at(record, "b");
  const auto speed = positive_at(record, "gbs");
  if (a.empty() || b.empty() || !speed) return;
  table.library = text_at(record, "library");
  add_pair(table, {a, b, *speed, count_at(record, "bytes"), count_at(record, "iterations")});
}

/// The means, as those of nccl-tests.
void read_measured(const Json& record, CanaryFigures& table) {
  const auto bytes = count_at(record, "bytes"), ranks = count_at(record, "ranks");
  const auto time = positive_at(record, "time_us");
  Collective measured;
  measured.operation = text_at(record, "operation");
  if (!bytes || !ranks || !time || measured.operation.empty()) return;
  table.ranks = *ranks;
  table.library = text_at(record, "library");
  measured.bytes = *bytes;
  const auto in_place = record.find("in_place");
  if (in_place != record.end() && in_place->is_boolean()) measured.in_place = in_place->get<bool>();
  measured.number_type = text_at(record, "datatype");
  measured.time_us = *time;
  measured.algbw_gb_per_s = positive_at(record, "algbw_gbs");
  measured.busbw_gb_per_s = positive_at(record, "busbw_gbs");
  const auto wrong = record.find("wrong");
  if (wrong != record.end() && wrong->is_number_integer())
    measured.wrong = wrong->get<std::int64_t>();
  table.collectives.push_back(std::move(measured));
}

/// The quantiles, which only ours have.
void read_spread(const Json& record, CanaryFigures& table) {
  const auto bytes = count_at(record, "bytes"), ranks = count_at(record, "ranks");
  const auto median = positive_at(record, "call_us_median");
  const auto busbw = positive_at(record, "busbw_gbs_median");
  if (!bytes || !ranks || !median || !busbw) return;
  table.ranks = *ranks;
  table.library = text_at(record, "library");
  add_size(table.all_reduce, {*bytes, positive_at(record, "call_us_min"), *median,
                              positive_at(record, "call_us_p99"), *busbw});
}

}  // namespace

void read_probe_record(std::string_view line, CanaryFigures& table) {
  const Json record = Json::parse(line, nullptr, false);
  if (!record.is_object()) return;
  if (record.contains("canary")) return read_canary_record(line, table);
  const std::string kind = text_at(record, "record");
  if (kind == "pair") read_pair_record(record, table);
  if (kind == "collective") read_measured(record, table);
  const bool out_of_place = record.contains("in_place") && record["in_place"] == false;
  if (kind == "collective" && out_of_place && text_at(record, "operation") == "all_reduce")
    read_spread(record, table);
}

void add_pair(CanaryFigures& table, const CanaryPair& pair) {
  table.pairs.push_back(pair);
  for (const auto& name : {pair.a, pair.b}) {
    const auto same = [&](const auto& node) { return node.name == name; };
    auto& nodes = table.by_node;
    if (std::none_of(nodes.begin(), nodes.end(), same)) nodes.push_back({name, "", {}, {}});
  }
}

}  // namespace pippin
