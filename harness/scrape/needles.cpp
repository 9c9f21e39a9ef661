#include "harness/scrape/needles.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

#include "harness/scrape/needle_marks.h"

namespace pippin {

namespace {

constexpr char kFeed = '\n';

/// Requires four bytes at least.
std::uint32_t first_bytes(const char* text) {
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, text, sizeof bytes);
  return bytes;
}

}  // namespace

Needles::Needles(const std::vector<std::string_view>& needles) : needles_(needles) {
  if (needles.size() > UINT16_MAX) throw std::logic_error("too many needles");
  for (const auto needle : needles) {
    if (needle.size() < kShortest) throw std::logic_error("a needle is too short");
  }
  const auto marks = choose_marks(needles);
  for (std::size_t i = 0; i < needles.size(); ++i) {
    const std::size_t offset = marks[i].offset;
    groups_[marks[i].group].push_back({first_bytes(needles[i].data() + offset),
                                       static_cast<std::uint16_t>(i),
                                       static_cast<std::uint16_t>(offset)});
  }
  make_tables();
}

void Needles::make_tables() {
  tables_ = {};
  for (std::size_t group = 0; group < groups_.size(); ++group) {
    for (const Member& member : groups_[group])
      tables_.add(group, needles_[member.needle].substr(member.offset, MarkTables::kMarkBytes));
  }
}

Needles Needles::without(const std::vector<std::size_t>& numbers) const {
  Needles rest = *this;
  for (auto& group : rest.groups_) {
    std::erase_if(group, [&](const Member& member) {
      return std::find(numbers.begin(), numbers.end(), member.needle) != numbers.end();
    });
  }
  rest.make_tables();
  return rest;
}

void Needles::compare(std::string_view text, std::size_t place, unsigned groups,
                      std::vector<Hit>& hits) const {
  const std::uint32_t mark = first_bytes(text.data() + place);
  for (; groups != 0; groups &= groups - 1) {
    for (const Member& member : groups_[static_cast<std::size_t>(std::countr_zero(groups))]) {
      if (member.mark != mark || member.offset > place) continue;
      const std::string_view needle = needles_[member.needle];
      const std::size_t begin = place - member.offset;
      if (text.size() - begin >= needle.size() &&
          std::memcmp(text.data() + begin, needle.data(), needle.size()) == 0)
        hits.push_back({text.data() + begin + (needle[0] == kFeed ? 1 : 0), member.needle});
    }
  }
}

std::size_t Needles::find(std::string_view text, std::size_t place, SearchWidth width,
                          std::vector<Hit>& hits) const {
  constexpr std::size_t kBlock = MarkTables::kBlock, kMark = MarkTables::kMarkBytes;
  MarkTables::Candidates candidates;
  while (width != SearchWidth::one && place + kBlock + kMark <= text.size()) {
    const auto blocks = std::min((text.size() - place - kMark) / kBlock, MarkTables::kMostBlocks);
    const auto count = tables_.find(text.data() + place, blocks, width, candidates);
    for (std::size_t i = 0; i < count; ++i)
      compare(text, place + candidates[i].place, candidates[i].groups, hits);
    place += blocks * kBlock;
    if (!hits.empty()) return place;
  }
  for (; place + kShortest <= text.size(); ++place) {
    if (const auto groups = tables_.groups_at(text, place)) compare(text, place, groups, hits);
    if (!hits.empty()) return place + 1;
  }
  return text.size();
}

Needles::Search::Search(const Needles& needles, std::string_view text, SearchWidth width)
    : needles_(&needles), text_(text), width_(width) {}

void Needles::Search::skip_to(const char* at) {
  skipped_ = static_cast<std::size_t>(at - text_.data());
  if (place_ < skipped_) {
    next_ = hits_.size();
    place_ = skipped_;
  } else {
    while (next_ < hits_.size() && hits_[next_].at < at) ++next_;
  }
}

void Needles::Search::find_more() {
  hits_.clear();
  next_ = 0;
  while (hits_.empty() && place_ < text_.size()) {
    const bool first = place_ == skipped_;
    place_ = needles_->find(text_, place_, width_, hits_);
    // One that begins before may be known by a place behind.
    if (first)
      std::erase_if(hits_, [&](const Hit& hit) { return hit.at < text_.data() + skipped_; });
  }
}

}  // namespace pippin
