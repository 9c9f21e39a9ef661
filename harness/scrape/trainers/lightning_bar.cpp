// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/trainers/lightning_bar.h"

#include <algorithm>
#include <string>

#include "core/base/units.h"
#include "harness/scrape/characters.h"
#include "harness/scrape/trainers/step_fields.h"

namespace pippin {

namespace {

/// "41.36s/it" or "1.64it/s" as ms of one. The first tells no time where tqdm has none: "?it/s".
std::optional<Figure> pace_of(std::string_view text) {
  const auto figure = figure_at(text);
  if (!figure || !(figure->value > 0)) return std::nullopt;
  const auto unit = text.substr(figure->size);
  if (unit.starts_with("s/it")) return scaled(*figure, kMsPerSecond);
  if (!unit.starts_with("it/s")) return std::nullopt;
  const double time = kMsPerSecond / figure->value;
  return Figure{time, time * figure->quantum / figure->value, figure->size};
}

/// Behind "Epoch 0:   1%|## | ", "Epoch 0:   1% " of a bar without room, or "Epoch 0: : " where the
/// total is not known; moves `epoch` there. 0: no such thing stands there.
std::size_t end_of_percent(std::string_view text, std::int64_t& epoch) {
  constexpr std::string_view kEpoch = "Epoch ";
  const auto number = figure_at(text.substr(kEpoch.size()));
  const Count count = count_of(number);
  if (!count) return 0;
  const std::size_t colon = kEpoch.size() + number->size;
  const std::size_t at = std::min(text.find_first_not_of(": ", colon), text.size());
  const auto said = figure_at(text.substr(at));
  if (!text.substr(colon).starts_with(':') || !said) return 0;
  epoch = *count;
  const std::size_t end = at + said->size;
  if (text.substr(end).starts_with("it [")) return at;
  if (text.substr(end).starts_with("% ")) return end + 2;
  const auto bar = text.substr(end).starts_with("%|") ? text.find("| ", end + 2) : text.npos;
  return bar == text.npos ? 0 : bar + 2;
}

std::optional<LightningBar> bar_at(std::string_view line, std::size_t at) {
  LightningBar bar;
  bar.before = line.substr(0, at);
  if (bar.before.ends_with("^M")) bar.before.remove_suffix(2);  // a return, as editors show it
  const auto counts = end_of_percent(line.substr(at), bar.epoch);
  if (counts == 0) return std::nullopt;
  auto rest = line.substr(at + counts);
  const auto done = figure_at(rest);
  const auto open = rest.find(" ["), close = rest.find(']', std::min(open, rest.size()));
  const bool whole = open != std::string_view::npos && close != std::string_view::npos;
  if (!done || !count_of(done) || !whole) return std::nullopt;
  bar.done = *count_of(done);
  if (rest.substr(done->size).starts_with('/'))
    bar.total = count_of(figure_at(rest.substr(done->size + 1)));
  rest = rest.substr(open + 2, close - open - 2);
  const auto comma = rest.find(", ");
  if (comma == std::string_view::npos) return bar;
  rest = left_trim(rest.substr(comma + 2));
  bar.pace_ms = pace_of(rest);
  const auto fields = rest.find(", ");
  // Without a rate, as NeMo sets its bar up, fields come first.
  bar.fields = rest.substr(0, fields).find('=') != std::string_view::npos ? rest
               : fields == std::string_view::npos                         ? std::string_view()
                                                                          : rest.substr(fields + 2);
  return bar;
}

}  // namespace

std::optional<Figure> LightningBar::field(std::string_view name) const {
  const auto text = text_of(name);
  return text ? figure_at(*text) : std::nullopt;
}

std::optional<std::string_view> LightningBar::text_of(std::string_view name) const {
  return text_after(fields, std::string(name) + '=');
}

std::optional<LightningBar> lightning_bar_of(std::string_view line) {
  // A message may follow the last bar: "…]Epoch 0, global step 5: 'val_loss' reached 10.95 …". Each
  // is searched up to the next only: a line of many that are cut may be long.
  for (auto at = line.rfind("Epoch "); at != std::string_view::npos;
       at = at == 0 ? std::string_view::npos : line.rfind("Epoch ", at - 1)) {
    if (auto bar = bar_at(line, at)) return bar;
    line = line.substr(0, at);
  }
  return std::nullopt;
}

void HeldSteps::hold(const StepRecord& record, std::string_view before, const Take& take) {
  const auto [at, is_new] = held_.try_emplace(speaker_of(before).name);
  Held& held = at->second;
  if (!is_new && held.record.step != record.step) take(held.record, held.before);
  const bool is_redrawn = !is_new && held.record.step == record.step;
  // A moving mean: the pace of a bar that is drawn again after an evaluation has that in it.
  const Figure pace =
      is_redrawn && record.span == Span::kWindow ? held.record.figure : record.figure;
  held = {record, std::string(before)};
  held.record.figure = pace;
}

void HeldSteps::end(std::string_view before, const Take& take) {
  const Speaker speaker = speaker_of(before);
  if (!speaker.is_rank) return flush(take);
  const auto held = held_.find(speaker.name);
  if (held == held_.end()) return;
  take(held->second.record, held->second.before);
  held_.erase(held);
}

void HeldSteps::drop(std::string_view before) { held_.erase(speaker_of(before).name); }

void HeldSteps::flush(const Take& take) {
  for (const auto& of_speaker : held_) take(of_speaker.second.record, of_speaker.second.before);
  held_.clear();
}

}  // namespace pippin
