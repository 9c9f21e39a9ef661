// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/files.h"

namespace pippin {

/// How one run on a node ended, or what else a job of that one node did there. Jobs write them
/// (script/bad_node.bash), and pippin what only the scheduler knows.
struct NodeEvent {
  std::int64_t time = 0;  ///< seconds since 1970
  /// "ok", "failed", "memory": a run ended so, the last as memory ran out; "prolog": the job's
  /// prolog failed; "began": a job comes to its first run; "left": it ran nothing more, as the node
  /// is bad; "lost": the scheduler says that the node failed under a run.
  std::string kind;
  std::string name;     ///< the run; of "prolog", "began" and "left" the job's task: "task=3"
  std::string attempt;  ///< "2-4711-0": submission and job
  std::int64_t seconds = 0;
  std::string words;  ///< of one that failed: the exit code and its log's last line
  bool failed() const { return kind == "failed" || kind == "prolog" || kind == "lost"; }
  std::int64_t submission() const;
  std::int64_t task() const;  ///< 0: its name is none
  /// What failures on one node are told apart by: the run's point, of a prolog its job.
  std::string point() const;
};

/// What is known of one node, oldest first.
struct NodeHistory {
  std::string node;
  std::vector<NodeEvent> events;
};

/// That a node is bad, or that a person allows it again.
struct NodeMark {
  std::string node;
  bool bad = false;
  std::int64_t time = 0;  ///< seconds since 1970; failures up to then count no more when allowed
  std::string by;         ///< "job 4711-0", "pippin", "alice"
  std::string because;    ///< a person's words
  std::vector<NodeEvent> events;  ///< what it was found bad by
};
/// "3 runs in a row failed on it while others went on elsewhere; the last: exit 1: no GPU", or why
/// a person says so.
std::string text_of(const NodeMark& mark);

/// The files of a sweep that tell of its nodes:
///
///   nodes/NODE        what jobs of this one node noted, a NodeEvent a line with tabs between
///   nodes-lost/NODE   … what pippin noted
///   bad-nodes/NODE    by rename: "found=1700000000 by=job 4711-0" and the events that it was found
///                     by, "found=1700000000 by=alice because=TEXT", or "allowed=… by=… because=…"
class NodeFiles {
 public:
  NodeFiles(FileSystem& files, fs::path root) : files_(files), root_(std::move(root)) {}

  /// Of every node of which something is known, in the order of their names.
  std::vector<NodeHistory> histories();
  /// In the order of the nodes' names.
  std::vector<NodeMark> marks();
  void mark(const NodeMark& mark);
  /// Adds what the scheduler says of a node.
  void add_lost(const std::string& node, const NodeEvent& event);

 private:
  std::vector<NodeEvent> events(const fs::path& file);

  FileSystem& files_;
  fs::path root_;
};

}  // namespace pippin
