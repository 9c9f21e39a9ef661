#include "reports/notes/row_values.h"

#include <array>
#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "core/base/text.h"
#include "core/base/units.h"
#include "reports/notes/quantities.h"
#include "sweeps/estimate/flops.h"

namespace pippin {

namespace {

/// A factor of a product: "MBS 4".
struct Factor {
  const char* name;
  const char* title;
};
constexpr Factor kMbs{"mbs", "MBS"}, kGas{"gas", "GAS"}, kDp{"dp", "DP"}, kTp{"tp", "TP"},
    kPp{"pp", "PP"}, kCp{"cp", "CP"};

struct Product {
  std::string text;  ///< "MBS 1 × GAS 4 × DP 4 = 16"
  double value = 1;
};

/// Nothing where one of the factors is unknown.
std::optional<Product> product_of(const NoteColumns& columns, const MarkdownRow& row,
                                  const std::vector<Factor>& factors) {
  Product product;
  for (const auto& factor : factors) {
    const Count count = count_in(columns.text(row, factor.name));
    if (!count) return std::nullopt;
    product.value *= static_cast<double>(*count);
    product.text += fmt::format("{}{} {}", product.text.empty() ? "" : " × ", factor.title, *count);
  }
  product.text += " = " + number_text(product.value);
  return product;
}

std::optional<double> gbs_of(const NoteColumns& columns, const MarkdownRow& row) {
  if (!columns.has("gbs")) {
    const auto product = product_of(columns, row, {kMbs, kGas, kDp});
    return product ? std::optional(product->value) : std::nullopt;
  }
  const Count gbs = count_in(columns.text(row, "gbs"));
  return gbs ? std::optional(static_cast<double>(*gbs)) : std::nullopt;
}

std::string batch_contradiction(const NoteColumns& columns, const MarkdownRow& row) {
  const Count gbs = count_in(columns.text(row, "gbs"));
  std::vector<Factor> factors{kMbs, kDp};
  if (columns.has("gas")) factors.insert(factors.begin() + 1, kGas);
  const auto product = product_of(columns, row, factors);
  if (!gbs || !product) return "";
  const auto value = static_cast<double>(*gbs);
  if (value == product->value) return "";
  // A pipeline accumulates gradients, however often: then GBS is any multiple.
  const bool hidden_gas = !columns.has("gas") && columns.has("pp");
  if (!hidden_gas) return fmt::format("GBS {} is not {}", *gbs, product->text);
  const bool multiple = product->value > 0 && std::fmod(value, product->value) == 0;
  return multiple ? "" : fmt::format("GBS {} is no multiple of {}", *gbs, product->text);
}

std::string world_contradiction(const NoteColumns& columns, const MarkdownRow& row) {
  const Count gpus = count_in(columns.text(row, "gpus"));
  std::vector<Factor> factors{kTp, kPp, kDp};
  if (columns.has("cp")) factors.push_back(kCp);
  const auto product = product_of(columns, row, factors);
  if (!gpus || !product || static_cast<double>(*gpus) == product->value) return "";
  return fmt::format("GPUs {} is not {}", *gpus, product->text);
}

std::string zero_in(const NoteColumns& columns, const MarkdownRow& row,
                    const NoteSettings& settings) {
  const auto values = row_values(columns, row, settings);
  if (!values || tflops_of(*values, settings.full_recompute)) return "";
  const std::array<std::pair<const char*, double>, 5> named{{{"size", values->params},
                                                             {"GBS", values->gbs},
                                                             {"step time", values->seconds},
                                                             {"GPUs", values->gpus},
                                                             {"seq", values->seq}}};
  for (const auto& [name, value] : named) {
    if (!(value > 0)) return fmt::format("{} {} is not above 0", name, number_text(value));
  }
  return "numbers too large or too small to compute with";
}

}  // namespace

bool has_values(const NoteColumns& columns) {
  const bool batch = columns.has("gbs") || (columns.has("mbs") && columns.has("gas") &&
                                            columns.has("dp") && columns.doubt("gbs").empty());
  return batch && columns.has("size") && columns.has("step_time") && columns.has("gpus");
}

std::optional<RowValues> row_values(const NoteColumns& columns, const MarkdownRow& row,
                                    const NoteSettings& settings) {
  const auto params = parameters_in(columns.text(row, "size"), columns.title("size"));
  const auto gbs = gbs_of(columns, row);
  const auto time = milliseconds_in(columns.text(row, "step_time"), columns.title("step_time"));
  const Count gpus = count_in(columns.text(row, "gpus"));
  const Count seq = columns.has("seq") ? count_in(columns.text(row, "seq")) : Count(settings.seq);
  if (!params || !gbs || !time || !gpus || !seq) return std::nullopt;
  return RowValues{*params, *gbs, *time / kMsPerSecond, static_cast<double>(*gpus),
                   static_cast<double>(*seq)};
}

std::optional<double> tflops_of(const RowValues& values, bool full_recompute) {
  constexpr double kMostCount = 1e18;
  for (const double count : {values.params, values.gbs, values.gpus, values.seq}) {
    if (!(count >= 1) || count > kMostCount) return std::nullopt;
  }
  if (!(values.seconds > 0)) return std::nullopt;
  Model model;
  model.params = static_cast<std::int64_t>(std::llround(values.params));
  model.seq = static_cast<std::int64_t>(values.seq);
  const auto flops = iteration_flops(FlopsFormula::kParams, model,
                                     static_cast<std::int64_t>(values.gbs), full_recompute);
  if (!flops) return std::nullopt;
  const double result =
      tflops_per_gpu(*flops, values.seconds, static_cast<std::int64_t>(values.gpus));
  constexpr double kMost = 1e12;  // more than any machine will do; its digits would be noise
  return std::isfinite(result) && result < kMost ? std::optional(result) : std::nullopt;
}

std::string contradiction_in(const NoteColumns& columns, const MarkdownRow& row,
                             const NoteSettings& settings) {
  std::vector<std::string> found;
  for (auto text : {zero_in(columns, row, settings), batch_contradiction(columns, row),
                    world_contradiction(columns, row)}) {
    if (!text.empty()) found.push_back(std::move(text));
  }
  return join(found, "; ");
}

}  // namespace pippin
