#include "harness/records/point.h"

#include <algorithm>
#include <fmt/format.h>

#include "harness/base/hash.h"
#include "harness/base/text.h"
#include "harness/base/units.h"

namespace pippin {

namespace {

/// Parts that no content of another part can imitate: each is its length, then itself.
void add(std::string& key, std::string_view name, std::string_view value) {
  key += fmt::format("{}:{}={}:{};", name.size(), name, value.size(), value);
}

void add(std::string& key, std::string_view name, const Count& count) {
  if (count) add(key, name, std::to_string(*count));
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

std::string point_id(const Point& point) {
  std::string key;
  add(key, "trainer", point.trainer);
  const Model& model = point.model;
  add(key, "size", lower(model.size));
  add(key, "style", model.style);
  add(key, "layers", model.layers);
  add(key, "hidden", model.hidden);
  add(key, "heads", model.heads);
  add(key, "kv_heads", model.kv_heads);
  add(key, "ffn", model.ffn);
  add(key, "seq", model.seq);
  add(key, "vocab", model.vocab);
  add(key, "padded_vocab", model.padded_vocab);
  const Layout& layout = point.layout;
  add(key, "tp", layout.tp);
  add(key, "pp", layout.pp);
  add(key, "dp", layout.dp);
  if (layout.cp && *layout.cp > 1) add(key, "cp", layout.cp);
  add(key, "mbs", layout.mbs);
  add(key, "gas", layout.gas);
  add(key, "gpus", layout.gpus);
  add(key, "gbs", layout.gbs);
  NamedValues axes = point.axes;
  std::sort(axes.begin(), axes.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& axis : axes) {
    const Value& value = axis.second;
    add(key, "axis " + axis.first,
        value.number ? "n" + number_text(*value.number) : "s" + value.text);
  }
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
