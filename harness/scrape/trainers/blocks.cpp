// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/trainers/blocks.h"

#include <algorithm>
#include <utility>

#include "core/base/text.h"
#include "harness/scrape/trainers/prefix.h"

namespace pippin {

std::optional<std::string_view> Block::text(std::string_view name) const {
  const auto field = fields.find(name);
  return field == fields.end() ? std::nullopt : std::optional<std::string_view>(field->second);
}

std::optional<Figure> Block::figure(std::string_view name) const {
  const auto value = text(name);
  return value ? figure_at(*value) : std::nullopt;
}

Count Block::count(std::string_view name) const { return count_of(figure(name)); }

Block& Blocks::begin(std::string_view before, std::string_view head, const Take& take) {
  const auto open = open_of(speaker_of(before).name);
  if (open != open_.end() && open->second.head == head) return open->second;
  end(before, take);
  Block block{std::string(before), std::string(head), 0, {}};
  return open_.emplace_back(speaker_of(before).name, std::move(block)).second;
}

void Blocks::add(std::string_view before, std::string_view name, std::string_view value) {
  const std::string speaker = speaker_of(before).name;
  auto of = std::find_if(open_.rbegin(), open_.rend(),
                         [&](const auto& block) { return block.first == speaker; });
  if (of == open_.rend())
    of = std::find_if(open_.rbegin(), open_.rend(),
                      [&](const auto& block) { return block.first.starts_with(speaker); });
  if (of != open_.rend()) of->second.fields.emplace(name, trim(value));
}

void Blocks::end(std::string_view before, const Take& take) {
  const auto open = open_of(speaker_of(before).name);
  if (open == open_.end()) return;
  take(open->second);
  open_.erase(open);
}

std::vector<Blocks::Open>::iterator Blocks::open_of(std::string_view speaker) {
  return std::find_if(open_.begin(), open_.end(),
                      [&](const auto& open) { return open.first == speaker; });
}

void Blocks::flush(const Take& take) {
  for (const auto& of_speaker : open_) take(of_speaker.second);
  open_.clear();
}

}  // namespace pippin
