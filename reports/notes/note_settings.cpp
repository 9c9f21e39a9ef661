// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/note_settings.h"

#include <set>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/records/fields.h"

namespace pippin {

namespace {

Count count_said(const std::string& word, std::string_view text) {
  const auto count = parse_integer(text);
  if (!count || *count < 1)
    bad_input("--set '{}': '{}' is no whole number above 0", printable(word), printable(text));
  return count;
}

bool recompute_said(const std::string& word, std::string_view text) {
  if (text != "full" && text != "none")
    bad_input("--set '{}': recompute is full (factor 4) or none (factor 3)", printable(word));
  return text == "full";
}

FlopsFormula formula_said(const std::string& word, std::string_view text) {
  const auto formula = flops_formula_of(text);
  if (!formula)
    bad_input("--set '{}': formula is params, hardware, model, megatron or palm", printable(word));
  return *formula;
}

/// The count of that name; null where there is none.
Count* count_named(NoteSettings& settings, std::string_view name) {
  if (name == "nodes") return &settings.nodes;
  if (name == "gpus_per_node") return &settings.gpus_per_node;
  for (const auto& field : kModelFields) {
    if (field.name == name) return &(settings.model.*field.count);
  }
  for (const auto& field : kLayoutFields) {
    if (field.name == name) return &(settings.layout.*field.count);
  }
  return nullptr;
}

[[noreturn]] void refuse_name(const std::string& word, std::string_view name) {
  std::vector<std::string> names{"size",      "style",   "nodes",    "gpus_per_node",
                                 "recompute", "formula", "step_time"};
  for (const auto& field : kModelFields) names.emplace_back(field.name);
  for (const auto& field : kLayoutFields) names.emplace_back(field.name);
  bad_input("--set '{}': unknown name '{}'{}", printable(word), printable(name),
            did_you_mean(name, names));
}

void take(NoteSettings& settings, const std::string& word, const std::string& name,
          const std::string& value) {
  if (Count* count = count_named(settings, name)) {
    *count = count_said(word, value);
  } else if (name == "size") {
    settings.model.size = value;
  } else if (name == "style") {
    settings.model.style = value;
  } else if (name == "recompute") {
    settings.full_recompute = recompute_said(word, value);
  } else if (name == "formula") {
    settings.formula = formula_said(word, value);
  } else if (name == "step_time") {
    settings.step_time = value;
  } else {
    refuse_name(word, name);
  }
}

}  // namespace

NoteSettings note_settings(const std::vector<std::string>& words) {
  NoteSettings settings;
  std::set<std::string> said;
  for (const auto& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
      bad_input("--set '{}': is not like seq=2048", printable(word));
    const std::string name = word.substr(0, equals);
    if (!said.insert(name).second)
      bad_input("--set '{}': '{}' is said twice", printable(word), printable(name));
    take(settings, word, name, word.substr(equals + 1));
  }
  return settings;
}

}  // namespace pippin
