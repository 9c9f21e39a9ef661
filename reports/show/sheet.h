// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "reports/flat_table.h"

namespace pippin {

struct SheetFact {
  std::string name, title;  ///< for programs, for people; without a title: for programs alone
  std::string text;
  FlatValue value;
};

/// What a page draws: points in their order, along iterations or moments.
struct SheetSeries {
  std::string title, lead;  ///< the second: a sentence on what it shows
  std::string x_title, y_title;
  bool x_is_moment = false;   ///< seconds since 1970, UTC
  bool y_is_seconds = false;  ///< else of the unit that its title names
  std::vector<double> x = {}, y = {};
  std::vector<std::uint32_t> marks =
      {};  ///< of each point its place in `mark_texts`; 0: it is plain
  std::vector<std::string> mark_texts = {};  ///< why points stand apart; the first is empty
};

/// Bars of parts that add up, such as the memory of each stage.
struct SheetStacks {
  std::string title, lead;
  std::string unit;                        ///< "GiB"; "s" is drawn as a duration
  std::vector<std::string> bars, parts;    ///< their names
  std::vector<std::vector<double>> sizes;  ///< of each bar those of its parts
  std::optional<double> limit = {};        ///< a line across all bars, and what it is
  std::string limit_text = {};
};

/// Facts, values that are drawn, a table and sentences: whatever there is of them.
struct SheetPart {
  std::string name, title;  ///< for programs, for people
  std::vector<SheetFact> facts = {};
  std::vector<double> values = {};  ///< for a sparkline
  std::string values_are = {};      ///< "20 steps, 5.31 s to 5.52 s"
  std::optional<SheetSeries> series = {};
  std::optional<SheetStacks> stacks = {};
  std::optional<FlatTable> table = {};
  std::string code = {};  ///< as a shell has it
  std::vector<std::string> remarks = {};

  void put_table(const char* rows_are, std::vector<FlatColumn> columns);
  /// "and 7 runs more, older than these"; nothing where none is left out. `how`: may be empty.
  void say_left_out(std::size_t count, const char* what, const std::string& how);

  bool empty() const {
    return facts.empty() && values.empty() && code.empty() && remarks.empty() &&
           (!table || table->columns.empty() || table->columns.front().values.empty());
  }
};

/// What is known of one thing, in the order in which it is read.
struct Sheet {
  std::string kind;  ///< "run", "point", "sweep", "node", "estimate"
  std::string name;
  std::vector<std::string> said;  ///< sentences; the first says what it is and how it went
  std::vector<SheetPart> parts = {};

  /// Nothing where there is nothing to it.
  void add(SheetPart part) {
    if (!part.empty()) parts.push_back(std::move(part));
  }
};

/// A sheet as it is written down.
struct SheetTable {
  Sheet sheet;
  std::size_t width = 100;  ///< columns that a line may take; 0: any
  bool colours = false, ascii = false;
};

struct SheetFormat {
  std::string name;
  void (*write)(const SheetTable& table, std::ostream& out);  ///< nullptr: a page (page/page.h)
};

const std::vector<SheetFormat>& sheet_formats();

/// Errors: Error (bad input) naming the near format where there is none of that name.
const SheetFormat& sheet_format_named(const std::string& name);

void write_sheet_terminal(const SheetTable& table, std::ostream& out);
void write_sheet_json(const SheetTable& table, std::ostream& out);

/// "5.36 s", "48.1 ms", "71.3 us".
std::string step_text(double ms);

/// Facts of a part, those that are not known left out.
class FactList {
 public:
  void add(const std::string& name, const std::string& title, const std::string& text);
  void add(const std::string& name, const std::string& title, const std::string& text,
           FlatValue value);
  void add_count(const std::string& name, const std::string& title,
                 const std::optional<std::int64_t>& count);
  void add_time(const std::string& name, const std::string& title,
                const std::optional<std::int64_t>& seconds);
  void add_hidden(const std::string& name, FlatValue value);  ///< for programs alone
  std::vector<SheetFact> take() { return std::move(facts_); }

 private:
  std::vector<SheetFact> facts_;
};

}  // namespace pippin
