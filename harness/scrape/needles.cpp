// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/needles.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace pippin {

namespace {

constexpr char kFeed = '\n';

/// Requires four bytes at least.
std::uint32_t first_bytes(const char* text) {
  std::uint32_t bytes = 0;
  std::memcpy(&bytes, text, sizeof bytes);
  return bytes;
}

/// The same of the end of `size` bytes.
std::uint32_t last_bytes(const char* text, std::size_t size) {
  return first_bytes(text + size - sizeof(std::uint32_t));
}

}  // namespace

Needles::Needles(const std::vector<std::string_view>& needles, std::span<const NeedleMark> marks,
                 const std::vector<bool>& wanted)
    : needles_(needles) {
  if (needles.size() > UINT16_MAX) throw std::logic_error("too many needles");
  if (marks.size() != needles.size()) throw std::logic_error("a needle has no mark");
  for (std::size_t i = 0; i < needles.size(); ++i) {
    if (needles[i].size() < kShortest) throw std::logic_error("a needle is too short");
    if (wanted[i])
      members_.push_back({first_bytes(needles[i].data() + marks[i].offset),
                          last_bytes(needles[i].data(), needles[i].size()),
                          static_cast<std::uint16_t>(i), marks[i].offset,
                          static_cast<std::uint32_t>(needles[i].size()), marks[i].group});
  }
  make_tables();
}

void Needles::make_tables() {
  const auto hash_of = [](const Member& member) { return MarkTables::hash_of(member.mark); };
  std::stable_sort(members_.begin(), members_.end(), [&](const Member& left, const Member& right) {
    return hash_of(left) < hash_of(right);
  });
  for (const Member& member : members_) {
    tables_.add(member.group,
                needles_[member.needle].substr(member.offset, MarkTables::kMarkBytes));
    ++begins_[hash_of(member) + 1];
  }
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
}

void Needles::compare(std::string_view text, std::size_t place, std::vector<Hit>& hits) const {
  const std::uint32_t mark = first_bytes(text.data() + place);
  const std::size_t hash = MarkTables::hash_of(mark);
  for (std::size_t i = begins_[hash]; i < begins_[hash + 1]; ++i) {
    const Member& member = members_[i];
    if (member.mark != mark || member.offset > place) continue;
    const char* at = text.data() + place - member.offset;
    if (text.data() + text.size() - at < std::ptrdiff_t{member.size}) continue;
    if (last_bytes(at, member.size) != member.tail) continue;
    const std::string_view needle = needles_[member.needle];
    if (std::memcmp(at, needle.data(), needle.size()) == 0)
      hits.push_back({at + (needle[0] == kFeed ? 1 : 0), member.needle});
  }
}

std::size_t Needles::find(std::string_view text, std::size_t place, SearchWidth width,
                          std::vector<Hit>& hits) const {
  constexpr std::size_t kBlock = MarkTables::kBlock, kMark = MarkTables::kMarkBytes;
  MarkTables::Candidates candidates;
  while (width != SearchWidth::one && place + kBlock + kMark <= text.size()) {
    const auto blocks = std::min((text.size() - place - kMark) / kBlock, MarkTables::kMostBlocks);
    const auto count = tables_.find(text.data() + place, blocks, width, candidates);
    for (std::size_t i = 0; i < count; ++i) compare(text, place + candidates[i], hits);
    place += blocks * kBlock;
    if (!hits.empty()) return place;
  }
  for (; place + kShortest <= text.size(); ++place) {
    if (tables_.may_begin_at(text, place)) compare(text, place, hits);
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
