// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "slurm/describe.h"
#include "slurm/limits.h"

namespace pippin::slurm {

/// What Slurm's programs say of the cluster that this machine belongs to.
struct Survey {
  std::vector<std::string> missing;  ///< programs that pippin calls and that are not on PATH
  std::string version;               ///< of the programs; empty where they do not say
  std::string trouble;               ///< why Slurm could not be asked; empty where it could
  double clock_ahead_s = 0;          ///< this machine's clock against the controller's
  Controller controller;
  std::vector<Partition> partitions;
  std::vector<Nodes> nodes;

  bool has_programs() const;
};

/// Asks; a controller that does not answer is asked once. `hidden`: also of partitions that are
/// hidden or not the user's.
Survey survey(bool hidden);

/// What accounting knows of the user; all empty without accounting.
struct OwnPlace {
  std::string trouble;                ///< why it could not be asked; empty where it could
  std::string account;                ///< the default
  std::vector<std::string> accounts;  ///< all
  std::vector<std::string> qos;
  SubmitLimit limit;
};
OwnPlace own_place(const Controller& controller);

/// What limits submitted jobs there, but for `associations`, and these: limits and their use.
/// `trouble`: why nobody says.
LimitAnswers ask_limits(const std::string& cluster, std::string& trouble);
std::string ask_use_of_limits();

/// srun's plugin for MPI by PMIx: "pmix"; empty where there is none.
std::string own_pmix();

}  // namespace pippin::slurm
