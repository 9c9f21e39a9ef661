// SPDX-License-Identifier: Apache-2.0
#include "core/records/point.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>

#include "core/base/error.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/records/fields.h"

namespace pippin {

namespace {

/// Parts that no content of another part can imitate: each is its length, then itself.
void add_part(std::string& key, std::string_view part) {
  const fmt::format_int size(part.size());
  key.append(size.data(), size.size());
  key += ':';
  key += part;
}

void add_pair(std::string& key, std::string_view name, std::string_view value) {
  add_part(key, name);
  add_part(key, value);
  key += ';';
}

/// A size's name counts without its case: "52b" is "52B".
std::string identity_text(std::string_view name, const std::string& text) {
  std::string identity = "s";
  return identity += name == "size" ? lower(text) : text;
}

void append(std::string& name, std::string_view label, const Count& count) {
  if (!count) return;
  const fmt::format_int digits(*count);
  name += '-';
  name += label;
  name.append(digits.data(), digits.size());
}

std::string size_name(const Model& model) {
  if (!model.size.empty()) return lower(model.size);
  if (model.layers && model.hidden) return fmt::format("l{}-h{}", *model.layers, *model.hidden);
  if (model.params) return fmt::format("{:.3g}b", static_cast<double>(*model.params) / kBillion);
  return "model";
}

}  // namespace

bool has_usual_shape(const Model& model) {
  return model.style != "moe" && model.style != "hybrid" && !model.token_weights;
}

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

bool is_configured(const Point& point) {
  const Model& model = point.model;
  const bool has_model = !model.size.empty() || model.params || (model.layers && model.hidden);
  const Layout& layout = point.layout;
  return has_model && layout.gpus && (layout.gbs || (layout.mbs && layout.gas));
}

namespace {

Count product(std::initializer_list<Count> factors) {
  std::int64_t product = 1;
  for (const auto& factor : factors) {
    if (!factor || *factor <= 0 || product > INT64_MAX / *factor) return std::nullopt;
    product *= *factor;
  }
  return product;
}

Count quotient(const Count& dividend, const Count& divisor) {
  if (!dividend || !divisor || *divisor <= 0 || *dividend % *divisor != 0) return std::nullopt;
  return *dividend / *divisor;
}

void fill(Count& count, const Count& value) {
  if (!count) count = value;
}

/// Whole and above 0.
std::int64_t count_told(const std::string& name, const Value& value) {
  constexpr double kMost = 1e15;
  const bool is_count = value.number && *value.number >= 1 && *value.number <= kMost &&
                        *value.number == std::floor(*value.number);
  if (!is_count)
    throw ToldError(fmt::format("{}: '{}' is no whole number above 0", name, value.text));
  return static_cast<std::int64_t>(*value.number);
}

bool tell_count(Point& point, const std::string& name, const Value& value) {
  bool is_told = false;
  for_each_count(point, [&](std::string_view field, Count& count) {
    if (field != name) return;
    count = count_told(name, value);
    is_told = true;
  });
  return is_told;
}

void tell_axis(Point& point, const std::string& name, const Value& value) {
  const auto known = std::find_if(point.axes.begin(), point.axes.end(),
                                  [&](const auto& axis) { return axis.first == name; });
  if (known != point.axes.end()) {
    known->second = value;
  } else {
    point.axes.emplace_back(name, value);
  }
}

}  // namespace

void complete(Layout& layout) {
  const bool is_split = layout.tp || layout.pp || layout.cp;
  const Count replica =
      product({layout.tp.value_or(1), layout.pp.value_or(1), layout.cp.value_or(1)});
  if (is_split) {
    fill(layout.dp, quotient(layout.gpus, replica));
    fill(layout.gpus, layout.dp ? product({replica, layout.dp}) : std::nullopt);
  }
  if (!layout.dp) return;
  fill(layout.gbs, product({layout.mbs, layout.gas, layout.dp}));
  fill(layout.gas, quotient(layout.gbs, product({layout.mbs, layout.dp})));
  fill(layout.mbs, quotient(layout.gbs, product({layout.gas, layout.dp})));
}

NamedValues counts_of(const Point& point) {
  NamedValues counts;
  for_each_count(point, [&](std::string_view name, const Count& count) {
    if (count) counts.emplace_back(std::string(name), value_of(static_cast<double>(*count)));
  });
  return counts;
}

void tell(Point& point, const NamedValues& told) {
  for (const auto& [name, value] : told) {
    if (is_pattern_name(name) || value.text.empty()) continue;
    if (name == "size") {
      point.model.size = value.text;
    } else if (name == "style") {
      point.model.style = value.text;
    } else if (name == "trainer") {
      point.trainer = value.text;
    } else if (!tell_count(point, name, value)) {
      tell_axis(point, name, value);
    }
  }
  complete(point.layout);
}

namespace {

/// A factor that nobody says may be any.
void expect_multiple(std::string_view name, const Count& count,
                     const std::vector<std::pair<std::string_view, Count>>& factors) {
  std::int64_t product = 1;
  std::string text;
  bool all = true;
  for (const auto& [factor, value] : factors) {
    all = all && value;
    if (!value || *value < 1 || *value > INT64_MAX / product) continue;
    product *= *value;
    text += fmt::format("{}{} {}", text.empty() ? "" : " x ", factor, *value);
  }
  if (!count || (all ? *count == product : *count % product == 0)) return;
  throw ToldError(fmt::format(
      "{} {} is {}{}; what was said is taken back by its name and =, as --set {}=", name, *count,
      all ? "not " : "no multiple of ", text, name));
}

}  // namespace

void check_told(const Point& point, const NamedValues& told) {
  const Layout& layout = point.layout;
  const auto is_told = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* name) {
      const Value* value = find_value(told, name);
      return value && !value->text.empty();
    });
  };
  if (is_told({"gpus", "tp", "pp", "cp", "dp"}))
    expect_multiple("gpus", layout.gpus,
                    {{"tp", layout.tp}, {"pp", layout.pp}, {"cp", layout.cp}, {"dp", layout.dp}});
  if (is_told({"gbs", "mbs", "gas", "dp"}))
    expect_multiple("gbs", layout.gbs,
                    {{"mbs", layout.mbs}, {"gas", layout.gas}, {"dp", layout.dp}});
}

void add_unsaid(NamedValues& now, const NamedValues& before) {
  const bool has_patterns = std::any_of(
      now.begin(), now.end(), [](const auto& value) { return is_pattern_name(value.first); });
  for (const auto& value : before) {
    const bool is_said =
        is_pattern_name(value.first) ? has_patterns : find_value(now, value.first) != nullptr;
    if (!is_said) now.push_back(value);
  }
}

NamedValues overruled_by(const NamedValues& told, const Point& point) {
  NamedValues overruled;
  for (const auto& [name, value] : told) {
    const auto known = find_count(point, name);
    if (!known || !*known || value.text.empty()) continue;
    if (value.number != static_cast<double>(**known))
      overruled.emplace_back(name, value_of(std::to_string(**known)));
  }
  return overruled;
}

PointIds::PointIds(Environment env) {
  std::sort(env.begin(), env.end());
  for (const auto& variable : env)
    add_pair(env_key_, fmt::format("env {}", variable.first), variable.second);
}

/// As named_values() has them.
void PointIds::gather(const Point& point) {
  parts_.clear();
  const auto add_text = [&](std::string_view name, const std::string& text) {
    if (!text.empty()) parts_.push_back({name, nullptr, &text});
  };
  const auto add_counts = [&](const auto& owner, const auto& fields) {
    for (const auto& field : fields) {
      const Count& count = owner.*field.count;
      if (field.is_identity && count) parts_.push_back({field.name, nullptr, nullptr, *count});
    }
  };
  add_text("size", point.model.size);
  add_text("style", point.model.style);
  add_counts(point.model, kModelFields);
  add_counts(point.layout, kLayoutFields);
  for (const auto& axis : point.axes) parts_.push_back({axis.first, &axis.second});
}

void PointIds::sort() {
  const bool as_before =
      std::equal(parts_.begin(), parts_.end(), names_.begin(), names_.end(),
                 [](const Part& part, const std::string& name) { return part.name == name; });
  if (as_before) return;
  names_.clear();
  order_.clear();
  for (const auto& part : parts_) {
    order_.push_back(order_.size());
    names_.emplace_back(part.name);
  }
  std::sort(order_.begin(), order_.end(),
            [&](std::size_t a, std::size_t b) { return names_[a] < names_[b]; });
}

void PointIds::add(const Part& part) {
  const bool is_text = part.text || (part.value && !part.value->number);
  if (is_text) {
    add_pair(key_, part.name, identity_text(part.name, part.text ? *part.text : part.value->text));
    return;
  }
  const double number = part.value ? *part.value->number : static_cast<double>(part.count);
  const bool no_context_parallelism = part.name == "cp" && number == 1.0;
  if (no_context_parallelism) return;
  std::string text = "n";
  add_pair(key_, part.name, text += number_text(number));
}

std::string PointIds::id_of(const Point& point) {
  constexpr std::size_t kDigits = 16;
  gather(point);
  sort();
  key_.clear();
  add_pair(key_, "trainer", point.trainer);
  for (const std::size_t i : order_) add(parts_[i]);
  key_ += env_key_;
  return hash_of(key_).substr(0, kDigits);
}

std::string point_id(const Point& point, Environment env) {
  return PointIds(std::move(env)).id_of(point);
}

std::string point_name(const Point& point) {
  std::string name = size_name(point.model);
  append(name, "tp", point.layout.tp);
  append(name, "pp", point.layout.pp);
  append(name, "dp", point.layout.dp);
  if (point.layout.cp && *point.layout.cp > 1) append(name, "cp", point.layout.cp);
  append(name, "mbs", point.layout.mbs);
  append(name, "gas", point.layout.gas);
  for (const auto& axis : point.axes) {
    name += '-';
    name += axis.first;
    name += axis.second.text;
  }
  return name;
}

}  // namespace pippin
