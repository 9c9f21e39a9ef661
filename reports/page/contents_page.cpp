// SPDX-License-Identifier: Apache-2.0
#include <sstream>

#include "reports/page/page.h"
#include "reports/page/page_json.h"
#include "reports/page/parts.h"
#include "reports/values.h"

namespace pippin {

namespace {

const char* kind_of(const CampaignContents& entry) {
  switch (entry.kind) {
    case CampaignContents::Kind::kCampaign:
      return "campaign";
    case CampaignContents::Kind::kNoted:
      return "noted";
    case CampaignContents::Kind::kLogs:
      return "logs";
  }
  return "";
}

/// By the words of their states; without those that no run has.
void write_runs(const RunsByState& runs, JsonWriter& json) {
  json.key("runs").begin_array();
  for (std::size_t state = 0; state < runs.size(); ++state) {
    if (runs.at(state) == 0) continue;
    json.begin_array();
    json.text(text_of(static_cast<RunState>(state)));
    json.integer(runs.at(state));
    json.end_array();
  }
  json.end_array();
}

void write_entry(const CampaignContents& entry, const std::vector<PageLink>& links,
                 JsonWriter& json) {
  json.begin_object();
  json.key("sweep").text(entry.sweep);
  json.key("number").integer(entry.number);
  json.key("kind").text(kind_of(entry));
  json.key("started").text(entry.started);
  json.key("cluster").text(entry.cluster);
  json.key("points").integer(entry.points);
  json.key("infeasible").integer(entry.infeasible);
  write_runs(entry.runs, json);
  json.key("dropped").integer(entry.dropped);
  json.key("because").text(entry.because);
  entry.last_run ? json.key("last_run").integer(*entry.last_run) : json.key("last_run").null();
  json.key("newest").truth(entry.newest);
  write_texts("tags", entry.tags, json);
  write_links(links, json);
  json.end_object();
}

}  // namespace

std::string contents_document(const ContentsPage& page) {
  std::ostringstream text;
  {
    JsonWriter json(text, 0);
    json.begin_object();
    json.key("format").integer(1);
    json.key("kind").text("list");
    json.key("title").text(page.title);
    json.key("command").text(page.command);
    json.key("entries").begin_array();
    for (const auto& entry : page.entries) write_entry(entry, page.links(entry), json);
    json.end_array();
    json.end_object();
  }
  return safe_in_script(std::move(text).str());
}

}  // namespace pippin
