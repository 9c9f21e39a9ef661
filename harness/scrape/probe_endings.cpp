// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/probe_endings.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <vector>

#include "core/base/text.h"
#include "core/jobs/protocol.h"

namespace pippin {

namespace {

constexpr std::size_t kLongestEvidence = 500;

struct ExitClass {
  int exit_code;
  RunState state;
  std::string_view name;
  std::array<std::string_view, 3> words;  ///< of its line; others say what they lost thereby
};

constexpr ExitClass kOutOfMemory{
    12, RunState::kOom, "out of memory", {"out of memory", "bad_alloc"}};
constexpr ExitClass kClasses[] = {
    kOutOfMemory,
    {13, RunState::kFailed, "bad layout", {"layout", "divide", "--"}},
    {14, RunState::kFailed, "no device", {"device", "gpu", "cuda"}},
    {kLostRankExit, RunState::kFailed, "lost rank", {"died", "lost", "rank"}},
};

constexpr std::string_view kProbes[] = {"training", "replay", "collective", "gemm"};

// What others say of memory: PyTorch and the CUDA runtime, the C++ library, Slurm, the kernel.
constexpr std::string_view kNoMemory[] = {"out of memory", "bad_alloc", "oom_kill", "oom-kill"};

template <typename Words>
bool has_one_of(std::string_view line, const Words& words) {
  const std::string small = lower(line);
  return std::any_of(std::begin(words), std::end(words),
                     [&](std::string_view word) { return small.find(word) != std::string::npos; });
}

/// The part of a line that `probe` has said, "training: …", behind the launcher's "3: " or
/// "[1,3]<stderr>:"; empty where it has not.
std::string_view said_by(std::string_view probe, std::string_view line) {
  const auto at = line.find(probe);
  const bool begins =
      at == 0 || (at != std::string_view::npos &&
                  std::string_view(" :>]").find(line[at - 1]) != std::string_view::npos);
  if (!begins || !line.substr(at + probe.size()).starts_with(": ")) return {};
  return trim(line.substr(at));
}

/// The same of any probe of ours.
std::string_view said_by_probe(std::string_view line) {
  for (const auto& probe : kProbes) {
    const auto said = said_by(probe, line);
    if (!said.empty()) return said;
  }
  return {};
}

std::string evidence_of(const ExitClass& exit, std::string_view line) {
  return fmt::format("{}: {}", exit.name, printable(line.substr(0, kLongestEvidence)));
}

}  // namespace

std::optional<ProbeEnding> probe_ending(int exit_code, std::string_view log) {
  const auto* exit = std::find_if(std::begin(kClasses), std::end(kClasses),
                                  [&](const auto& one) { return one.exit_code == exit_code; });
  if (exit == std::end(kClasses)) return std::nullopt;
  std::string_view fitting, last, no_memory;
  for (const std::string_view line : split(log, '\n')) {
    if (no_memory.empty() && has_one_of(line, kNoMemory)) no_memory = trim(line);
    const std::string_view said = said_by_probe(line);
    if (said.empty()) continue;
    if (fitting.empty() && has_one_of(said, exit->words)) fitting = said;
    last = said;
  }
  if (last.empty()) return std::nullopt;
  if (exit->exit_code == kLostRankExit && !no_memory.empty())
    return ProbeEnding{kOutOfMemory.state, evidence_of(kOutOfMemory, no_memory)};
  return ProbeEnding{exit->state, evidence_of(*exit, fitting.empty() ? last : fitting),
                     exit->exit_code == kLostRankExit};
}

std::string words_of_probe(std::string_view probe, std::string_view log) {
  for (const std::string_view line : split(log, '\n')) {
    const auto said = said_by(probe, line);
    if (!said.empty()) return printable(said.substr(0, kLongestEvidence));
  }
  return "";
}

std::string lost_rank_words(std::string_view log) {
  const auto ending = probe_ending(kLostRankExit, log);
  return ending && ending->lost_rank ? ending->evidence : "";
}

}  // namespace pippin
