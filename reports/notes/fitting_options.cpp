// SPDX-License-Identifier: Apache-2.0
#include "reports/notes/fitting_options.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

#include "core/base/text.h"
#include "reports/notes/row_values.h"
#include "reports/notes/tflops_cells.h"
#include "reports/notes/times.h"

namespace pippin {

namespace {

constexpr std::array<std::int64_t, 7> kSequences{512, 1024, 2048, 4096, 8192, 16384, 32768};
/// GPT-2's, as it is and padded in usual ways; Llama's; Llama 3's; BLOOM's.
constexpr std::array<std::int64_t, 7> kVocabularies{50257, 50304,  50688, 51200,
                                                    32000, 128256, 250880};

/// Values for all that is unsaid.
struct Guess {
  FlopsLaw law;
  Count seq, vocab;
  std::vector<std::string> options;
};

/// What a row states, and how far it may be off: by rounding, its own and that of its time.
struct Statement {
  RowValues values;
  double tflops = 0, slack = 0;
};

std::vector<Statement> statements_of(const TableFacts& facts, const MarkdownTable& table) {
  const NoteColumns& columns = facts.columns();
  constexpr double kHalf = 0.5;
  std::vector<Statement> statements;
  for (const auto& row : table.rows) {
    const auto stated = stated_tflops(columns.text(row, "tflops"));
    const auto values = row_values(facts, row);
    const auto time = time_in(columns.text(row, "step_time"), columns.title("step_time"));
    if (!stated || !stated->style || !values || !time || !(time->value > 0)) continue;
    const double digit = std::pow(10.0, -static_cast<double>(stated->style->decimals));
    const double of_time = stated->value * time->step / time->value;
    statements.push_back({*values, stated->value, kHalf * (digit + of_time)});
  }
  return statements;
}

std::vector<FlopsLaw> laws_for(const NoteSettings& settings) {
  std::vector<FlopsLaw> laws;
  for (const FlopsLaw law :
       {FlopsLaw{FlopsFormula::kParams, true}, FlopsLaw{FlopsFormula::kParams, false},
        FlopsLaw{FlopsFormula::kHardware, true}, FlopsLaw{FlopsFormula::kModel, false}}) {
    const bool by_formula = !settings.formula || *settings.formula == law.formula;
    const bool by_recompute = law.formula != FlopsFormula::kParams || !settings.full_recompute ||
                              *settings.full_recompute == law.full_recompute;
    if (by_formula && by_recompute) laws.push_back(law);
  }
  return laws;
}

std::vector<Guess> guesses_for(const TableFacts& facts) {
  const std::vector<Count> known{std::nullopt};
  const std::vector<Count> sequences =
      facts.is_said("seq") ? known : std::vector<Count>(kSequences.begin(), kSequences.end());
  std::vector<Guess> guesses;
  for (const auto& law : laws_for(facts.settings())) {
    const bool has_vocab = law.formula == FlopsFormula::kParams || facts.is_said("vocab");
    const std::vector<Count> vocabularies =
        has_vocab ? known : std::vector<Count>(kVocabularies.begin(), kVocabularies.end());
    for (const Count& seq : sequences) {
      for (const Count& vocab : vocabularies) guesses.push_back({law, seq, vocab, {}});
    }
  }
  return guesses;
}

std::size_t fits(const Guess& guess, const std::vector<Statement>& statements) {
  std::size_t count = 0;
  for (const auto& statement : statements) {
    RowValues values = statement.values;
    if (guess.seq) values.model.seq = guess.seq;
    if (guess.vocab) values.model.vocab = guess.vocab;
    const auto tflops = tflops_of(values, guess.law);
    count += tflops && std::abs(*tflops - statement.tflops) <= statement.slack;
  }
  return count;
}

std::string text_of(const Guess& guess, const NoteSettings& settings) {
  std::string text;
  const auto add = [&](std::string_view name, const std::string& value) {
    text += fmt::format("{}--set {}={}", text.empty() ? "" : " ", name, value);
  };
  if (guess.seq) add("seq", std::to_string(*guess.seq));
  if (guess.vocab) add("vocab", std::to_string(*guess.vocab));
  if (!settings.formula) add("formula", std::string(text_of(guess.law.formula)));
  if (guess.law.formula == FlopsFormula::kParams && !settings.full_recompute)
    add("recompute", guess.law.full_recompute ? "full" : "none");
  return text;
}

}  // namespace

std::string fitting_options(const TableFacts& facts, const MarkdownTable& table) {
  const auto statements = statements_of(facts, table);
  std::size_t most = 1;
  const Guess* best = nullptr;
  const auto guesses = guesses_for(facts);
  for (const auto& guess : guesses) {
    const std::size_t count = fits(guess, statements);
    if (count < most || count < 2) continue;
    best = count > most ? &guess : nullptr;  // two that fit alike tell nothing
    most = count;
  }
  constexpr std::size_t kMostOf = 2;  // more than one of so many rows
  if (!best || most * kMostOf <= statements.size()) return "";
  return fmt::format("{} in {} of {} rows", text_of(*best, facts.settings()), most,
                     statements.size());
}

}  // namespace pippin
