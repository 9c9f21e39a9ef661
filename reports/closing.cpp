// SPDX-License-Identifier: Apache-2.0
#include "reports/closing.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>

#include "core/base/text.h"
#include "core/base/units.h"
#include "reports/remarks.h"
#include "reports/values.h"

namespace pippin {

namespace {

constexpr double kPercent = 100, kSecondsPerHour = 3600;

/// The rows of one place, by name.
std::vector<std::string> names_at(const std::vector<Summary>& rows, Standing::Place place) {
  std::vector<std::string> names;
  for (const auto& row : rows) {
    if (row.standing && row.standing->place == place) names.push_back(printable(row.point.name));
  }
  return names;
}

/// By how much the nearest of those that are surely slower lags.
double smallest_lag(const std::vector<Summary>& rows) {
  std::optional<double> least;
  for (const auto& row : rows) {
    if (row.standing && row.standing->place == Standing::kBehind)
      least = std::min(least.value_or(row.standing->behind), row.standing->behind);
  }
  return least.value_or(0);
}

std::string ranking(const std::vector<Summary>& rows) {
  const auto best = names_at(rows, Standing::kBest), tied = names_at(rows, Standing::kTied),
             behind = names_at(rows, Standing::kBehind);
  if (best.empty()) return "";
  const double least = smallest_lag(rows);
  const std::string lag =
      least < 1 ? fmt::format("by {} % or more", short_number(least * kPercent, 2))
                : fmt::format("taking {} times as long or more", short_number(1 + least, 2));
  const std::string others =
      behind.empty()
          ? ""
          : fmt::format("; {} surely slower, {}",
                        behind.size() == 1 ? "one is" : fmt::format("{} are", behind.size()), lag);
  if (tied.empty()) return fmt::format("{} is the best{}.", best.front(), others);
  return fmt::format("{} is in front, but {} cannot be told from it{}.", best.front(), listed(tied),
                     others);
}

/// Why rows that were measured have no place.
std::string no_ranking(const std::vector<Summary>& rows) {
  const bool single = std::any_of(rows.begin(), rows.end(), [](const Summary& row) {
    return row.step_time_s && row.state == RunState::kOk && row.allocations == 1;
  });
  if (!single || rows.size() < 2) return "";
  return "Which is best cannot be said: with one allocation nobody knows how far the next lies off "
         "(repeats: {allocations: 5}).";
}

/// GPU-hours of a further allocation, in which these rows run once: the steps alone.
double gpu_hours(const std::vector<const Summary*>& rows) {
  double seconds = 0;
  for (const auto* row : rows) {
    const double per_allocation =
        static_cast<double>(row->iterations) / static_cast<double>(row->allocations);
    seconds += row->step_time_s->mean * per_allocation *
               static_cast<double>(row->point.layout.gpus.value_or(1));
  }
  return seconds / kSecondsPerHour;
}

std::string what_would_decide(const std::vector<Summary>& rows) {
  std::size_t more = 0, open = 0, hopeless = 0;
  std::vector<const Summary*> concerned;
  for (const auto& row : rows) {
    if (!row.standing || row.standing->place == Standing::kBehind) continue;
    concerned.push_back(&row);
    if (row.standing->place != Standing::kTied || row.standing->as_good) continue;
    ++open;
    hopeless += !row.standing->more_allocations;
    more = std::max(more, row.standing->more_allocations.value_or(0));
  }
  if (open == 0)
    return concerned.size() > 1 ? "The tied rows are as good as equal, within 2 %." : "";
  if (hopeless == open)
    return "More than 1000 further allocations would be needed to tell them apart.";
  const double hours = gpu_hours(concerned) * static_cast<double>(more);
  return fmt::format(
      "{} more allocation{} of these rows would probably decide it{}: about {} "
      "GPU-hours of steps.",
      more, more == 1 ? "" : "s", hopeless > 0 ? " for most" : "", short_number(hours, 2));
}

std::string suspects(const Noise& noise) {
  if (noise.suspects.empty()) return "";
  std::vector<std::string> names;
  for (const auto& suspect : noise.suspects)
    names.push_back(
        fmt::format("{} ({})", join(suspect.nodes, suspect.is_link ? " – " : ", "), suspect.kind));
  return fmt::format("Suspect: {}; 'pippin noise' has the evidence.", listed(names));
}

}  // namespace

std::vector<std::string> closing_words(const std::vector<Summary>& rows, const Noise& noise) {
  std::vector<std::string> words;
  const auto add = [&](std::string text) {
    if (!text.empty()) words.push_back(std::move(text));
  };
  const std::string found = ranking(rows);
  add(found.empty() ? no_ranking(rows) : found);
  if (!noise.levels.empty()) add(sentences_of(noise).front());
  add(suspects(noise));
  if (!found.empty()) add(what_would_decide(rows));
  return words;
}

}  // namespace pippin
