// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <fmt/format.h>
#include <iterator>

#include "core/base/text.h"
#include "harness/scrape/trainers/all.h"

namespace pippin {

void TrainerLog::begin_launch(std::size_t trainer, std::string_view before) {
  const Speaker speaker = speaker_of(before);
  bool spoke = false;
  for (std::size_t i = 0; i < trainers().size(); ++i) {
    const StepRows& rows = std::as_const(launch_).rows(i);
    spoke = spoke || (!rows.empty() && (rows.spoke(speaker) || !speaker.is_rank));
  }
  if (spoke) {
    end_launch();
    launch_ = TrainerLaunch();
  }
  launch_.begins = true;
  const bool by_part = launch_.begun_by && trainers()[*launch_.begun_by]->is_part;
  if (!launch_.begun_by || by_part) launch_.begun_by = trainer;
}

namespace {

std::string unit_of(Pace pace) {
  const char* const units[] = {"ms", "steps/s", "samples/s", "tokens/s", "tokens/s/GPU"};
  return units[static_cast<std::size_t>(pace)];
}

}  // namespace

FoundCounts TrainerLog::counts() const {
  FoundCounts counts;
  counts.launches = ended_.size() + (launch_.begins ? 1U : 0U);
  counts.steps = added_;
  counts.arguments = launch_.facts.said_count() + said_by_ended_;
  counts.memory = launch_.memory.size();
  return counts;
}

void TrainerLog::add(std::size_t trainer, const StepRecord& record, std::string_view before) {
  if (!is_prefix(before)) return;
  ++added_;
  last_step_ = {record.step,
                fmt::format("{} step {}: {} {}", trainers()[trainer]->name, record.step,
                            number_text(record.figure.value), unit_of(record.pace))};
  const Speaker speaker = speaker_of(before);
  if (launch_.rows(trainer).add(record, speaker) == StepRows::Added::kRestart) {
    TrainerLaunch next = launch_.next();
    end_launch();
    launch_ = std::move(next);
    launch_.begins = true;
    launch_.rows(trainer).add(record, speaker);
  }
  if (!launch_.started_at && record.at) launch_.started_at = static_cast<std::int64_t>(*record.at);
  if (launch_.planned && record.step == *launch_.planned)
    launch_.ending.reached_last_iteration(
        fmt::format("{}step {} of {}", before, record.step, *launch_.planned));
}

void TrainerLog::could_not_use(std::string_view line, std::string_view reason, std::int64_t lines) {
  gives_nothing_yet(reason);
  add_unused(unused_, line, reason, lines);
}

void TrainerLog::gives_nothing_yet(std::string_view reason) {
  ++reason_count_;
  last_reason_ = reason;
}

void TrainerLog::end_launch() {
  said_by_ended_ += launch_.facts.said_count();
  ended_.push_back(std::move(launch_));
}

namespace {

const TrainerFormat* const kTrainers[] = {
    &kColossalai,       &kComposer,    &kDeepspeed, &kEzpz,          &kFmsFsdp,  &kHuggingface,
    &kLightning,        &kLingua,      &kLitgpt,    &kLlmC,          &kLmEngine, &kMaxText,
    &kMegatronProgress, &kMindformers, &kMlPerf,    &kModdedNanoGpt, &kNanochat, &kNanoGpt,
    &kNanotron,         &kNemo,        &kOlmo,      &kOlmoCore,      &kPicotron, &kTorchtitan,
    &kTorchtune,        &kVerl,
};

}  // namespace

std::span<const TrainerFormat* const> trainers() { return kTrainers; }

}  // namespace pippin
