#pragma once

#include <string>
#include <vector>

#include "core/base/random.h"

namespace pippin::calibration {

/// What one simulated sweep came to: whether what was hoped for happened, and whether it could.
struct Outcome {
  bool hit = false;
  bool counts = true;
};

/// A kind of simulated sweep with a question that has a right answer.
struct Kind {
  std::string name;            ///< what is simulated
  std::string question;        ///< of which sweeps are counted
  double least = 0, most = 1;  ///< between which the share should lie
  Outcome (*simulate)(Random& random);
};

const std::vector<Kind>& comparing_kinds();
const std::vector<Kind>& blaming_kinds();

}  // namespace pippin::calibration
