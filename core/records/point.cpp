#include "core/records/point.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/records/fields.h"

namespace pippin {

namespace {

/// Parts that no content of another part can imitate: each is its length, then itself.
void add(std::string& key, std::string_view name, std::string_view value) {
  for (const std::string_view part : {name, value}) {
    key += std::to_string(part.size());
    key += ':';
    key += part;
  }
  key += ';';
}

/// A size's name counts without its case: "52b" is "52B".
std::string identity_text(const std::string& name, const Value& value) {
  if (value.number) return "n" + number_text(*value.number);
  return "s" + (name == "size" ? lower(value.text) : value.text);
}

void append(std::string& name, std::string_view label, const Count& count) {
  if (count) name += fmt::format("-{}{}", label, *count);
}

std::string size_name(const Model& model) {
  if (!model.size.empty()) return lower(model.size);
  if (model.layers && model.hidden) return fmt::format("l{}-h{}", *model.layers, *model.hidden);
  if (model.params) return fmt::format("{:.3g}b", static_cast<double>(*model.params) / kBillion);
  return "model";
}

}  // namespace

NamedValues named_values(const Point& point) {
  NamedValues values;
  const auto add_text = [&](const char* name, const std::string& text) {
    if (!text.empty()) values.emplace_back(name, Value{text, std::nullopt});
  };
  const auto add_counts = [&](const auto& owner, const auto& fields) {
    for (const auto& field : fields) {
      const Count& count = owner.*field.count;
      if (field.is_identity && count)
        values.emplace_back(field.name, Value{std::to_string(*count), static_cast<double>(*count)});
    }
  };
  add_text("size", point.model.size);
  add_text("style", point.model.style);
  add_counts(point.model, kModelFields);
  add_counts(point.layout, kLayoutFields);
  values.insert(values.end(), point.axes.begin(), point.axes.end());
  return values;
}

std::string point_id(const Point& point, Environment env) {
  std::string key;
  add(key, "trainer", point.trainer);
  const NamedValues values = named_values(point);
  std::vector<const NamedValues::value_type*> sorted;
  sorted.reserve(values.size());
  for (const auto& named : values) sorted.push_back(&named);
  std::sort(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->first < b->first; });
  for (const auto* named : sorted) {
    const bool no_context_parallelism = named->first == "cp" && named->second.number == 1.0;
    if (!no_context_parallelism) add(key, named->first, identity_text(named->first, named->second));
  }
  std::sort(env.begin(), env.end());
  for (const auto& variable : env) add(key, "env " + variable.first, variable.second);
  return hash_of(key).substr(0, 16);
}

std::string point_name(const Point& point) {
  std::string name = size_name(point.model);
  append(name, "tp", point.layout.tp);
  append(name, "pp", point.layout.pp);
  append(name, "dp", point.layout.dp);
  if (point.layout.cp && *point.layout.cp > 1) append(name, "cp", point.layout.cp);
  append(name, "mbs", point.layout.mbs);
  append(name, "gas", point.layout.gas);
  for (const auto& axis : point.axes) name += fmt::format("-{}{}", axis.first, axis.second.text);
  return name;
}

}  // namespace pippin
