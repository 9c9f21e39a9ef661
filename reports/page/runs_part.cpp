// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <map>
#include <optional>
#include <unordered_map>

#include "reports/page/page_json.h"
#include "reports/page/parts.h"

namespace pippin {

namespace {

/// Texts that are said by their number.
class Numbered {
 public:
  std::size_t number_of(const std::string& text) {
    const auto [place, is_new] = numbers_.try_emplace(text, texts_.size());
    if (is_new) texts_.push_back(text);
    return place->second;
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::string> texts_;
};

/// Which row of the table a run is behind.
class RowOfRun {
 public:
  explicit RowOfRun(const RowRange& rows) {
    std::size_t number = 0;
    for (const Summary& row : rows) {
      if (number == 0)
        parts_ = {row.campaign > 0, !row.day.empty(), !row.allocation.empty(), !row.run.empty()};
      rows_.try_emplace(key_of(row), number++);
    }
  }

  std::optional<std::size_t> of(const Summary& run) const {
    const auto found = rows_.find(key_of(run));
    return found == rows_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  std::string key_of(const Summary& row) const {
    std::string key = row.sweep + '\0' + row.point.id + '\0';
    if (parts_.campaign && row.campaign > 0) key += std::to_string(row.campaign);
    for (const auto& [is_part, text] :
         {std::pair(parts_.day, &row.day), std::pair(parts_.allocation, &row.allocation),
          std::pair(parts_.run, &row.run)}) {
      key += '\0';
      if (is_part) key += *text;
    }
    return key;
  }

  struct Parts {
    bool campaign = false, day = false, allocation = false, run = false;
  } parts_;
  std::unordered_map<std::string, std::size_t> rows_;
};

/// Every run of the rows, a list for each thing that is known of it.
class RunLists {
 public:
  RunLists(const RunRows& runs, const RowRange& rows) {
    const RowOfRun row_of(rows);
    for (const Summary& row : rows) row_names_.push_back(name_of(row));
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const Summary run = runs.row(i);
      const auto row = row_of.of(run);
      if (row && !run.run.empty()) add(run, *row);
    }
  }

  /// `with_numbers`: in the database, too, of as many as the page's table of runs shows.
  void write(const std::map<std::string, std::vector<std::string>>& tags, bool with_numbers,
             JsonWriter& json) const {
    json.key("runs").begin_object();
    write_list("row", rows_, json);
    if (with_numbers) write_list("number", numbers_, json);
    write_names(json);
    write_list("campaign", campaigns_, json);
    write_list("allocation", allocations_, json);
    write_list("state", states_, json);
    json.key("started_at").begin_array();
    for (const auto& started : started_at_) started ? json.integer(*started) : json.null();
    json.end_array();
    json.key("mean_s").begin_array();
    constexpr int kDigits = 7;  // more than a plot can show
    for (const auto& mean : means_s_)
      mean ? write_exact(fmt::format("{:.{}g}", *mean, kDigits), json) : json.null();
    json.end_array();
    json.key("in_mean").begin_array();
    for (const bool in_mean : in_mean_) json.integer(in_mean ? 1 : 0);
    json.end_array();
    json.end_object();
    json.key("run_texts").begin_object();
    for (const auto& [number, texts] : texts_) {
      json.key(std::to_string(number)).begin_object();
      if (!texts.first.empty()) json.key("reason").text(texts.first);
      if (!texts.second.empty()) json.key("note").text(texts.second);
      json.end_object();
    }
    json.end_object();
    json.key("campaigns").begin_array();
    for (const auto& name : campaign_names_.texts()) {
      const auto tag = tags.find(name);
      json.begin_object();
      json.key("name").text(name);
      write_texts("tags", tag == tags.end() ? std::vector<std::string>() : tag->second, json);
      json.end_object();
    }
    json.end_array();
    write_texts("allocations", allocation_names_.texts(), json);
    write_texts("states", state_names_.texts(), json);
  }

 private:
  static void write_list(const char* name, const std::vector<std::size_t>& list, JsonWriter& json) {
    json.key(name).begin_array();
    for (const auto number : list) json.natural(number);
    json.end_array();
  }

  /// Names of runs mostly begin with those of their rows, which then need not stand in each.
  void write_names(JsonWriter& json) const {
    bool follow = true;
    for (std::size_t i = 0; i < names_.size() && follow; ++i)
      follow = names_[i].starts_with(row_names_[rows_[i]]);
    json.key("names_follow_row").truth(follow);
    json.key("name").begin_array();
    for (std::size_t i = 0; i < names_.size(); ++i)
      json.text(std::string_view(names_[i]).substr(follow ? row_names_[rows_[i]].size() : 0));
    json.end_array();
  }

  void add(const Summary& run, std::size_t row) {
    const std::string note = run.notes.empty() ? "" : run.notes.back();
    if (!run.reason.empty() || !note.empty()) texts_[rows_.size()] = {run.reason, note};
    rows_.push_back(row);
    if (numbers_.size() < kMostNumbered)
      numbers_.push_back(static_cast<std::size_t>(run.run_number));
    names_.push_back(run.run);
    campaigns_.push_back(campaign_names_.number_of(
        run.campaign > 0 ? run.sweep + '/' + std::to_string(run.campaign) : run.sweep));
    allocations_.push_back(allocation_names_.number_of(run.allocation));
    states_.push_back(state_names_.number_of(std::string(text_of(run.state))));
    started_at_.push_back(run.started_at);
    in_mean_.push_back(run.step_time_s && counts_beside_ok(run.state));
    means_s_.push_back(run.step_time_s ? std::optional(run.step_time_s->mean) : std::nullopt);
  }

  static constexpr std::size_t kMostNumbered = 200;  // figure.js: kMostShown

  std::vector<std::size_t> rows_, numbers_, campaigns_, allocations_, states_;
  std::vector<std::string> row_names_, names_;
  std::vector<bool> in_mean_;
  std::vector<std::optional<std::int64_t>> started_at_;
  std::vector<std::optional<double>> means_s_;
  std::map<std::size_t, std::pair<std::string, std::string>> texts_;  ///< reason, note
  Numbered campaign_names_, allocation_names_, state_names_;
};

}  // namespace

void write_runs(const Page& page, const RowRange& rows, JsonWriter& json) {
  RunLists(*page.runs, rows).write(page.tags, !page.addresses.empty(), json);
}

}  // namespace pippin
