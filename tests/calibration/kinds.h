// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "core/base/random.h"

namespace pippin::calibration {

/// What one simulated sweep came to: whether what was hoped for happened, and whether it could.
struct Outcome {
  bool hit = false;
  bool counts = true;
  double amount = 0;  ///< of kinds that ask how much
};

/// A kind of simulated sweep with a question that has a right answer.
struct Kind {
  std::string name;            ///< what is simulated
  std::string question;        ///< of which sweeps are counted
  double least = 0, most = 1;  ///< between which the share should lie
  Outcome (*simulate)(Random& random);
  bool how_much = false;  ///< the mean of the amounts is asked for, not how often something hit
};

/// What so many sweeps of a kind came to: a share, or a mean.
double result_of(const Kind& kind, int sweeps, Random& random);

const std::vector<Kind>& reporting_kinds();
const std::vector<Kind>& comparing_kinds();
const std::vector<Kind>& blaming_kinds();
/// What other ways to judge say of the same.
const std::vector<Kind>& others_kinds();

}  // namespace pippin::calibration
