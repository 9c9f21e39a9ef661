#include "harness/commands/steps/rank_names.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/placeholders.h"
#include "core/base/text.h"

namespace pippin {

namespace {

constexpr std::string_view kMark = "{rank}";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// A text as a regular expression that fits it alone; * is a word.
std::string literal(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '*') {
      escaped += "[^/]*";
      continue;
    }
    const bool is_plain = is_letter(c) || is_digit(c) || c == '/' || c == '_';
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
  const auto found = folders.find(path);
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

/// What each number in a file's name would make it.
std::vector<RankName> numbers_of(const std::string& path) {
  constexpr std::size_t kMostDigits = 6;
  std::vector<RankName> names;
  const auto name = path.rfind('/') + 1;
  for (std::size_t at = name; at < path.size();) {
    if (!is_digit(path[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < path.size() && is_digit(path[at])) ++at;
    const auto before = std::string_view(path).substr(name, begin - name);
    if (at - begin > kMostDigits || is_array_task(before)) continue;
    names.push_back({fmt::format("{}{}{}", path.substr(0, begin), kMark, path.substr(at)),
                     *parse_integer(path.substr(begin, at - begin)),
                     ends_in_rank(before) ? RankSign::kRank : RankSign::kNumber});
  }
  return names;
}

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

RankPattern::RankPattern(const std::string& text) : regex_(regex_of(text)) {}

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

std::vector<RankName> RankNames::names_of(const std::string& path) const {
  for (const auto& pattern : patterns_) {
    if (auto name = pattern.match(path)) return {*std::move(name)};
  }
  if (auto name = torchrun_or_mpirun(path)) return {*std::move(name)};
  return numbers_of(path);
}

std::vector<RankFiles> RankNames::find(const std::vector<fs::path>& paths) const {
  if (none_) return {};
  std::map<std::string, RankFiles> jobs;
  for (std::size_t place = 0; place < paths.size(); ++place) {
    for (auto& name : names_of(paths[place].native())) {
      RankFiles& job = jobs[name.job];
      job.sign = name.sign;
      job.files.push_back({name.rank, place});
    }
  }
  std::vector<RankFiles> found;
  for (auto& [job, files] : jobs) {
    files.job = job;
    if (may_be_job(files)) found.push_back(std::move(files));
  }
  // A name of several numbers is in several groups: the surest counts, and the largest.
  std::stable_sort(found.begin(), found.end(), [](const RankFiles& a, const RankFiles& b) {
    return std::pair(a.sign, a.files.size()) > std::pair(b.sign, b.files.size());
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
