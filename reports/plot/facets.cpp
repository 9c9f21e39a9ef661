// SPDX-License-Identifier: Apache-2.0
#include "reports/plot/facets.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <unordered_map>

#include "core/base/text.h"
#include "core/base/units.h"
#include "reports/column_names.h"
#include "reports/columns.h"
#include "reports/point_columns.h"
#include "reports/values.h"

namespace pippin {

namespace {

/// Of models and layouts, by the names of their columns.
constexpr std::array<const char*, 12> kProperties{"size", "layers", "hidden", "seq", "gpus", "tp",
                                                  "pp",   "dp",     "cp",     "mbs", "gas",  "gbs"};

/// What others mostly imply, in the order in which it is left out.
constexpr std::array<const char*, 6> kImplied{"gbs", "gas", "dp", "gpus", "layers", "hidden"};

/// What a point has of a column; of a model's size a text that people read.
std::string value_in(const Column& column, const Summary& row) {
  if (!column.kind) return axis_cell(row.point, column.axis);
  if (std::string_view(column.kind->name) == "size") {
    const Count& params = row.point.model.params;
    return params ? size_text(static_cast<double>(*params)) : row.point.model.size;
  }
  return exact_text(column.kind->fields.front(), row);
}

/// A number of many digits as people read it.
std::string shown(const std::string& value) {
  constexpr std::size_t kLong = 7;
  const auto number = value.size() > kLong && value.find('.') != std::string::npos
                          ? parse_number(value)
                          : std::nullopt;
  return number ? short_number(*number, 4) : value;
}

/// Gathers the values of one column, row by row.
class Gathered {
 public:
  explicit Gathered(Column column) : column_(std::move(column)) {}

  void add(const Summary& row) {
    std::string value = value_in(column_, row);
    const bool is_size = column_.kind && std::string_view(column_.kind->name) == "size";
    const double key = is_size && row.point.model.params
                           ? static_cast<double>(*row.point.model.params)
                           : parse_number(value).value_or(0);
    const auto [place, is_new] =
        numbers_.try_emplace(std::move(value), static_cast<std::uint32_t>(keys_.size()));
    if (is_new) keys_.push_back(key);
    of_rows_.push_back(place->second);
  }

  bool differs() const { return numbers_.size() - numbers_.count("") > 1; }

  Facet facet(const std::vector<std::string>& taken) && {
    Facet facet;
    facet.name = column_.kind ? column_.kind->name : axis_title(column_.axis, taken);
    facet.title = column_.kind ? column_.title : column_.axis;
    facet.is_plain = facet.name == "size" || facet.name == "selection" || facet.name == "day";
    facet.has_unknown = numbers_.count("") == 1;
    std::vector<std::pair<std::string, std::uint32_t>> sorted(numbers_.begin(), numbers_.end());
    std::sort(sorted.begin(), sorted.end(), [&](const auto& a, const auto& b) {
      return is_before(a.first, keys_[a.second], b.first, keys_[b.second]);
    });
    std::vector<std::uint32_t> places(sorted.size());
    for (auto& [value, number] : sorted) {
      places[number] = static_cast<std::uint32_t>(facet.values.size());
      facet.texts.push_back(shown(value));
      facet.values.push_back(std::move(value));
    }
    for (auto& place : of_rows_) place = places[place];
    facet.of_rows = std::move(of_rows_);
    return facet;
  }

 private:
  /// What is unknown first, then numbers, then texts.
  static bool is_before(const std::string& a, double key_a, const std::string& b, double key_b) {
    const auto kind = [](const std::string& text, double key) {
      return text.empty() ? 0 : key != 0 || parse_number(text) ? 1 : 2;
    };
    const int kind_a = kind(a, key_a), kind_b = kind(b, key_b);
    return std::tie(kind_a, key_a, a) < std::tie(kind_b, key_b, b);
  }

  Column column_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
  std::vector<double> keys_;  // by number
  std::vector<std::uint32_t> of_rows_;
};

/// How many unlike combinations rows have of some facets.
std::size_t combinations(const std::vector<const Facet*>& facets) {
  if (facets.empty()) return 1;
  std::vector<std::uint32_t> of_rows = facets.front()->of_rows;
  std::size_t count = facets.front()->values.size();
  for (std::size_t i = 1; i < facets.size(); ++i) {
    std::unordered_map<std::uint64_t, std::uint32_t> numbers;
    for (std::size_t row = 0; row < of_rows.size(); ++row) {
      const std::uint64_t both = std::uint64_t{of_rows[row]} << 32 | facets[i]->of_rows[row];
      of_rows[row] =
          numbers.try_emplace(both, static_cast<std::uint32_t>(numbers.size())).first->second;
    }
    count = numbers.size();
  }
  return count;
}

std::size_t combinations_with(const Facet& x, std::vector<const Facet*> facets) {
  facets.push_back(&x);
  return combinations(facets);
}

/// What may follow from the others, in the order in which it is left out: own axes, those of most
/// values first, for what a sweep derives has as many as points; then what layouts imply.
std::vector<const Facet*> likely_derived(const std::vector<const Facet*>& facets) {
  std::vector<const Facet*> derived;
  for (const Facet* facet : facets)
    if (!is_property(facet->name)) derived.push_back(facet);
  std::stable_sort(derived.begin(), derived.end(), [](const Facet* a, const Facet* b) {
    return a->values.size() > b->values.size();
  });
  for (const char* name : kImplied) {
    for (const Facet* facet : facets)
      if (facet->name == name) derived.push_back(facet);
  }
  return derived;
}

}  // namespace

std::vector<Facet> facets_of(const RowRange& rows) {
  const std::vector<std::string> names(kProperties.begin(), kProperties.end());
  std::vector<std::string> taken = names;
  taken.insert(taken.end(), {"time", "scaling"});  // what --plot takes besides
  std::vector<Gathered> all;
  for (auto& column : usual_columns(names)) all.emplace_back(std::move(column));
  const RowFacts facts = facts_of(rows);
  for (auto& column : axis_columns(facts)) all.emplace_back(std::move(column));
  for (auto& column : usual_columns(naming_columns(facts))) {
    const std::string_view name = column.kind->name;  // what a row is of, unless it is of one run
    if (name == "selection" || name == "day") all.emplace_back(std::move(column));
  }
  for (const Summary& row : rows) {
    for (auto& one : all) one.add(row);
  }
  std::vector<Facet> facets;
  for (auto& one : all) {
    if (one.differs()) facets.push_back(std::move(one).facet(taken));
  }
  return facets;
}

bool is_property(std::string_view name) {
  return std::find(kProperties.begin(), kProperties.end(), name) != kProperties.end();
}

const Facet* facet_named(const std::vector<Facet>& facets, const std::string& word) {
  const ColumnName* known = find_column_name(word);
  for (const auto& name : {word, known ? known->name : "", axis_name_of(word)}) {
    const auto found = std::find_if(facets.begin(), facets.end(),
                                    [&](const Facet& facet) { return facet.name == name; });
    if (found != facets.end()) return &*found;
  }
  return nullptr;
}

std::vector<const Facet*> facets_beside(const std::vector<Facet>& facets, const Facet& x) {
  std::vector<const Facet*> chosen;
  for (const auto& facet : facets) {
    // What x alone decides tells nothing more.
    if (&facet != &x && combinations({&x, &facet}) > x.values.size()) chosen.push_back(&facet);
  }
  const std::size_t unlike = combinations_with(x, chosen);
  for (const Facet* facet : likely_derived(chosen)) {
    std::vector<const Facet*> fewer = chosen;
    fewer.erase(std::find(fewer.begin(), fewer.end(), facet));
    if (combinations_with(x, fewer) == unlike) chosen = std::move(fewer);
  }
  return chosen;
}

std::string facets_text(const std::vector<const Facet*>& facets, std::size_t row) {
  std::vector<std::string> parts;
  for (const Facet* facet : facets) {
    const std::string& value = facet->texts[facet->of_rows[row]];
    if (value.empty()) continue;
    parts.push_back(facet->is_plain ? value : facet->title + " " + value);
  }
  return join(parts, ", ");
}

RowSeries series_by(const std::vector<const Facet*>& facets, std::size_t rows) {
  std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>> groups;
  std::vector<std::uint32_t> key(facets.size());
  for (std::uint32_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < facets.size(); ++i) key[i] = facets[i]->of_rows[row];
    groups[key].push_back(row);
  }
  RowSeries series;
  series.of_rows.resize(rows);
  for (const auto& [values, of_group] : groups) {
    for (const auto row : of_group)
      series.of_rows[row] = static_cast<std::uint32_t>(series.names.size());
    series.names.push_back(facets_text(facets, of_group.front()));
  }
  return series;
}

}  // namespace pippin
