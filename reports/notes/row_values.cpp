// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/row_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <map>

#include "core/base/text.h"
#include "core/base/units.h"
#include "reports/notes/quantities.h"

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

/// The numbers in a row's own cells.
struct CellNumbers {
  double size = 0, gbs = 0, seconds = 0, gpus = 0, seq = 1;
};

/// Nothing where one that the table has a column of is missing.
std::optional<CellNumbers> cell_numbers(const NoteColumns& columns, const MarkdownRow& row) {
  const auto params = parameters_in(columns.text(row, "size"), columns.title("size"));
  const auto gbs = gbs_of(columns, row);
  const auto time = milliseconds_in(columns.text(row, "step_time"), columns.title("step_time"));
  const Count gpus = count_in(columns.text(row, "gpus"));
  const Count seq = columns.has("seq") ? count_in(columns.text(row, "seq")) : Count(1);
  if (!params || !gbs || !time || !gpus || !seq) return std::nullopt;
  return CellNumbers{*params, *gbs, *time / kMsPerSecond, static_cast<double>(*gpus),
                     static_cast<double>(*seq)};
}

bool is_count(double count) {
  constexpr double kMostCount = 1e18;
  return count >= 1 && count <= kMostCount;
}

std::string zero_in(const NoteColumns& columns, const MarkdownRow& row) {
  const auto numbers = cell_numbers(columns, row);
  if (!numbers) return "";
  const std::array<std::pair<const char*, double>, 5> named{{{"size", numbers->size},
                                                             {"GBS", numbers->gbs},
                                                             {"step time", numbers->seconds},
                                                             {"GPUs", numbers->gpus},
                                                             {"seq", numbers->seq}}};
  for (const auto& [name, value] : named) {
    if (!(value > 0)) return fmt::format("{} {} is not above 0", name, number_text(value));
  }
  if (is_count(numbers->size)) {
    RowValues values{{}, numbers->gbs, numbers->seconds, numbers->gpus};
    values.model.params = std::llround(numbers->size);
    values.model.seq = std::llround(numbers->seq);
    if (tflops_of(values, {})) return "";
  }
  return "numbers too large or too small to compute with";
}

bool is_all_said(const TableFacts& facts, std::initializer_list<std::string_view> names) {
  return std::all_of(names.begin(), names.end(),
                     [&](std::string_view name) { return facts.is_said(name); });
}

bool has_size(const TableFacts& facts) {
  return facts.columns().has("size") || !facts.settings().model.size.empty();
}

/// What the formula needs of a model beside its size.
std::vector<std::string> needs_of(FlopsFormula formula) {
  switch (formula) {
    case FlopsFormula::kParams:
      return {"seq"};
    case FlopsFormula::kPalm:
      return {"seq", "layers", "hidden"};
    case FlopsFormula::kMegatron:
      return {"seq", "layers", "hidden", "vocab", "heads", "kv_heads", "ffn", "style"};
    default:
      return {"seq", "layers", "hidden", "vocab"};
  }
}

bool counts_size(FlopsFormula formula) {
  return formula == FlopsFormula::kParams || formula == FlopsFormula::kPalm;
}

}  // namespace

bool has_values(const TableFacts& facts) {
  const NoteColumns& columns = facts.columns();
  return columns.has("step_time") && is_all_said(facts, {"gbs", "gpus"}) &&
         (has_size(facts) || is_all_said(facts, {"layers", "hidden"}));
}

std::optional<FlopsLaw> said_law(const NoteSettings& settings) {
  if (!settings.formula) return std::nullopt;
  const bool needs_recompute = *settings.formula == FlopsFormula::kParams;
  if (needs_recompute && !settings.full_recompute) return std::nullopt;
  return FlopsLaw{*settings.formula, settings.full_recompute.value_or(false)};
}

std::vector<std::string> unsaid_of_tflops(const TableFacts& facts) {
  const NoteSettings& settings = facts.settings();
  const auto formula = settings.formula;
  std::vector<std::string> unsaid;
  for (const auto& name : needs_of(formula.value_or(FlopsFormula::kParams))) {
    const bool said = name == "style" ? !settings.model.style.empty() : facts.is_said(name);
    if (!said) unsaid.push_back(name);
  }
  const bool by_size = !formula || counts_size(*formula);
  const bool has_shape = is_all_said(facts, {"layers", "hidden", "vocab"});
  if (by_size && !has_size(facts) && !has_shape) unsaid.emplace_back("size");
  if (!formula) unsaid.emplace_back("formula");
  const bool recomputes = !formula || *formula == FlopsFormula::kParams;
  if (recomputes && !settings.full_recompute) unsaid.emplace_back("recompute");
  return unsaid;
}

std::string as_options(const std::vector<std::string>& names) {
  const std::map<std::string, const char*, std::less<>> examples{
      {"seq", "2048"}, {"layers", "64"},      {"hidden", "8192"},    {"vocab", "50257"},
      {"heads", "64"}, {"kv_heads", "64"},    {"ffn", "32768"},      {"style", "gpt2"},
      {"size", "52B"}, {"formula", "params"}, {"recompute", "full"}, {"gbs", "1024"},
      {"gpus", "64"},  {"nodes", "16"}};
  std::vector<std::string> words;
  words.reserve(names.size());
  for (const auto& name : names) {
    const auto found = examples.find(name);
    words.push_back(
        fmt::format("--set {}={}", name, found == examples.end() ? "N" : found->second));
  }
  return join(words, " ");
}

std::optional<RowValues> row_values(const TableFacts& facts, const MarkdownRow& row) {
  const NoteColumns& columns = facts.columns();
  const auto time = milliseconds_in(columns.text(row, "step_time"), columns.title("step_time"));
  const SaidOfRow said = facts.of(row);
  const Layout& layout = said.layout;
  if (!time || !layout.gbs || !layout.gpus || !said.problem.empty()) return std::nullopt;
  return RowValues{said.model, static_cast<double>(*layout.gbs), *time / kMsPerSecond,
                   static_cast<double>(*layout.gpus)};
}

std::optional<double> flops_of(const Model& model, double gbs, const FlopsLaw& law) {
  for (const Count& count : {model.params, model.seq}) {
    if (count && !is_count(static_cast<double>(*count))) return std::nullopt;
  }
  if (!is_count(gbs)) return std::nullopt;
  return iteration_flops(law.formula, model, static_cast<std::int64_t>(gbs), law.full_recompute);
}

std::optional<double> tflops_of(const RowValues& values, const FlopsLaw& law) {
  if (!is_count(values.gpus) || !(values.seconds > 0)) return std::nullopt;
  const auto flops = flops_of(values.model, values.gbs, law);
  if (!flops) return std::nullopt;
  const double result =
      tflops_per_gpu(*flops, values.seconds, static_cast<std::int64_t>(values.gpus));
  constexpr double kMost = 1e12;  // more than any machine will do; its digits would be noise
  return std::isfinite(result) && result < kMost ? std::optional(result) : std::nullopt;
}

std::string contradiction_in(const NoteColumns& columns, const MarkdownRow& row) {
  std::vector<std::string> found;
  for (auto text : {zero_in(columns, row), batch_contradiction(columns, row),
                    world_contradiction(columns, row)}) {
    if (!text.empty()) found.push_back(std::move(text));
  }
  return join(found, "; ");
}

}  // namespace pippin
