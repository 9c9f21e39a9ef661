// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/trainers/readers.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "harness/scrape/lines.h"
#include "harness/scrape/log_texts.h"

namespace pippin {

namespace {

/// Of which trainer the steps of a launch are: those that tell most of single steps, and of two
/// that tell as much the first in the table; one that is a part of others comes last.
std::optional<std::size_t> best_trainer(const TrainerLaunch& launch) {
  std::optional<std::size_t> best;
  const auto rank = [&](std::size_t i) {
    return std::pair(launch.rows(i).rows().front().record.span, trainers()[i]->is_part);
  };
  for (std::size_t i = 0; i < trainers().size(); ++i) {
    if (launch.rows(i).empty()) continue;
    if (!best || rank(i) < rank(*best)) best = i;
  }
  return best;
}

/// Requires `found` to have its unused lines.
void add_findings(TrainerFindings& found, TrainerLaunch& launch, bool parts,
                  const LogHints& hints) {
  const auto of = best_trainer(launch);
  if (!of && !launch.begun_by) return;
  const TrainerFormat& trainer = *trainers()[of.value_or(launch.begun_by.value_or(0))];
  if (trainer.is_part && !parts) return;
  const StepRows& rows = std::as_const(launch).rows(of.value_or(0));
  launch.facts.take(hints.told);
  launch.facts.complete();
  if (trainer.apply_laws) trainer.apply_laws(launch.facts, rows);
  TrainerRun made = run_of(launch, trainer.name, rows, hints.planned);
  const bool is_done = rows.empty() && made.run.end == RunState::kOk;
  if (is_done || (!rows.empty() && made.run.iterations.empty())) {
    const std::string why = found.unused.empty() ? "" : ": " + found.unused.front().reason;
    const std::string problem = is_done                ? "none of its steps has a time" + why
                                : made.problem.empty() ? "its times can be none"
                                                       : made.problem;
    found.problems.push_back(fmt::format("looks like a log of {}, but {}", trainer.name, problem));
    return;
  }
  found.runs.push_back(std::move(made.run));
}

/// As far as a line is sure: where its end did not come, its last word may be cut, and with it a
/// number. `hits` has those that are left.
FoundLine sure_part(const FoundLine& line, std::vector<Needles::Hit>& hits) {
  if (line.terminated) return line;
  FoundLine sure = line;
  sure.text = without_cut_word(line.text);
  sure.labelled.remove_suffix(line.text.size() - sure.text.size());
  const char* end = sure.text.data() + sure.text.size();
  for (const auto& hit : line.hits) {
    if (hit.at + log_texts().all[hit.needle].size() <= end) hits.push_back(hit);
  }
  sure.hits = hits;
  sure.terminated = true;
  return sure;
}

}  // namespace

TrainerReaders::TrainerReaders(std::uint64_t which) : which_(which) {
  if (which == 0) return;
  for (std::size_t i = 0; i < trainers().size(); ++i) {
    const bool is_wanted = (which >> i & 1) != 0;
    readers_.push_back(is_wanted ? trainers()[i]->reader(i) : nullptr);
  }
}

TrainerReaders::TrainerReaders(const TrainerReaders& other)
    : which_(other.which_), log_(other.log_) {
  for (const auto& reader : other.readers_) readers_.push_back(reader ? reader->copy() : nullptr);
}

bool TrainerReaders::want_next_line() const {
  return std::any_of(readers_.begin(), readers_.end(),
                     [](const auto& reader) { return reader && reader->wants_next_line(); });
}

void TrainerReaders::read(const FoundLine& line, const std::vector<TextRange>& texts,
                          const CommonTexts& common) {
  if (which_ == 0) return;
  std::vector<Needles::Hit> hits;
  const FoundLine sure = sure_part(line, hits);
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    if (!readers_[i]) continue;
    const LogLine of_trainer(sure, texts[i], common);
    const std::uint64_t found = of_trainer.found_in(sure.text);
    if (found != 0 || readers_[i]->wants_next_line())
      readers_[i]->read({sure.labelled, found, line.terminated}, log_);
  }
  log_.launch().see_common(line, common);
}

TrainerFindings TrainerReaders::finish(bool parts, const LogHints& hints) {
  TrainerFindings found;
  for (const auto& reader : readers_) {
    if (reader) reader->flush(log_);
  }
  found.unused = log_.unused();
  for (TrainerLaunch launch : log_.ended()) add_findings(found, launch, parts, hints);
  add_findings(found, log_.launch(), parts, hints);
  return found;
}

}  // namespace pippin
