#include "reports/peak.h"

#include <iterator>

#include "harness/base/text.h"

namespace pippin {

namespace {

/// Own axes that say it with a word, and the words.
constexpr const char* kTypeAxes[] = {"precision", "dtype", "params_dtype"};
constexpr const char* kTypes[] = {"fp8", "bf16", "fp16", "fp32"};

std::string type_in(const std::string& text) {
  const std::string word = lower(text);
  for (const char* type : kTypes) {
    if (word.find(type) != std::string::npos) return type;
  }
  if (word.find("bfloat16") != std::string::npos) return "bf16";
  if (word.find("float16") != std::string::npos || word.find("half") != std::string::npos)
    return "fp16";
  return word.find("float32") != std::string::npos ? "fp32" : "";
}

bool is_true(const Value* value) {
  return value && (lower(value->text) == "true" || value->number == 1.0);
}

std::string number_type_of(const Point& point) {
  for (const char* type : kTypes) {
    if (is_true(find_value(point.axes, type))) return type;
  }
  for (const char* axis : kTypeAxes) {
    const Value* value = find_value(point.axes, axis);
    const std::string type = value ? type_in(value->text) : "";
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
