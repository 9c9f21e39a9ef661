// SPDX-License-Identifier: Apache-2.0
#include "reports/row_range.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "reports/format.h"
#include "reports/page/page.h"
#include "tests/reports/samples.h"

using namespace pippin;

namespace {

std::vector<Summary> numbered(std::int64_t count) {
  std::vector<Summary> rows(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) rows[static_cast<std::size_t>(i)].run_number = i;
  return rows;
}

MadeRows made_of(const std::vector<Summary>& rows) {
  MadeRows made{{}, [rows](std::uint32_t of, Summary& row) { row = rows[of]; }};
  for (std::uint32_t i = 0; i < rows.size(); ++i) made.order.push_back(i);
  return made;
}

std::string text_in(const Format& format, const Report& report) {
  if (!format.write) {
    Page page;
    page.table = report;
    return page_document(page);
  }
  std::ostringstream text;
  format.write(report, text);
  return text.str();
}

std::vector<std::int64_t> numbers(const RowRange& rows) {
  std::vector<std::int64_t> all;
  for (const Summary& row : rows) all.push_back(row.run_number);
  CHECK(all.size() == rows.size());
  return all;
}

}  // namespace

TEST_CASE("rows come in their order, kept or made, all or some of them") {
  const auto kept = numbered(5);
  MadeRows made = made_of(kept);
  made.order = {4, 0, 3, 1};
  const auto is_odd = [](const Summary& row) { return row.run_number % 2 == 1; };
  const auto is_low = [](const Summary& row) { return row.run_number < 2; };
  CHECK(numbers(RowRange(kept)) == std::vector<std::int64_t>{0, 1, 2, 3, 4});
  CHECK(numbers(RowRange(made)) == std::vector<std::int64_t>{4, 0, 3, 1});
  CHECK(numbers(RowRange(kept).where(is_odd)) == std::vector<std::int64_t>{1, 3});
  CHECK(numbers(RowRange(made).where(is_odd)) == std::vector<std::int64_t>{3, 1});
  CHECK(numbers(RowRange(made).where(is_odd).where(is_low)) == std::vector<std::int64_t>{1});
  CHECK(RowRange(made).where([](const Summary&) { return false; }).empty());
}

TEST_CASE("a row is made once for each place that looks at it") {
  const auto kept = numbered(3);
  int calls = 0;
  MadeRows made = made_of(kept);
  made.make = [&](std::uint32_t of, Summary& row) {
    row = kept[of];
    ++calls;
  };
  for (const Summary& row : RowRange(made)) CHECK(row.run_number >= 0);
  CHECK(calls == 3);
  const RowRange range(made);
  const auto place = range.begin();
  CHECK(place->run_number == (*place).run_number);
  CHECK(calls == 4);
}

TEST_CASE("a table of made rows is that of kept ones in every format") {
  Report kept{test::summarize(test::sweep_samples(), {Samples::kClean, Rows::kRun})}, made;
  made.made = made_of(kept.rows);
  for (const auto& format : formats()) {
    const std::string of_kept = text_in(format, kept);
    CHECK(of_kept == text_in(format, made));
    CHECK_FALSE(of_kept.empty());
  }
}

TEST_CASE("rows of runs that are made one by one are those that are summed up together") {
  auto samples = test::sweep_samples();
  for (auto& more : test::foreign_samples()) samples.push_back(std::move(more));
  for (const Samples lines : {Samples::kClean, Samples::kAll}) {
    const RunRows runs(samples, lines);
    MadeRows made{{}, [&](std::uint32_t of, Summary& row) { row = runs.row(of); }};
    for (std::uint32_t i = 0; i < runs.size(); ++i) made.order.push_back(i);
    Report one_by_one, together{sum_up(samples, {lines, Rows::kRun})};
    one_by_one.made = made;
    for (const auto& format : formats())
      CHECK(text_in(format, one_by_one) == text_in(format, together));
    CHECK(runs.size() == together.rows.size());
  }
}
