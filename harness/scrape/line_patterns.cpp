// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/line_patterns.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/records/run.h"
#include "harness/scrape/characters.h"

namespace pippin {

namespace {

using What = PatternField::What;

struct KnownField {
  const char* name;
  What what;
  Pace pace = Pace::kMs;
  double scale = 1;
};

constexpr double kMibPerMb = 1e6 / (1 << 20), kMibPerGb = 1e9 / (1 << 20);

constexpr std::array kFields{
    KnownField{"step", What::kStep},
    KnownField{"step_time_us", What::kPace, Pace::kMs, 1e-3},
    KnownField{"step_time_ms", What::kPace, Pace::kMs, 1},
    KnownField{"step_time_s", What::kPace, Pace::kMs, 1e3},
    KnownField{"step_time_min", What::kPace, Pace::kMs, 6e4},
    KnownField{"steps_per_s", What::kPace, Pace::kStepsPerSecond},
    KnownField{"samples_per_s", What::kPace, Pace::kSamplesPerSecond},
    KnownField{"tokens_per_s", What::kPace, Pace::kTokensPerSecond},
    KnownField{"tokens_per_gpu_s", What::kPace, Pace::kTokensPerGpuSecond},
    KnownField{"loss", What::kLoss},
    KnownField{"grad_norm", What::kGradNorm},
    KnownField{"learning_rate", What::kLearningRate},
    KnownField{"gbs", What::kGbs},
    KnownField{"memory_mib", What::kMemory},
    KnownField{"memory_gib", What::kMemory, Pace::kMs, kMibPerGib},
    KnownField{"memory_mb", What::kMemory, Pace::kMs, kMibPerMb},
    KnownField{"memory_gb", What::kMemory, Pace::kMs, kMibPerGb},
    KnownField{"failed", What::kFailed},
};

constexpr const char* kPaces =
    "step_time_ms (_us, _s, _min), steps_per_s, samples_per_s, tokens_per_s, tokens_per_gpu_s";
constexpr const char* kOthers =
    "step, loss, grad_norm, learning_rate, gbs, memory_mib (_gib, _mb, _gb), failed";

std::optional<PatternField> field_named(std::string_view name) {
  for (const auto& field : kFields) {
    if (name == field.name)
      return PatternField{std::string(name), field.what, field.pace, field.scale};
  }
  return std::nullopt;
}

/// "s" of "([0-9.]+) ?s": the unit that a pattern has right behind its only group.
std::string_view unit_behind_group(std::string_view pattern) {
  const auto close = pattern.rfind(')');
  if (close == std::string_view::npos) return {};
  auto rest = pattern.substr(close + 1);
  for (const std::string_view blank : {" *", " +", " ?", "\\s*", "\\s+", "\\s?", " ", "\\s"}) {
    if (!rest.starts_with(blank)) continue;
    rest.remove_prefix(blank.size());
    break;
  }
  for (const std::string_view unit : {"ms", "us", "min", "s"}) {
    const bool is_word =
        rest.size() == unit.size() || (rest.size() > unit.size() && !is_letter(rest[unit.size()]));
    if (rest.starts_with(unit) && is_word) return unit;
  }
  return {};
}

PatternField field_of(const std::string& name, std::string_view pattern) {
  const bool is_unitless = name == "step_time" || name == "memory";
  const auto unit = name == "step_time" ? unit_behind_group(pattern) : std::string_view();
  if (is_unitless && unit.empty()) {
    bad_input("scrape: {} has no unit: say {}, or write the unit behind the group", name,
              name == "step_time" ? "step_time_ms or step_time_s" : "memory_gib or memory_mib");
  }
  const auto field = field_named(unit.empty() ? name : fmt::format("{}_{}", name, unit));
  if (!field) bad_input("scrape: '{}' is none of {}, {}", printable(name), kPaces, kOthers);
  return *field;
}

bool has_names(const Regex& regex) {
  const auto& names = regex.group_names();
  return std::any_of(names.begin(), names.end(), [](const auto& name) { return !name.empty(); });
}

Regex regex_of(const std::string& name, const std::string& text) {
  try {
    return Regex(text);
  } catch (const Error& error) {
    bad_input("scrape: {}: {}", printable(name), error.what());
  }
}

LinePattern pattern_of(const std::string& name, const std::string& text) {
  LinePattern pattern{regex_of(name, text), {}, fmt::format("{} '{}'", name, printable(text))};
  if (has_names(pattern.regex)) {
    for (const auto& group : pattern.regex.group_names())
      pattern.groups.push_back(group.empty() ? PatternField{} : field_of(group, {}));
    return pattern;
  }
  const PatternField field = field_of(name, text);
  const std::size_t groups = pattern.regex.group_names().size();
  if (field.what == What::kFailed) {
    pattern.groups.assign(groups, PatternField{});
    pattern.groups.insert(pattern.groups.begin(), field);
    return pattern;
  }
  if (groups != 1)
    bad_input("scrape: {} has {}; it takes one, around the number", pattern.said,
              counted(static_cast<std::int64_t>(groups), "group"));
  pattern.groups = {field};
  return pattern;
}

void set_kind(LinePatterns& patterns, const std::string& kind) {
  constexpr std::string_view kMeanOf = "mean ";
  const std::string_view text = kind;
  const auto number =
      text.starts_with(kMeanOf) ? parse_integer(text.substr(kMeanOf.size())) : std::nullopt;
  if (kind == "mean" || (number && *number > 0)) {
    patterns.span = Span::kMean;
    patterns.interval = number.value_or(0);
  } else if (kind == "window") {
    patterns.span = Span::kWindow;
  } else if (kind == "total") {
    patterns.span = Span::kTotal;
  } else if (kind == "cumulative") {
    patterns.span = Span::kMean;
    patterns.cumulative = true;
  } else if (kind != "step") {
    bad_input("scrape: kind '{}' is none of step, mean, mean N, window, cumulative, total",
              printable(kind));
  }
}

/// What cannot be said together.
void check(const LinePatterns& patterns) {
  if (!patterns.has(What::kPace))
    bad_input("scrape: nothing says how long a step takes: {}", kPaces);
  const bool needs_step = patterns.cumulative || patterns.span == Span::kTotal;
  if (needs_step && !patterns.has(What::kStep))
    bad_input("scrape: of kind {} the step must be said, too",
              patterns.cumulative ? "cumulative" : "total");
  for (const auto& pattern : patterns.patterns) {
    for (const auto& field : pattern.groups) {
      if (needs_step && field.what == What::kPace && field.pace != Pace::kMs)
        bad_input("scrape: of kind cumulative and total are times, and {} is a rate", field.name);
    }
  }
}

}  // namespace

bool LinePatterns::has(PatternField::What what) const {
  return std::any_of(patterns.begin(), patterns.end(), [&](const auto& pattern) {
    return std::any_of(pattern.groups.begin(), pattern.groups.end(), [&](const auto& field) {
      return !field.name.empty() && field.what == what;
    });
  });
}

LinePatterns patterns_in(const NamedValues& told) {
  LinePatterns patterns;
  std::size_t first = told.size(), place = 0;
  try {
    for (; place < told.size(); ++place) {
      const auto& [name, value] = told[place];
      if (!is_pattern_name(name)) continue;
      first = std::min(first, place);
      const std::string field = name.substr(kPatternPrefix.size());
      field == "kind" ? set_kind(patterns, value.text)
                      : patterns.patterns.push_back(pattern_of(field, value.text));
    }
    if (!patterns.empty() || patterns.span != Span::kStep) check(patterns);
  } catch (const Error& error) {
    throw PatternError(place < told.size() ? place : first, error.what());
  }
  return patterns;
}

}  // namespace pippin
