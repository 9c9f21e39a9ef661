// SPDX-License-Identifier: Apache-2.0
// What Slurm's programs print, and lists of hosts.
//
// Shape: a byte that chooses the reader, then the answer; where several answers belong together
// they are parted by a line "===".
#include <optional>
#include <string>
#include <string_view>

#include "core/base/host_list.h"
#include "slurm/answers.h"
#include "slurm/cluster_text.h"
#include "slurm/describe.h"
#include "slurm/kinds.h"
#include "slurm/limits.h"
#include "sweeps/cluster_file.h"
#include "tests/fuzz/input.h"

using namespace pippin;
using namespace pippin::slurm;

namespace {

void read_entries(const std::vector<Entry>& entries) {
  for (const auto& entry : entries) {
    status_of(entry);
    remedy_of(entry.reason);
    for (const auto& range : entry.tasks)
      fuzz::expect(range.count() >= 0, "no range has less than no task");
  }
}

void read_config(fuzz::Input& input) {
  const std::string_view config = input.up_to("===\n");
  controller_of(config);
  enforces_limits(config);
  const std::string_view queue = input.up_to("===\n");
  const Queued queued = queued_of(queue, input.up_to("===\n"));
  LimitAnswers answers;
  answers.users = input.up_to("===\n");
  answers.qualities = input.up_to("===\n");
  answers.partitions = input.up_to("===\n");
  answers.associations = input.rest();
  const SubmitLimit limit = submit_limit_of(answers, {"anna", 1000, {"six", "", "batch"}});
  fuzz::expect(limit.left >= 0, "no limit leaves less than no job");
  const Room room = room_of(config, queued, limit);
  fuzz::expect(room.tasks >= 0 && room.tasks_per_job >= 0, "there is no less than no room");
  room_of(config, queued, submit_limit_of(answers, {"anna", 1000, {}}));
}

ClusterFacts facts_of(const Partition& partition, const Kind& kind) {
  ClusterFacts facts;
  facts.cluster = "hpc";
  facts.version = "22.05.8";
  facts.asked_on = "2026-11-20";
  facts.partition = partition;
  facts.kind = kind;
  facts.pmix = "pmix";
  return facts;
}

std::optional<YamlNode> yaml_of(const std::string& text) {
  std::optional<YamlNode> root;
  fuzz::refusable([&] { root = parse_yaml(text, "written.yaml"); });
  return root;
}

/// A cluster file for each kind of nodes: whatever Slurm calls things, it can be read. A number
/// that no cluster has may be refused.
void describe(fuzz::Input& input) {
  const auto partitions = read_partitions(input.up_to("===\n"));
  const auto nodes = read_nodes(input.up_to("===\n"));
  const auto all = with_reserved(nodes, input.rest());
  for (const auto& partition : partitions) {
    for (const auto& kind : kinds_of(all, partition)) {
      if (!kind.left_out.empty()) continue;
      shape_of(kind.node, partition);
      const std::string text = cluster_text(facts_of(partition, kind));
      const auto root = yaml_of(text);
      fuzz::expect(root && root->find("cluster") && root->find("launch"),
                   "a cluster file that doctor writes can be read");
      fuzz::refusable([&] { load_cluster(*root, ""); });
    }
  }
}

void read_hosts(std::string_view list) {
  const auto names = host_names(list);
  if (!names) return;
  std::string joined;
  for (const auto& name : *names) joined += (joined.empty() ? "" : ",") + name;
  const auto again = host_names(joined);
  fuzz::expect(again.has_value() && *again == *names, "the names of a list are a list of the same");
}

void read_small_things(std::string_view text) {
  tasks_of(text);
  gpus_of(text);
  pmix_of(text);
  version_of(text);
  credential_life_s(text);
  config_value(text, "MaxArraySize");
  remedy_of(text);
}

void read_said(fuzz::Input& input) {
  const int code = input.byte() % 4;
  const std::string_view output = input.up_to("===\n");
  read_submission(code, output, input.rest());
}

void read(std::uint8_t reader, fuzz::Input& input) {
  switch (reader % 8) {
    case 0:
    case 2:
      return read_entries(read_queue(input.rest()));
    case 1:
      return read_entries(read_accounting(input.rest()));
    case 3:
      return read_config(input);
    case 4:
      return describe(input);
    case 5:
      return read_hosts(input.rest());
    case 6:
      return read_small_things(input.rest());
    default:
      return read_said(input);
  }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  return fuzz::read_chosen(data, size, read);
}
