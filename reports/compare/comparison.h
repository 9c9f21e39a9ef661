// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "core/records/summary.h"
#include "reports/statistics/verdict.h"
#include "reports/text_table.h"

namespace pippin {

/// What was measured of a configuration on one side.
struct ComparedSide {
  double mean_s = 0;
  std::size_t allocations = 0;
  std::size_t days = 0;  ///< 0 where one is unknown
};

/// One configuration that both sides have.
struct ComparedRow {
  Point point;  ///< as the new side has it
  ComparedSide base, other;
  double estimate = 0;  ///< logarithm of the ratio; beside the common mode, where there is one
  std::optional<Difference> difference;  ///< the same; nothing where a side has one allocation
  bool by_work = false;  ///< of GPU time a sequence, as the sides do unlike work in a step
  bool paired = false;   ///< within allocations that both sides share
  std::string unit;      ///< "allocation" or "day": what was repeated
  std::optional<double> p, p_adjusted;  ///< of no difference; the second among all rows
  Verdict verdict = Verdict::kUndetermined;
  std::optional<double> minimum_detectable;     ///< a ratio above 1
  std::optional<std::size_t> more_allocations;  ///< or days, a side; only where undetermined
  std::vector<std::string> remarks;
};

/// The shift that most rows share.
struct CommonMode {
  Difference difference;  ///< of logarithms
  Verdict verdict = Verdict::kUndetermined;
  std::size_t rows = 0;  ///< that share it
};

/// What was not measured on both sides, and why, as far as there are runs of it.
struct Uncompared {
  std::string point, reason;
};

/// Two selections of runs, row by row.
struct Comparison {
  std::string base, other;  ///< what people call the sides
  Judgement judgement;
  std::vector<ComparedRow> rows;
  std::optional<CommonMode> common;
  std::vector<Uncompared> only_base, only_other, on_neither;
  std::vector<std::string> set_aside;  ///< "gpt/1: 1 run is dropped: its node was broken"
};

/// One side of it.
struct ComparisonSide {
  std::string name;
  std::vector<PointSamples> points;
  std::string set_aside =
      {};  ///< which runs are not in it: "1 run is dropped: its node was broken"
};

/// Compares what both sides have measured.
/// Shape: rows in the order of `other`. A point is the same by its id, else by its name; where each
/// side is one point, they are compared whatever they are. Only runs that went well count; runs of
/// equal allocation text share it. A ratio is the other side's step time by the base's: above 1 is
/// slower. Requires digested runs.
Comparison compare(const ComparisonSide& base, const ComparisonSide& other,
                   const Judgement& judgement);

/// A comparison as it is written down.
struct ComparisonTable {
  Comparison comparison;
  std::size_t width = 100;   ///< columns that a line may take; 0: any
  bool colours = false;      ///< only on a terminal
  std::string command = {};  ///< that makes it again; for a page
  std::int64_t made_at = 0;  ///< then: seconds since 1970
};

/// One way to write it down. A new one is a function and a line in formats.cpp.
struct ComparisonFormat {
  std::string name;
  void (*write)(const ComparisonTable& table, std::ostream& out);
};

/// Errors: Error (bad input) naming the near format where there is none of that name.
const ComparisonFormat& comparison_format_named(const std::string& name);

void write_comparison_terminal(const ComparisonTable& table, std::ostream& out);
void write_comparison_markdown(const ComparisonTable& table, std::ostream& out);
void write_comparison_csv(const ComparisonTable& table, std::ostream& out);
void write_comparison_json(const ComparisonTable& table, std::ostream& out);
/// The document of its page, as page_document() makes one.
std::string comparison_document(const ComparisonTable& table);
void write_comparison_html(const ComparisonTable& table, std::ostream& out);

/// What people read of it: point, both times, ratio, its interval, verdict, …; and sentences below.
std::vector<TextColumn> comparison_columns(const Comparison& comparison);
/// By what each of those is sorted: names of compared_fields().
std::vector<const char*> fields_of_comparison_columns();
std::vector<std::string> comparison_remarks(const Comparison& comparison);

/// What programs read of a row, by column.
struct ComparedField {
  const char* name;
  std::string (*text)(const ComparedRow& row);
  bool is_number = true;
};
const std::vector<ComparedField>& compared_fields();

}  // namespace pippin
