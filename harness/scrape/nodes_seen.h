// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/records/run.h"

namespace pippin {

/// What the lines of a log tell of the nodes that a launch is on.
class NodesSeen {
 public:
  /// The texts to look for, in the order of `sign` below.
  static std::vector<std::string_view> signs();

  /// A whole line in which sign number `sign` occurs, after `iterations` lines of iterations.
  void see(std::size_t sign, std::string_view line, std::size_t iterations);

  /// "SLURM_JOB_NODELIST=n[1-4]", or "   NodeList=n[1-4]" as scontrol shows a job. A variable that
  /// is not expanded, or "(null)", is no list.
  void read_list(std::string_view line);
  /// "n1:3144:3144 [0] NCCL INFO Bootstrap : …", which every process of a launch may print.
  void read_nccl(std::string_view line);
  /// " > ranks: 0-3 on n1 | 4-7 on n2", of our own probe.
  void read_ranks(std::string_view line);
  /// " slowest rank: 5 on n2 | computing (ms): 1.40 | mean of all ranks (ms): 1.28".
  void read_slowest(std::string_view line);

  /// What a later launch of the same job takes over: the list, unless launches of it have named a
  /// million nodes by then.
  NodesSeen of_job() const;

  /// By the ranks' own words, else by the list, else by whoever spoke.
  std::vector<RunNode> nodes() const;
  std::vector<SlowestRank> slowest_ranks() const;

 private:
  /// Of the newest list that is one.
  std::vector<RunNode> listed() const;

  std::vector<RunNode> placed_, heard_;
  std::vector<std::string> lists_;         // as they are written, the newest last
  std::size_t listed_before_ = 0;          // nodes, in launches before this one
  std::unordered_set<std::string> known_;  // names of heard_
  std::map<std::pair<std::int64_t, std::string>, SlowestRank> slowest_;  // sums
};

}  // namespace pippin
