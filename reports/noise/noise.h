// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "core/records/evidence.h"
#include "core/records/summary.h"
#include "reports/statistics/time_of_day.h"

namespace pippin {

/// How much times vary at one level.
struct NoiseLevel {
  std::string level;         ///< "day", "allocation", "run", "iteration"; or "allocation and run"
  double sd = 0;             ///< of ln(time): 0.08 is 8 %
  double low = 0, high = 0;  ///< its 95 % interval
  double share = 0;          ///< of the whole variance
};

/// Shares of the variance within configurations.
struct NoiseCauses {
  double network = 0, compute = 0, unexplained = 1;
  double p = 1;  ///< of the canaries explaining so much by chance
};

/// A node, a link, or nodes that were always together, that make runs slower.
struct Suspect {
  std::vector<std::string> nodes;  ///< one; two of a link; more of a group
  bool is_link = false;
  std::string kind;       ///< "network", "compute", "unknown"
  double effect = 0;      ///< ln of how much longer it makes what was measured
  std::string effect_on;  ///< "step time", "all-reduce", "GEMM", "bandwidth"
  double p_adjusted = 1;
  std::size_t allocations_with = 0, allocations_without = 0;
  std::vector<std::string> evidence;  ///< a sentence each
};

/// By how much longer steps take with a node, or what is sent over a link, whether that is
/// anybody's fault or chance. Logarithms; nothing else is adjusted for than the other nodes.
struct MachineEffect {
  std::vector<std::string> nodes;        ///< one; two of a link
  double effect = 0, low = 0, high = 0;  ///< with its 95 % interval
  std::size_t with = 0;                  ///< allocations, or readings, that had it
};

/// A day from which on times are at another level.
struct ChangePoint {
  std::string day;
  double ratio = 1;  ///< the new level by the one before
};

/// Where the noise of a selection of runs comes from.
struct Noise {
  std::string selection;  ///< what people call it
  std::size_t runs = 0, allocations = 0, days = 0, configurations = 0, nodes = 0;
  std::vector<NoiseLevel> levels;  ///< highest first; empty where nothing was repeated
  std::optional<NoiseCauses> causes;
  std::string no_causes_because;
  std::vector<Suspect> suspects;  ///< the surest first
  std::string no_suspects_because;
  std::vector<MachineEffect> effects;  ///< of all nodes and links of which it can be told
  TimeOfDay time_of_day;
  std::vector<ChangePoint> change_points;
  std::string no_change_points_because;
  std::string set_aside;  ///< which runs are not in it: "1 run is dropped: its node was broken"
};

/// Looks for the causes of noise in runs that went well.
/// Requires digested runs. `evidence` is of the same selection, in any order.
Noise noise_of(const std::string& selection, const std::vector<PointSamples>& points,
               const Evidence& evidence);

std::string sentence_on(const Suspect& suspect);

/// What it comes to, in plain sentences.
std::vector<std::string> sentences_of(const Noise& noise);

/// A noise as it is written down.
struct NoiseTable {
  Noise noise;
  std::size_t width = 100;  ///< columns that a line may take; 0: any
  bool colours = false;     ///< only on a terminal
};

struct NoiseFormat {
  std::string name;
  void (*write)(const NoiseTable& table, std::ostream& out);  ///< nullptr: a page (page/page.h)
};

/// Errors: Error (bad input) naming the near format where there is none of that name.
const NoiseFormat& noise_format_named(const std::string& name);

void write_noise_terminal(const NoiseTable& table, std::ostream& out);
void write_noise_markdown(const NoiseTable& table, std::ostream& out);
void write_noise_csv(const NoiseTable& table, std::ostream& out);
void write_noise_json(const NoiseTable& table, std::ostream& out);

}  // namespace pippin
