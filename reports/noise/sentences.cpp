// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <fmt/format.h>

#include "core/base/text.h"
#include "reports/noise/noise.h"
#include "reports/values.h"

namespace pippin {

namespace {

constexpr double kPercent = 100, kSure = 0.05;

std::string percent(double share) { return short_number(share * kPercent, 2) + " %"; }

/// An sd of logarithms as a percentage of the time.
std::string spread(double sd) { return percent(std::exp(sd) - 1); }

std::string counted(std::size_t count, const char* what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string range_of(const NoiseLevel& level) {
  const bool none = level.sd == 0;
  if (none) return fmt::format("at most {}", spread(level.high));
  return fmt::format("{}, surely {} to {}", spread(level.sd), spread(level.low),
                     spread(level.high));
}

/// "allocations and runs" of "allocation and run".
std::string units_of(const std::string& level) {
  constexpr std::string_view kJoint = " and ";
  const auto joint = level.find(kJoint);
  if (joint == std::string::npos) return level + "s";
  return fmt::format("{}s and {}s", level.substr(0, joint), level.substr(joint + kJoint.size()));
}

void add_levels(std::vector<std::string>& sentences, const Noise& noise) {
  const std::string of = fmt::format("{} of {} in {}", counted(noise.runs, "run"),
                                     counted(noise.configurations, "configuration"),
                                     counted(noise.allocations, "allocation"));
  if (noise.levels.empty()) {
    sentences.push_back(of + (noise.runs == 0 ? ": nothing to compare."
                                              : ": the times do not vary, or none was repeated."));
    return;
  }
  const NoiseLevel* largest = &noise.levels.front();
  for (const auto& level : noise.levels) {
    if (level.share > largest->share) largest = &level;
  }
  sentences.push_back(fmt::format("{}: most of the noise ({}) lies between {}: {}.", of,
                                  percent(largest->share), units_of(largest->level),
                                  range_of(*largest)));
}

void add_causes(std::vector<std::string>& sentences, const Noise& noise) {
  if (!noise.causes) {
    sentences.push_back("Network and compute cannot be told apart: " + noise.no_causes_because +
                        ".");
    return;
  }
  const NoiseCauses& causes = *noise.causes;
  if (causes.p > kSure) {
    sentences.push_back(fmt::format(
        "The canaries explain none of the variance within configurations (p = {:.2f}).", causes.p));
    return;
  }
  sentences.push_back(fmt::format(
      "Of the variance within configurations the network explains {}, compute {}; {} stays "
      "unexplained.",
      percent(causes.network), percent(causes.compute), percent(causes.unexplained)));
}

std::string name_of(const Suspect& suspect) {
  std::vector<std::string> names;
  for (const auto& node : suspect.nodes) names.push_back(printable(node));
  if (suspect.is_link) return "The link between " + names[0] + " and " + names[1];
  if (names.size() == 1) return "Node " + names[0];
  return fmt::format("One of the nodes {} (they were always together)", join(names, ", "));
}

void add_suspects(std::vector<std::string>& sentences, const Noise& noise) {
  for (const auto& suspect : noise.suspects) sentences.push_back(sentence_on(suspect));
  if (noise.suspects.empty())
    sentences.push_back("Suspect nodes or links: " + noise.no_suspects_because + ".");
}

void add_time_of_day(std::vector<std::string>& sentences, const Noise& noise) {
  constexpr double kMinutes = 60;
  const TimeOfDay& cycle = noise.time_of_day;
  if (!cycle.refused.empty()) {
    sentences.push_back("Time of day cannot be told: " + cycle.refused + ".");
    return;
  }
  if (cycle.p > kSure) {
    sentences.push_back(fmt::format("No daily cycle was found (p = {:.2f}).", cycle.p));
    return;
  }
  const int minutes = static_cast<int>(cycle.peak_hour * kMinutes);
  sentences.push_back(fmt::format(
      "Times follow the hour of the day by ±{}, and are longest at {:02}:{:02} UTC (p = {:.2g}).",
      spread(cycle.amplitude), minutes / 60, minutes % 60, cycle.p));
}

void add_changes(std::vector<std::string>& sentences, const Noise& noise) {
  for (const auto& change : noise.change_points) {
    sentences.push_back(fmt::format("From {} on times are {} {}.", change.day,
                                    percent(std::abs(change.ratio - 1)),
                                    change.ratio > 1 ? "longer" : "shorter"));
  }
  if (!noise.change_points.empty()) return;
  sentences.push_back(noise.no_change_points_because.empty()
                          ? "No day stands out from which on times were at another level."
                          : "Changes over days cannot be told: " + noise.no_change_points_because +
                                ".");
}

}  // namespace

std::string sentence_on(const Suspect& suspect) {
  const std::string what = suspect.kind == "unknown"
                               ? "is suspect, whether of network or compute is open"
                               : "is a " + suspect.kind + " suspect";
  return fmt::format("{} {}: {} (p = {:.2g}).", name_of(suspect), what,
                     join(suspect.evidence, "; "), suspect.p_adjusted);
}

std::vector<std::string> sentences_of(const Noise& noise) {
  std::vector<std::string> sentences;
  add_levels(sentences, noise);
  if (noise.runs > 0) {
    add_causes(sentences, noise);
    add_suspects(sentences, noise);
    add_time_of_day(sentences, noise);
    add_changes(sentences, noise);
  }
  if (!noise.set_aside.empty()) sentences.push_back(noise.set_aside + ".");
  return sentences;
}

}  // namespace pippin
