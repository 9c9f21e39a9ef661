// SPDX-License-Identifier: Apache-2.0
#include "reports/peak.h"

#include <iterator>
#include <utility>

#include "core/base/text.h"

namespace pippin {

namespace {

/// Own axes that say it with a word, and the words.
constexpr const char* kTypeAxes[] = {"precision", "dtype", "params_dtype"};
constexpr const char* kTypes[] = {"fp8", "bf16", "fp16", "tf32", "fp32"};
/// What people and frameworks write for them; "bfloat16" has "float16" in it.
constexpr std::pair<const char*, const char*> kWords[] = {{"float8", "fp8"},
                                                          {"bfloat16", "bf16"},
                                                          {"float16", "fp16"},
                                                          {"half", "fp16"},
                                                          {"float32", "fp32"}};

std::string type_in(const std::string& text) {
  const std::string word = lower(text);
  for (const char* type : kTypes) {
    if (word.find(type) != std::string::npos) return type;
  }
  for (const auto& [part, type] : kWords) {
    if (word.find(part) != std::string::npos) return type;
  }
  return "";
}

/// Megatron-LM's --fp8-format is in its arguments as `fp8: hybrid`.
bool is_on(const Value* value) {
  if (!value) return false;
  const std::string word = lower(value->text);
  return word == "true" || value->number == 1.0 || word == "hybrid" || word == "e4m3";
}

std::string number_type_of(const Point& point) {
  for (const char* type : kTypes) {
    if (is_on(find_value(point.axes, type))) return type;
  }
  for (const char* axis : kTypeAxes) {
    const Value* value = find_value(point.axes, axis);
    std::string type = value ? type_in(value->text) : "";
    if (!type.empty()) return type;
  }
  return "";
}

bool is_sc21(FlopsFormula formula) {
  return formula == FlopsFormula::kHardware || formula == FlopsFormula::kModel;
}

}  // namespace

std::optional<double> peak_of(const Summary& row, const Rating& rating) {
  const PeakTflops& peaks = row.peak_tflops.empty() ? rating.peak_tflops : row.peak_tflops;
  std::string type = number_type_of(row.point);
  if (type.empty()) type = rating.number_type;
  for (const auto& [name, tflops] : peaks) {
    if (name == type) return tflops;
  }
  return std::nullopt;
}

std::vector<std::string> precision_axes() {
  std::vector<std::string> axes(std::begin(kTypeAxes), std::end(kTypeAxes));
  axes.insert(axes.end(), std::begin(kTypes), std::end(kTypes));
  return axes;
}

std::optional<double> model_flops(FlopsFormula formula, const Model& model, std::int64_t gbs) {
  return iteration_flops(is_sc21(formula) ? FlopsFormula::kModel : formula, model, gbs, false);
}

std::optional<double> hardware_flops(FlopsFormula formula, const Model& model, std::int64_t gbs,
                                     const std::string& recompute) {
  if (recompute == "none") return model_flops(formula, model, gbs);
  if (recompute != kFullRecompute) return std::nullopt;
  if (formula == FlopsFormula::kParams) return iteration_flops(formula, model, gbs, true);
  if (is_sc21(formula)) return iteration_flops(FlopsFormula::kHardware, model, gbs, true);
  return std::nullopt;
}

}  // namespace pippin
