// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/golden_values.h"

#include <nlohmann/json.hpp>
#include <string>

#include "core/base/error.h"
#include "core/base/moderate_json.h"
#include "core/base/text.h"
#include "harness/scrape/scalars.h"

namespace pippin {

namespace {

using Json = nlohmann::json;

constexpr std::int64_t kMostSteps = 1'000'000'000'000;

/// "nan" stands for a step without a value, too.
void add_value(const Json& value, const std::string& metric, std::int64_t step, Scalars& scalars) {
  if (value.is_number()) scalars[step].emplace(metric, value.get<double>());
}

std::int64_t step_of(std::string_view text, const std::string& metric) {
  const auto step = parse_integer(text);
  if (!step || *step < 0 || *step > kMostSteps)
    bad_input("golden values: '{}' has a step '{}', which is none", printable(metric),
              printable(text));
  return *step;
}

std::int64_t count_in(const Json& series, const char* name, const std::string& metric) {
  const auto found = series.find(name);
  if (found == series.end() || !found->is_number_integer())
    bad_input("golden values: '{}' has no whole number '{}'", printable(metric), name);
  return step_of(found->dump(), metric);
}

/// Until 2024 a list had every k-th line that was written, from the first on, which was that of
/// iteration 1.
void add_list(const Json& series, const std::string& metric, Scalars& scalars) {
  std::int64_t step = count_in(series, "start_step", metric) + 1;
  const std::int64_t interval = count_in(series, "step_interval", metric);
  if (interval == 0) bad_input("golden values: '{}' has a step_interval of 0", printable(metric));
  for (const auto& value : series["values"]) {
    add_value(value, metric, step, scalars);
    step += interval;
  }
}

void add_series(const Json& series, const std::string& metric, Scalars& scalars) {
  const auto values = series.is_object() ? series.find("values") : series.end();
  if (!series.is_object() || values == series.end()) return;
  if (values->is_array()) return add_list(series, metric, scalars);
  if (!values->is_object()) return;
  for (const auto& [step, value] : values->items())
    add_value(value, metric, step_of(step, metric), scalars);
}

}  // namespace

bool looks_like_golden_values(std::string_view head) {
  const auto has = [&](std::string_view key) { return head.find(key) != std::string_view::npos; };
  return trim(head).starts_with('{') && has("\"start_step\"") && has("\"step_interval\"");
}

std::vector<LogRun> read_golden_values(std::string_view file) {
  if (!is_moderate_json(file))
    bad_input("golden values: it has more values than can be read, or deeper ones");
  const Json golden = Json::parse(file, nullptr, false);
  if (!golden.is_structured()) bad_input("golden values: this is no whole JSON");
  const ScalarNames* names = golden.is_object() && golden.contains("iteration-time")
                                 ? names_of({"iteration-time"})
                                 : nullptr;
  if (!names) return {};
  Scalars scalars;
  for (const auto& [metric, series] : golden.items()) add_series(series, metric, scalars);
  auto run = run_of_scalars(scalars, *names);
  if (!run) return {};
  constexpr double kRoundedTo_ms = 0.01;  // 5 digits of a second
  set_source(*run, "golden_values");
  run->resolution_ms = kRoundedTo_ms;
  return {std::move(*run)};
}

}  // namespace pippin
