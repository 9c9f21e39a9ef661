// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/random.h"
#include "db/database.h"
#include "tests/calibration/clusters.h"

namespace pippin::calibration {

/// What is true of a cluster on which campaigns of one sweep ran. Levels and spreads are of
/// ln(time). A step computes 700 ms at the pace of its slowest node and sends for 300 ms at that of
/// its slowest network or link; a row computes 10 % more than the one before.
struct Lies {
  std::int64_t seed = 1;
  std::int64_t campaigns = 1, allocations = 12, runs = 1, rows = 3, lines = 20;
  std::int64_t nodes = 16, per_job = 4;
  Placement placement = Placement::kRandom;
  double hours_apart = 5;  ///< from one allocation to the next
  double day_sd = 0, allocation_sd = 0.01, run_sd = 0.005, iteration_sd = 0.02;
  double healthy_gpu_sd = 0.006, healthy_network_sd = 0.02;
  double congestion_sd = 0.1;   ///< of what is sent
  double congestion_hours = 0;  ///< memory of it: after so long 1/e is left
  double daily = 0;             ///< amplitude of all; at its highest at 15 h
  double drift_per_day = 0;     ///< of all
  std::int64_t change_day = 0;  ///< from which on, counted from 0, all is `change` slower
  double change = 0;
  double slow_gpu = 1;                         ///< of node 7: a factor of its time
  double slow_network = 1;                     ///< of node 12
  double slow_link = 1;                        ///< of what nodes 2 and 3 send each other
  double tail_share = 0, tail = 1.5;           ///< of allocations: a factor of what is sent
  double throttled_share = 0, throttle = 1.2;  ///< of runs: a factor from their middle on
  double failed_share = 0;  ///< of runs: out of memory after 3 lines, late, or never seen
  std::int64_t warmup = 1;  ///< lines that take `warmup_factor` as long
  double warmup_factor = 1.5;
  double rounding_ms = 0;  ///< of the log
  bool canaries = true;
  double last_campaign = 0;      ///< by which all rows of the last campaign are slower
  double last_campaign_row = 0;  ///< by which its first row is slower beside that
};

/// Reads NAME=VALUE. Errors: Error (bad input) where there is no such truth.
void set(Lies& lies, const std::string& word);

/// Fills a database with the campaigns of a sweep "lying", as jobs would have left them.
void fill(Database& database, const Lies& lies);

}  // namespace pippin::calibration
