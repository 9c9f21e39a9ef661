// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>
#include <string>

#include "db/database.h"
#include "harness/scrape/scrape.h"
#include "tests/harness/scrape/sample_log.h"

namespace pippin::test {

/// A log with rows first…last; `shift` tells logs apart that are else alike.
inline std::string log_of(int first, int last, double shift = 0) {
  std::string log = dump();
  for (int number = first; number <= last; ++number) log += row(number, 100 + number + shift);
  return log;
}

inline Added add(Database& database, const fs::path& path, const std::string& text) {
  return database.add_foreign_log({path, text}, scrape(text));
}

inline Point point_named(const std::string& name, std::int64_t tp) {
  Point point;
  point.name = name;
  point.trainer = "replay";
  point.model.size = "52B";
  point.layout.tp = tp;
  point.layout.gpus = 4;
  point.axes = {{"zero", value_of(1.0)}, {"offload", Value{"none", {}}}};
  point.id = point_id(point);
  return point;
}

/// Campaign 1 of sweep "gpt" with a point that can run and one that cannot.
inline CampaignRecord campaign_of(std::int64_t number = 1) {
  CampaignRecord campaign;
  campaign.sweep = "gpt";
  campaign.number = number;
  campaign.started = "2024-04-06T03:02:12Z";
  campaign.cluster = "local";
  campaign.order = "blocks";
  campaign.seed = 18446744073709551615u;
  campaign.warmup = 2;
  campaign.points = {{point_named("52b-tp2", 2), false, ""},
                     {point_named("52b-tp3", 3), true, "where: 4 % tp == 0"}};
  return campaign;
}

inline RunRecord run_of(const std::string& name, const std::string& log, std::int64_t attempt = 1) {
  RunRecord run;
  run.place = {"gpt", 1, "gpt-a1", 1, 1, 1};
  run.name = name;
  run.attempt = attempt;
  run.point_id = point_named("52b-tp2", 2).id;
  run.state = RunState::kOk;
  run.exit_code = 0;
  run.provenance.node_list = "n[1-4]";
  run.provenance.started_at = 1712372532;
  const auto runs = scrape(log);
  if (!runs.empty()) run.log = runs[0];
  return run;
}

/// A reading that tells by its TFLOPS which it is.
inline CanaryReading reading_of(std::int64_t number, double tflops = 1) {
  CanaryReading reading{number, 1700000000 + number, {}, CanaryFigures{}};
  CanaryFigures& figures = *reading.figures;
  figures.seconds = 4.9;
  figures.ranks = 8;
  figures.nodes = 2;
  figures.library = "NCCL 2.28.9";
  figures.gemm = {512, 256, 128, tflops, tflops + 1, tflops + 2, 3, "n2"};
  figures.all_reduce = {{8, 1, 1.2, 4, 0.01}, {4194304, 900, 1000, 1100, 7.3 * tflops}};
  figures.by_node = {{"n1", "0-3", tflops + 1, tflops + 1}, {"n2", "4-7", tflops, tflops + 1}};
  figures.pairs = {{"n1", "n2", 1.2, 4194304, 20}};
  return reading;
}

inline std::size_t runs_in(Database& database) {
  std::size_t count = 0;
  for (const auto& point : database.samples()) count += point.runs.size();
  return count;
}

}  // namespace pippin::test
