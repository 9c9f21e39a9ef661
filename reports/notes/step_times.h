// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "reports/notes/row_facts.h"
#include "reports/notes/row_values.h"

namespace pippin {

/// The time of a step as a row has it. Unit: milliseconds.
struct NotedStepTime {
  Measure ms;
  std::string law;  ///< by which it follows from another figure: "GBS / (samples/s)"; else empty
};

/// How the rows of one table say the time of a step.
class StepTimes {
 public:
  /// Keeps a reference to the facts.
  explicit StepTimes(const TableFacts& facts);

  /// Whether the table has a column of times, throughputs or TFLOPS.
  bool has_column() const;
  /// Why no row can have a time, with the column and what to say; empty where some can.
  std::string refusal() const;
  /// What was taken where several columns are times; empty where there is nothing to say.
  std::string choice() const;

  /// The noted time, else what follows from a throughput, else from TFLOPS by the law that was
  /// said. Nothing where all those cells are empty or words for an outcome; says in `problem`
  /// where one is neither.
  std::optional<NotedStepTime> of(const MarkdownRow& row, const SaidOfRow& said,
                                  std::string& problem) const;
  /// Why a noted time and a throughput of the same row cannot both be right; else empty.
  std::string contradiction(const MarkdownRow& row, const SaidOfRow& said,
                            const NotedStepTime& time) const;

 private:
  std::optional<NotedStepTime> noted(const MarkdownRow& row, const SaidOfRow& said,
                                     std::string& problem) const;
  std::optional<NotedStepTime> by_rate(const MarkdownRow& row, const RateColumn& column,
                                       const SaidOfRow& said, std::string& problem) const;
  std::optional<NotedStepTime> by_tflops(const MarkdownRow& row, const SaidOfRow& said,
                                         std::string& problem) const;
  std::vector<std::string> unsaid_of(const RateColumn& column) const;

  const TableFacts& facts_;
  std::optional<FlopsLaw> law_;  ///< of TFLOPS; nothing where one was not said
};

}  // namespace pippin
