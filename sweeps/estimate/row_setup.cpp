// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "sweeps/estimate/layout_checks.h"
#include "sweeps/estimate/megatron_setup.h"
#include "sweeps/estimate/row_checks.h"
#include "sweeps/estimate/row_reader.h"
#include "sweeps/estimate/unknown_arguments.h"

namespace pippin {

RowReader::RowReader(const PointRow& row) : row_(row) {
  if (auto arguments = RowArguments::in_notes(row))
    arguments_ = *std::move(arguments);
  else
    refuse("its notes begin like arguments in JSON, and are none");
}

RowSetup RowReader::read() && {
  if (why_.empty()) refuse(unreadable_reason(row_));
  if (why_.empty()) refuse_what_is_unknown();
  if (why_.empty()) shape();
  if (why_.empty()) layout();
  if (why_.empty()) framework();
  if (why_.empty()) attention();
  if (why_.empty()) vocabulary();
  if (why_.empty()) newer_choices();
  if (why_.empty()) check_parts();
  if (!why_.empty()) return {std::nullopt, why_, "", "", "", false};
  return {setup_, "", why_no_memory_, why_no_time_, doubt_, any_micro_batch_};
}

/// As Megatron refuses them, too.
void RowReader::check_parts() {
  const Shape& m = setup_.shape;
  const auto divides = [&](std::int64_t whole, std::int64_t part, const char* words) {
    if (part > 0 && whole % part != 0) refuse(fmt::format("{} ({} by {})", words, whole, part));
  };
  refuse(layout_reason(setup_));
  if (m.head_width == m.hidden / m.heads)
    divides(m.hidden, m.heads, "heads do not divide the hidden size");
  if (is_megatron() && setup_.first_layers + setup_.last_layers == 0 && !setup_.layers_before) {
    divides(m.layers, setup_.pp, "PP does not divide the number of layers");
    divides(m.layers / setup_.pp, setup_.chunks, "vpp does not divide the layers of a stage");
  }
  if (setup_.has_deepspeed_stages() && setup_.chunks > 1)
    refuse(fmt::format("DeepSpeed has no virtual stages (vpp {})", setup_.chunks));
  if (setup_.first_layers + setup_.last_layers > m.layers)
    refuse("the first and the last stage have more layers than there are");
  const bool is_batch_given = row_.count("gas") > 0 || row_.count("gbs") > 0;
  if (is_batch_given && setup_.framework != Framework::kFsdp) refuse(interleaving_reason(setup_));
}

void RowReader::refuse_what_is_unknown() {
  const std::string model = row_.text("model");
  const std::string kind = model.substr(0, model.find('/'));
  if (kind != model && kind != "gpt" && kind != "moe" && kind != "mixtral")
    refuse(fmt::format("a model of the kind '{}' is not known", kind));
  for (const char* word : {"UNUSABLE", "INCONSISTENT"})
    if (row_.says("notes", word)) refuse("its notes call it " + lower(word));
  const std::string recompute = recomputation_words(), activation = row_.text("act_fn");
  if (recompute.empty() || recompute == "?") refuse("recomputation is not given");
  if (!recompute.starts_with("full") && !recompute.starts_with("selective") && recompute != "none")
    refuse("the recomputation '" + recompute + "' is not known");
  if (!activation.empty() && activation != "gelu" && activation != "swiglu" &&
      activation != "squared-relu")
    refuse("the activation '" + activation + "' is not known");
  if (arguments_.has("fp8-format")) refuse_memory("fp8 weights and their scales are not known");
  NamedValues on;
  for (const auto& [written, text] : arguments_.all()) {
    std::string name = written;
    std::replace(name.begin(), name.end(), '-', '_');
    const Value given = value_of(text);
    const bool is_none = is_count(name) && parse_number(given.text) == 0.0;
    if (is_none) continue;
    on.emplace_back(name, given);
    if (is_unknown_to_memory(name, given))
      refuse_memory(fmt::format("what {} takes is not known", typed_argument(name)));
    if (is_unknown_to_time(name, given))
      refuse_time(fmt::format("how fast it is with {} is not known", typed_argument(name)));
  }
  refuse_what_is_misspelt(on);
  if (given_.latent && !given_.key_latent)
    refuse("the widths of multi-latent attention are not given");
  if (is_named("muon")) refuse_memory("how its optimizer Muon is spread is not given");
  if (is_named("defer_embedding"))
    refuse_memory("of how many micro-batches the output layer's gradient waits is not given");
  if (is_named("distill")) refuse("its teacher is not given");
  if (is_named("grpo")) refuse("it samples, too, which is not known");
  if (row_.says("framework", "HF") && !row_.says("notes", "Offl"))
    refuse("whether the optimizer is offloaded is not given");
}

void RowReader::refuse_what_is_misspelt(const NamedValues& arguments) {
  std::vector<std::string> unused;
  try {
    given_ = megatron_given(arguments, unused);
  } catch (const Error& error) {
    refuse("its notes: " + reason_of(error));
  }
}

RowSetup setup_of_row(const PointRow& row) { return RowReader(row).read(); }

}  // namespace pippin
