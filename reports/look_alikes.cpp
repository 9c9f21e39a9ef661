// SPDX-License-Identifier: Apache-2.0
#include "reports/look_alikes.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/text.h"
#include "core/records/fields.h"
#include "reports/display_text.h"
#include "reports/point_columns.h"

namespace pippin {

namespace {

constexpr std::size_t kLongest = 48;  ///< characters of a difference

using Face = std::vector<std::string>;

/// What a table shows of a point.
Face face_of(const Summary& row) {
  Face face = point_cells(row.point);
  face.push_back(row.sweep);
  face.push_back(shared_name(row.point));
  for (const auto& [name, value] : row.point.axes) face.push_back(name + "=" + value.text);
  return face;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::size_t at = 0;
  constexpr std::string_view kBlanks = " \t\n\r";
  while ((at = text.find_first_not_of(kBlanks, at)) != std::string_view::npos) {
    const auto end = std::min(text.find_first_of(kBlanks, at), text.size());
    words.emplace_back(text.substr(at, end - at));
    at = end;
  }
  return words;
}

using Words = std::vector<std::vector<std::string>>;

/// How many words all texts begin with; `from_end`: end with, of what `taken` words leave.
std::size_t shared_words(const Words& texts, std::size_t taken, bool from_end) {
  std::size_t shortest = texts.front().size();
  for (const auto& text : texts) shortest = std::min(shortest, text.size());
  const auto word = [&](const auto& text, std::size_t i) -> const std::string& {
    return text[from_end ? text.size() - 1 - i : i];
  };
  std::size_t shared = 0;
  for (; shared + taken < shortest; ++shared) {
    const bool all = std::all_of(texts.begin(), texts.end(), [&](const auto& text) {
      return word(text, shared) == word(texts.front(), shared);
    });
    if (!all) break;
  }
  return shared;
}

/// Whether the texts differ in the value of an option that all of them have before it.
bool begins_with_values(const Words& texts, std::size_t before) {
  if (before == 0 || !texts.front()[before - 1].starts_with('-')) return false;
  return std::all_of(texts.begin(), texts.end(), [&](const auto& text) {
    return before < text.size() && !text[before].starts_with('-');
  });
}

/// "no --bar" for the text that lacks what the only other one has.
void name_absence(std::vector<std::string>& differences) {
  std::set<std::string> present;
  for (const auto& difference : differences)
    if (!difference.empty()) present.insert(difference);
  for (auto& difference : differences)
    if (difference.empty()) difference = present.size() == 1 ? "no " + *present.begin() : "less";
}

/// The counts that a point has and another of them has not so: "heads 16".
std::vector<std::string> unlike_counts(const std::vector<const Point*>& points) {
  std::vector<std::string> texts(points.size());
  for_each_count(*points.front(), [&](std::string_view name, const Count&) {
    const auto count_of = [&](const Point* point) { return *find_count(*point, name); };
    const bool alike = std::all_of(points.begin(), points.end(), [&](const Point* point) {
      return count_of(point) == count_of(points.front());
    });
    if (alike) return;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const Count count = count_of(points[i]);
      texts[i] += (texts[i].empty() ? "" : ", ") + std::string(name) + " " +
                  (count ? std::to_string(*count) : "unknown");
    }
  });
  return texts;
}

using Variables = std::map<std::string, std::string>;

/// Without what each job has of its own.
Variables variables_in(std::string_view environment) {
  Variables variables;
  for (const std::string_view line : split(environment, '\n')) {
    const auto equals = line.find('=');
    const bool of_job =
        line.starts_with("SLURM_") || line.starts_with("PBS_") || line.starts_with("PIPPIN_");
    if (equals != std::string_view::npos && !of_job)
      variables.emplace(line.substr(0, equals), line.substr(equals + 1));
  }
  return variables;
}

/// Those that not all have alike: "NCCL_ALGO=Ring".
std::vector<std::string> unlike_variables(const std::vector<Variables>& environments) {
  std::set<std::string> names;
  for (const auto& environment : environments)
    for (const auto& variable : environment) names.insert(variable.first);
  std::vector<std::string> texts(environments.size());
  for (const auto& name : names) {
    const auto value_in = [&](const Variables& environment) {
      const auto found = environment.find(name);
      return found == environment.end() ? "no " + name : name + "=" + found->second;
    };
    const bool alike =
        std::all_of(environments.begin(), environments.end(), [&](const Variables& environment) {
          return value_in(environment) == value_in(environments.front());
        });
    for (std::size_t i = 0; !alike && i < environments.size(); ++i)
      texts[i] += (texts[i].empty() ? "" : " ") + value_in(environments[i]);
  }
  for (auto& text : texts) text = shortened(text, kLongest);
  return texts;
}

bool differ(const std::vector<std::string>& texts) {
  return std::any_of(texts.begin(), texts.end(),
                     [&](const auto& text) { return text != texts.front(); });
}

std::vector<std::string> differences_of(const std::vector<const Point*>& points,
                                        const EnvironmentOf& environment_of) {
  std::vector<std::string> trainers, styles, counts = unlike_counts(points);
  trainers.reserve(points.size());
  styles.reserve(points.size());
  for (const Point* point : points) {
    trainers.push_back(point->trainer);
    styles.push_back(point->model.style);
  }
  if (differ(trainers)) return differing_words(trainers);
  if (differ(counts)) return counts;
  if (differ(styles)) return differing_words(styles);
  std::vector<Variables> environments;
  environments.reserve(points.size());
  for (const Point* point : points) environments.push_back(variables_in(environment_of(point->id)));
  auto variables = unlike_variables(environments);
  if (differ(variables)) return variables;
  return std::vector<std::string>(points.size(), "the sweep file's env");
}

/// The unlike points of each face, each once.
std::map<Face, std::map<std::string, Point>> points_by_face(const RowRange& rows) {
  std::map<Face, std::map<std::string, Point>> points;
  for (const auto& row : rows) {
    if (shares_name(row.point)) points[face_of(row)].try_emplace(row.point.id, row.point);
  }
  std::erase_if(points, [](const auto& entry) { return entry.second.size() < 2; });
  return points;
}

}  // namespace

std::string shared_name(const Point& point) {
  const auto dash = point.name.rfind('-');
  const bool has_id =
      dash != std::string::npos && point.id.rfind(point.name.substr(dash + 1), 0) == 0;
  return point.name.substr(0, has_id ? dash : std::string::npos);
}

std::vector<std::string> differing_words(const std::vector<std::string>& texts) {
  Words words;
  words.reserve(texts.size());
  for (const auto& text : texts) words.push_back(words_of(text));
  std::size_t before = shared_words(words, 0, false);
  const std::size_t behind = shared_words(words, before, true);
  if (begins_with_values(words, before)) --before;
  std::vector<std::string> differences;
  differences.reserve(texts.size());
  for (const auto& text : words) {
    const auto begin = text.begin() + static_cast<std::ptrdiff_t>(before);
    const auto end = text.end() - static_cast<std::ptrdiff_t>(behind);
    differences.push_back(join(std::vector<std::string>(begin, end), " "));
  }
  name_absence(differences);
  for (auto& difference : differences) difference = shortened(difference, kLongest);
  return differences;
}

bool shares_name(const Point& point) { return shared_name(point).size() < point.name.size(); }

std::map<std::string, std::string> differences_in(const RowRange& rows,
                                                  const EnvironmentOf& environment_of) {
  std::map<std::string, std::string> by_id;
  for (const auto& entry : points_by_face(rows)) {
    std::vector<const Point*> points;
    points.reserve(entry.second.size());
    for (const auto& point : entry.second) points.push_back(&point.second);
    const auto differences = differences_of(points, environment_of);
    for (std::size_t i = 0; i < points.size(); ++i) by_id[points[i]->id] = differences[i];
  }
  return by_id;
}

void tell_differences(std::vector<Summary>& rows, const EnvironmentOf& environment_of) {
  const auto by_id = differences_in(rows, environment_of);
  if (by_id.empty()) return;
  for (auto& row : rows) {
    const auto found = by_id.find(row.point.id);
    if (found != by_id.end()) row.difference = found->second;
  }
}

}  // namespace pippin
