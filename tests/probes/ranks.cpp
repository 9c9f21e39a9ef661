// SPDX-License-Identifier: Apache-2.0
#include "tests/probes/ranks.h"

#include <sstream>

#include "probes/comm/session.h"
#include "tests/support/skip.h"

namespace pippin::test {

namespace {

/// Else they meet by themselves.
bool launches_by_mpirun() {
  return probes::Session::library() != "none" && !find_program("mpirun").empty();
}

void append(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// Nothing of a launcher around this test; root may launch; Open MPI leaks, which is not ours, and
/// version 5 says so where two ranks do not reach each other over every network.
Words clean_environment() {
  return {"env",
          "-u",
          "OMPI_COMM_WORLD_SIZE",
          "-u",
          "PMI_SIZE",
          "-u",
          "WORLD_SIZE",
          "-u",
          "PROBES_RENDEZVOUS",
          "-u",
          "SLURM_STEP_NUM_TASKS",
          "-u",
          "SLURMD_NODENAME",
          "OMPI_ALLOW_RUN_AS_ROOT=1",
          "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
          "OMPI_MCA_orte_abort_print_stack=0",
          "OMPI_MCA_btl_tcp_if_include=lo",
          "ASAN_OPTIONS=detect_leaks=0"};
}

}  // namespace

Outcome run_ranks(int ranks, const Words& command) {
  Words words = clean_environment();
  const std::string number = std::to_string(ranks);
  if (ranks > 1 && launches_by_mpirun())
    append(words, {"mpirun", "-n", number, "--oversubscribe"});
  else if (ranks > 1)
    append(words, {LAUNCH_ALONE, number});
  append(words, command);
  return run_program(words);
}

Outcome run_nodes(const Words& nodes, const Words& command) {
  Words words = clean_environment();
  std::string names;
  for (const auto& node : nodes) names += node + " ";
  if (!launches_by_mpirun()) {
    append(words, {"NODES=" + names, LAUNCH_ALONE, std::to_string(nodes.size()) + "/1"});
    append(words, command);
    return run_program(words);
  }
  // One program for all: Debian 13's mpirun (5.0.7) crashes where they are separated by colons.
  append(words, {"mpirun", "--oversubscribe", "-n", std::to_string(nodes.size()), "bash", "-c",
                 "nodes=($0); SLURMD_NODENAME=${nodes[OMPI_COMM_WORLD_RANK]} exec \"$@\"", names});
  append(words, command);
  return run_program(words);
}

Words lines_of(const std::string& text) {
  Words lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Words words_of(const std::string& line) {
  Words words;
  std::istringstream stream(line);
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

}  // namespace pippin::test
