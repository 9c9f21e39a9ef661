// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reports/row_range.h"

namespace pippin {

/// Something that differs between the points of rows: an axis, or what series are told apart by.
struct Facet {
  std::string name;                    ///< "mbs": as --plot takes it
  std::string title;                   ///< "MBS"
  bool is_plain = false;               ///< its values say what they are: "52B"
  std::vector<std::string> values;     ///< each once: numbers ascending, else by letters
  std::vector<std::string> texts;      ///< the same for people: long fractions are rounded
  std::vector<std::uint32_t> of_rows;  ///< the place of each row's value in `values`
  bool has_unknown = false;            ///< then the first value is empty: of rows without any
};

/// Properties of models and layouts, own axes, and the campaign or day that a row is of, of which
/// rows have at least two values.
std::vector<Facet> facets_of(const RowRange& rows);

/// Whether a column is of models and layouts: "mbs".
bool is_property(std::string_view name);

/// The one that a person means: by its name, its title or what people call it; null where there is
/// none.
const Facet* facet_named(const std::vector<Facet>& facets, const std::string& word);

/// Those of `facets` that tell rows of the same value of `x` apart. What follows from the others is
/// left out: GBS beside MBS, GAS and DP, and axes that a sweep derives.
std::vector<const Facet*> facets_beside(const std::vector<Facet>& facets, const Facet& x);

/// "TP 4, PP 8": what is known of a row.
std::string facets_text(const std::vector<const Facet*>& facets, std::size_t row);

/// Series of rows that have the same of some facets, in the order of those values.
struct RowSeries {
  std::vector<std::string> names;
  std::vector<std::uint32_t> of_rows;
};
RowSeries series_by(const std::vector<const Facet*>& facets, std::size_t rows);

}  // namespace pippin
