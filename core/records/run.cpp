// SPDX-License-Identifier: Apache-2.0
#include "core/records/run.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

namespace pippin {

namespace {
constexpr std::array<std::pair<RunState, std::string_view>, 8> kStates{{
    {RunState::kOk, "ok"},
    {RunState::kFailed, "failed"},
    {RunState::kTimeout, "timeout"},
    {RunState::kOom, "oom"},
    {RunState::kCancelled, "cancelled"},
    {RunState::kInfeasible, "infeasible"},
    {RunState::kMissing, "missing"},
    {RunState::kNotRun, "not run"},
}};
}  // namespace

std::string_view text_of(RunState state) {
  for (const auto& entry : kStates) {
    if (entry.first == state) return entry.second;
  }
  throw std::logic_error("unnamed RunState");
}

std::optional<RunState> run_state_of(std::string_view text) {
  for (const auto& entry : kStates) {
    if (entry.second == text) return entry.first;
  }
  return std::nullopt;
}

bool counts_beside_ok(RunState state) {
  return state == RunState::kOk || state == RunState::kTimeout || state == RunState::kCancelled;
}

void tell(LogRun& run, const NamedValues& told) {
  if (told.empty()) return;
  run.told = told;
  const bool is_configuration = std::any_of(told.begin(), told.end(), [](const auto& value) {
    return !is_pattern_name(value.first) && !value.second.text.empty();
  });
  if (!is_configuration) return;
  const NamedValues overruled = overruled_by(told, run.point);
  run.overruled.insert(run.overruled.end(), overruled.begin(), overruled.end());
  tell(run.point, told);
  check_told(run.point, told);
  Point said = run.point;
  said.axes.clear();
  for (const auto& [name, value] : told) {
    if (find_value(run.point.axes, name)) said.axes.emplace_back(name, value);
  }
  run.point.name = point_name(said);
  run.point.id = point_id(run.point);
  run.configured = true;
}

}  // namespace pippin
