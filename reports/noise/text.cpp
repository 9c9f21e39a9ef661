// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"

#include <cmath>
#include <fmt/format.h>

#include "reports/csv_text.h"
#include "reports/display_text.h"
#include "reports/markdown_table.h"
#include "reports/noise/noise.h"
#include "reports/values.h"

namespace pippin {

namespace {

using Align = TextColumn::Align;

std::string percent(double share) {
  constexpr double kPercent = 100;
  return short_number(share * kPercent, 2) + " %";
}

std::string spread(double sd) { return percent(std::exp(sd) - 1); }

TextColumn column(std::string title, Align align) {
  TextColumn result;
  result.title = std::move(title);
  result.align = align;
  result.must_stay = true;
  return result;
}

std::vector<TextColumn> level_columns(const Noise& noise) {
  TextColumn level = column("between", Align::kLeft), sd = column("spread", Align::kRight);
  TextColumn interval = column("95 %", Align::kLeft), share = column("share", Align::kRight);
  for (const auto& entry : noise.levels) {
    level.cells.push_back(entry.level);
    sd.cells.push_back(spread(entry.sd));
    interval.cells.push_back(spread(entry.low) + " – " + spread(entry.high));
    share.cells.push_back(percent(entry.share));
  }
  return {level, sd, interval, share};
}

std::string who(const Suspect& suspect) {
  std::vector<std::string> names;
  for (const auto& node : suspect.nodes) names.push_back(printable(node));
  return join(names, suspect.is_link ? " – " : ", ");
}

std::vector<TextColumn> suspect_columns(const Noise& noise) {
  TextColumn name = column("suspect", Align::kLeft), kind = column("of", Align::kLeft);
  TextColumn effect = column("effect", Align::kRight), on = column("on", Align::kLeft);
  TextColumn p = column("p", Align::kRight), with = column("with", Align::kRight);
  TextColumn without = column("without", Align::kRight);
  for (const auto& suspect : noise.suspects) {
    name.cells.push_back(who(suspect));
    kind.cells.push_back(suspect.kind);
    effect.cells.push_back("+" + spread(suspect.effect));
    on.cells.push_back(suspect.effect_on);
    p.cells.push_back(fmt::format("{:.2g}", suspect.p_adjusted));
    with.cells.push_back(std::to_string(suspect.allocations_with));
    without.cells.push_back(std::to_string(suspect.allocations_without));
  }
  return {name, kind, effect, on, p, with, without};
}

std::string exact_or_empty(double value) { return std::isfinite(value) ? exact_number(value) : ""; }

}  // namespace

void write_noise_terminal(const NoiseTable& table, std::ostream& out) {
  for (const auto& sentence : sentences_of(table.noise))
    out << wrapped(sentence, table.width, 2) << '\n';
  if (!table.noise.levels.empty()) {
    out << '\n';
    write_table(level_columns(table.noise), table.width, out, table.colours);
  }
  if (!table.noise.suspects.empty()) {
    out << '\n';
    write_table(suspect_columns(table.noise), table.width, out, table.colours);
  }
}

void write_noise_markdown(const NoiseTable& table, std::ostream& out) {
  for (const auto& sentence : sentences_of(table.noise))
    out << "- " << markdown_literal(sentence) << '\n';
  if (!table.noise.levels.empty()) {
    out << '\n';
    write_markdown_table(level_columns(table.noise), out);
  }
  if (!table.noise.suspects.empty()) {
    out << '\n';
    write_markdown_table(suspect_columns(table.noise), out);
  }
}

/// One line for each figure: what it is of, its name, its value with its interval.
void write_noise_csv(const NoiseTable& table, std::ostream& out) {
  const Noise& noise = table.noise;
  out << csv_line({"what", "name", "kind", "value", "low", "high", "share", "p"});
  for (const auto& level : noise.levels)
    out << csv_line({"level", level.level, "sd", exact_or_empty(level.sd),
                     exact_or_empty(level.low), exact_or_empty(level.high),
                     exact_or_empty(level.share), ""});
  if (noise.causes) {
    const NoiseCauses& causes = *noise.causes;
    for (const auto& [name, share] :
         {std::pair("network", causes.network), std::pair("compute", causes.compute),
          std::pair("unexplained", causes.unexplained)})
      out << csv_line(
          {"cause", name, "", "", "", "", exact_or_empty(share), exact_or_empty(causes.p)});
  }
  for (const auto& suspect : noise.suspects)
    out << csv_line({suspect.is_link ? "link" : "node", join(suspect.nodes, ";"), suspect.kind,
                     exact_or_empty(std::exp(suspect.effect)), "", "", "",
                     exact_or_empty(suspect.p_adjusted)});
  if (noise.time_of_day.refused.empty())
    out << csv_line({"time of day", exact_or_empty(noise.time_of_day.peak_hour), "amplitude",
                     exact_or_empty(noise.time_of_day.amplitude), "", "", "",
                     exact_or_empty(noise.time_of_day.p)});
  for (const auto& change : noise.change_points)
    out << csv_line({"change", change.day, "ratio", exact_or_empty(change.ratio), "", "", "", ""});
}

}  // namespace pippin
