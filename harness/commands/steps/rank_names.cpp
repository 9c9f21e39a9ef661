// SPDX-License-Identifier: Apache-2.0
#include "harness/commands/steps/rank_names.h"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/base/error.h"
#include "core/base/placeholders.h"
#include "core/base/text.h"
#include "harness/scrape/characters.h"

namespace pippin {

namespace {

constexpr std::string_view kMark = "{rank}";

/// A text as a regular expression that fits it alone; * is a word.
std::string literal(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '*') {
      escaped += "[^/]*";
      continue;
    }
    const bool is_plain = is_word(c) || c == '/';
    if (!is_plain && static_cast<unsigned char>(c) < 0x80) escaped += '\\';
    escaped += c;
  }
  return escaped;
}

Regex regex_of(const std::string& text) {
  std::string regex = text.starts_with('/') ? "^" : "(?:^|/)";
  bool has_rank = false;
  for (const auto& piece : placeholders(text)) {
    const bool is_rank = piece.is_name && piece.text == "rank";
    const bool is_node = piece.is_name && piece.text == "node";
    has_rank = has_rank || is_rank || is_node;
    if (is_rank) {
      regex += "(\\d+)";
    } else if (is_node) {
      regex += "([^/]+?)";
    } else {
      regex += piece.is_name ? "[^/]+?" : literal(piece.text);
    }
  }
  if (!has_rank)
    bad_input("--ranks '{}': it has no {{rank}}; write it like 'log.{{rank}}'", printable(text));
  return Regex(regex + "$");
}

std::optional<RankName> torchrun_or_mpirun(const std::string& path) {
  static const Regex folders(
      "(?:^|/)(?:attempt_\\d+/(\\d+)/std(?:out|err)\\.log|\\d+/rank\\.(\\d+)/std(?:out|err))$");
  const std::string_view name = std::string_view(path).substr(path.rfind('/') + 1);
  const auto found = name.starts_with("std") ? folders.find(path) : std::vector<std::string_view>();
  if (found.empty()) return std::nullopt;
  const std::string_view rank = found[1].data() ? found[1] : found[2];
  const auto begin = static_cast<std::size_t>(rank.data() - path.data());
  const auto end = path.rfind('/');  // what stands behind it is one of two
  return RankName{path.substr(0, begin) + std::string(kMark),
                  parse_integer(path.substr(begin, end - begin)).value_or(0), RankSign::kFolder};
}

bool is_array_task(std::string_view before) {
  constexpr std::string_view kSlurm = "slurm-";
  return before.starts_with(kSlurm) && before.ends_with('_') &&
         std::all_of(before.begin() + kSlurm.size(), before.end() - 1, is_digit);
}

/// "rank", "Rank_" and "local_rank-" are; "frank" is not.
bool ends_in_rank(std::string_view before) {
  constexpr std::string_view kRank = "rank";
  const auto end = before.find_last_not_of("._-=");
  if (end == std::string_view::npos) return false;
  const std::string word = lower(before.substr(0, end + 1));
  if (!word.ends_with(kRank)) return false;
  return word.size() == kRank.size() || !is_letter(word[word.size() - kRank.size() - 1]);
}

/// Calls `take(begin, end)` for each number in a file's name that may be a rank.
template <typename Take>
void each_number(std::string_view path, Take take) {
  constexpr std::size_t kMostDigits = 6;
  const auto name = path.rfind('/') + 1;
  for (std::size_t at = name; at < path.size();) {
    if (!is_digit(path[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < path.size() && is_digit(path[at])) ++at;
    const auto before = path.substr(name, begin - name);
    if (at - begin <= kMostDigits && !is_array_task(before)) take(begin, at);
  }
}

std::int64_t number_at(std::string_view path, std::size_t begin, std::size_t end) {
  return parse_integer(path.substr(begin, end - begin)).value_or(0);
}

/// Of names that differ in a number: how many there are, and whether one has 0.
class Numbered {
 public:
  void see(std::string_view path) {
    each_number(path, [&](std::size_t begin, std::size_t end) {
      Names& names = names_[key_of(path, begin, end)];
      ++names.count;
      names.has_zero = names.has_zero || number_at(path, begin, end) == 0;
    });
  }

  bool may_be_ranks(std::string_view path, std::size_t begin, std::size_t end) const {
    const auto found = names_.find(key_of(path, begin, end));
    return found != names_.end() && found->second.has_zero && found->second.count > 1;
  }

 private:
  struct Names {
    std::size_t count = 0;
    bool has_zero = false;
  };

  static std::size_t key_of(std::string_view path, std::size_t begin, std::size_t end) {
    constexpr std::size_t kOdd = 0x9e3779b97f4a7c15;
    const std::hash<std::string_view> hash;
    return hash(path.substr(0, begin)) * kOdd + hash(path.substr(end));
  }

  std::unordered_map<std::size_t, Names> names_;
};

/// Whether the files may be a job's. What is numbered without a hole needs no other sign where the
/// name says rank; else that is left to what the files hold.
bool may_be_job(RankFiles& files) {
  auto& all = files.files;
  std::stable_sort(all.begin(), all.end(),
                   [](const auto& a, const auto& b) { return a.rank < b.rank; });
  if (all.size() < 2) return false;
  if (files.sign >= RankSign::kFolder) return true;
  if (all.front().rank != 0) return false;
  bool is_whole = true;
  for (std::size_t i = 0; i < all.size(); ++i)
    is_whole = is_whole && all[i].rank == static_cast<std::int64_t>(i);
  if (!is_whole) files.sign = RankSign::kNumber;
  return is_whole || all.size() == 2;
}

}  // namespace

RankPattern::RankPattern(const std::string& text) : text_(text), regex_(regex_of(text)) {}

std::optional<RankName> RankPattern::match(const std::string& path) const {
  const auto found = regex_.find(path);
  if (found.empty()) return std::nullopt;
  RankName name{"", 0, RankSign::kSaid};
  std::size_t at = 0;
  for (std::size_t i = 1; i < found.size(); ++i) {
    const auto begin = static_cast<std::size_t>(found[i].data() - path.data());
    name.job += path.substr(at, begin - at);
    name.job += kMark;
    at = begin + found[i].size();
    name.rank = parse_integer(found[i]).value_or(name.rank);
  }
  name.job += path.substr(at);
  return name;
}

RankNames::RankNames(const std::vector<std::string>& patterns) {
  for (const auto& pattern : patterns) {
    none_ = none_ || pattern == "none";
    if (pattern != "none") patterns_.emplace_back(pattern);
  }
}

std::optional<RankName> RankNames::sure_name_of(const std::string& path) {
  for (const auto& pattern : patterns_) {
    auto name = pattern.match(path);
    if (!name) continue;
    fitted_.insert(pattern.text());
    return name;
  }
  return torchrun_or_mpirun(path);
}

void RankNames::refuse_unfit() const {
  for (const auto& pattern : patterns_) {
    if (!fitted_.contains(pattern.text()))
      bad_input("--ranks '{}': fits none of the files", printable(pattern.text()));
  }
}

std::vector<RankFiles> RankNames::find(const std::vector<fs::path>& paths) {
  if (none_) return {};
  std::unordered_map<std::string, RankFiles> jobs;
  const auto add = [&](RankName&& name, std::size_t place) {
    RankFiles& job = jobs[name.job];
    job.sign = name.sign;
    job.files.push_back({name.rank, place});
  };
  Numbered numbered;
  std::vector<std::size_t> others;
  others.reserve(paths.size());
  for (std::size_t place = 0; place < paths.size(); ++place) {
    if (auto name = sure_name_of(paths[place].native())) {
      add(*std::move(name), place);
    } else {
      numbered.see(paths[place].native());
      others.push_back(place);
    }
  }
  for (const std::size_t place : others) {
    const std::string& path = paths[place].native();
    each_number(path, [&](std::size_t begin, std::size_t end) {
      if (!numbered.may_be_ranks(path, begin, end)) return;
      const auto before = std::string_view(path).substr(0, begin);
      const auto sign =
          ends_in_rank(before.substr(path.rfind('/') + 1)) ? RankSign::kRank : RankSign::kNumber;
      add({fmt::format("{}{}{}", before, kMark, path.substr(end)), number_at(path, begin, end),
           sign},
          place);
    });
  }
  std::vector<RankFiles> found;
  for (auto& [job, files] : jobs) {
    files.job = job;
    if (may_be_job(files)) found.push_back(std::move(files));
  }
  // A name of several numbers is in several groups: the surest counts, and the largest.
  std::sort(found.begin(), found.end(), [](const RankFiles& a, const RankFiles& b) {
    return std::tuple(b.sign, b.files.size(), a.job) < std::tuple(a.sign, a.files.size(), b.job);
  });
  std::set<std::size_t> taken;
  std::erase_if(found, [&](const RankFiles& files) {
    const bool is_taken = std::any_of(files.files.begin(), files.files.end(),
                                      [&](const auto& file) { return taken.contains(file.place); });
    if (is_taken) return true;
    for (const auto& file : files.files) taken.insert(file.place);
    return false;
  });
  return found;
}

}  // namespace pippin
