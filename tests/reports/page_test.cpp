// SPDX-License-Identifier: Apache-2.0
#include "reports/page/page.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/base/text.h"
#include "reports/compare/comparison.h"
#include "reports/csv_text.h"
#include "tests/reports/samples.h"
#include "tests/support/catch.h"

using namespace pippin;
using Json = nlohmann::json;

namespace {

Page page_of(std::vector<PointSamples> samples) {
  Page page;
  page.title = "gpt-52b";
  page.table.rows = test::summarize(samples, {Samples::kClean});
  page.runs = std::make_shared<RunRows>(std::move(samples), Samples::kClean);
  return page;
}

Json document_of(const Page& page) { return Json::parse(page_document(page)); }

/// A cell as the page's own CSV writes it.
std::string cell_of(const Json& value) {
  if (value.is_null()) return "";
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// The CSV that a reader saves from the page.
std::string csv_of(const Json& document) {
  std::map<std::size_t, std::size_t> places;  // of columns, by theirs in CSV
  const Json& columns = document["columns"];
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (!columns[i]["csv"].is_null()) places[columns[i]["csv"].get<std::size_t>()] = i;
  std::vector<std::string> titles;
  titles.reserve(places.size());
  for (const auto& [place, i] : places) titles.push_back(columns[i]["name"]);
  std::string text = csv_line(titles);
  for (std::size_t row = 0; row < document["rows"]["name"].size(); ++row) {
    std::vector<std::string> cells;
    cells.reserve(places.size());
    for (const auto& [place, i] : places)
      cells.push_back(cell_of(document["rows"]["values"][i][row]));
    text += csv_line(cells);
  }
  return text;
}

std::string html_of(const Page& page) {
  std::ostringstream out;
  write_html_file(page_document(page), out);
  return out.str();
}

}  // namespace

TEST_CASE("a page has the figures of CSV in its columns and order") {
  for (const auto& samples : {test::sweep_samples(), test::foreign_samples()}) {
    const Page page = page_of(samples);
    std::ostringstream csv;
    write_csv(page.table, csv);
    CHECK(csv_of(document_of(page)) == csv.str());
  }
}

TEST_CASE("a page has every run of its rows, and why one has no time") {
  const Json document = document_of(page_of(test::sweep_samples()));
  const Json& runs = document["runs"];
  std::size_t expected = 0;
  for (const auto& point : test::sweep_samples()) expected += point.runs.size();
  REQUIRE(expected > 3);
  for (const char* list :
       {"row", "name", "campaign", "allocation", "started_at", "mean_s", "state", "in_mean"})
    CHECK(runs[list].size() == expected);
  for (std::size_t run = 0; run < expected; ++run) {
    const std::string state = document["states"][runs["state"][run].get<std::size_t>()];
    CHECK((state == "ok") == !runs["mean_s"][run].is_null());
  }
  CHECK(document["rows"]["state"] == Json({"ok", "ok", "infeasible"}));
}

TEST_CASE("no text of a page can end its script or begin another") {
  const std::string hostile = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>";
  auto samples = test::sweep_samples();
  samples[0].sweep = samples[0].point.name = hostile;
  samples[0].point.axes = {{hostile, value_of(hostile)}};
  samples[0].runs[0].run = samples[0].runs[0].allocation = hostile;
  samples[0].runs[0].evidence = hostile;
  samples[0].runs[0].notes = {hostile};
  Page page = page_of(samples);
  page.title = page.command = page.methods = page.table.dropped = hostile;
  page.said = {hostile};
  page.tags = {{hostile + "/1", {hostile}}};
  const std::string harmless = html_of(page_of(test::sweep_samples())), html = html_of(page);
  const auto count = [](const std::string& text, std::string_view what) {
    std::size_t found = 0;
    for (auto at = text.find(what); at != text.npos; at = text.find(what, at + 1)) ++found;
    return found;
  };
  for (const char* mark : {"<script", "</script", "<!--", "<img"})
    CHECK(count(html, mark) == count(harmless, mark));
  CHECK(document_of(page)["title"] == hostile);
}

TEST_CASE("what looks like a number and is another text stays that text") {
  auto samples = test::foreign_samples();
  const std::vector<std::string> texts{"007", "1e5", "1.50", "-0", "12345678901234567890", "0x10"};
  for (const auto& text : texts) {
    samples[0].point.axes = {{"odd", value_of(text)}};
    samples[1].point.axes = {{"odd", value_of("other")}};
    const Page page = page_of(samples);
    std::ostringstream csv;
    write_csv(page.table, csv);
    CAPTURE(text);
    CHECK(csv_of(document_of(page)) == csv.str());
  }
}

TEST_CASE("times of microseconds are numbers on a page, too") {
  auto samples = test::sweep_samples();
  for (auto& run : samples[0].runs) {
    for (auto& line : run.iterations) line.step_time_ms *= 1e-9;
  }
  const Page page = page_of(samples);
  std::ostringstream csv;
  write_csv(page.table, csv);
  const Json document = document_of(page);
  CHECK_THAT(csv.str(), Catch::Contains("e-0"));
  CHECK(csv_of(document) == csv.str());
  CHECK(document["rows"]["mean_s"][0].is_number());
  CHECK(document["runs"]["mean_s"][0].is_number());
}

TEST_CASE("a page is one file that asks nothing of a network") {
  const std::string html = html_of(page_of(test::sweep_samples()));
  CHECK(html.find("{{") == html.find("{{", html.find("<script>")));  // none but in its own script
  CHECK(html.find("default-src 'none'") != html.npos);
  for (const char* load : {"<link rel=\"stylesheet\"", "<script src", "@import", "url(http"})
    CHECK(html.find(load) == html.npos);
}

TEST_CASE("a page that is served may ask its server, and is known by what it says") {
  const std::string document = page_document(page_of({}));
  const ServedPage page = served_page(document, {{"Report", "/report/<b>"}});
  for (const std::string& policy : {page.policy, page.html->substr(0, page.html->find("<title>"))})
    CHECK_THAT(policy,
               Catch::Contains("default-src 'none'; connect-src 'self'; script-src 'sha256-"));
  CHECK_THAT(html_of(page_of({})), !Catch::Contains("connect-src"));
  const Json shown = Json::parse(page.document);
  CHECK(shown["served"]["tag"] == page.tag);
  CHECK(shown["served"]["links"][0]["address"] == "/report/<b>");
  CHECK(page.document.find('<') == std::string_view::npos);
  CHECK(served_page(document, {}).tag == page.tag);
  CHECK(served_page(page_document(page_of(test::sweep_samples())), {}).tag != page.tag);
}

TEST_CASE("a page of no rows is one, too") {
  const Json document = document_of(page_of({}));
  CHECK(document["rows"]["name"].empty());
  CHECK(document["runs"]["row"].empty());
}

TEST_CASE("a comparison's page has the figures of its CSV") {
  const ComparisonSide base{"before", test::sweep_samples()};
  ComparisonSide other{"after", test::sweep_samples()};
  for (auto& point : other.points) {
    for (auto& run : point.runs) run.allocation += "-later";
  }
  const ComparisonTable table{compare(base, other, {}), 0, false, "pippin compare", 1};
  REQUIRE_FALSE(table.comparison.rows.empty());
  std::ostringstream html, csv;
  write_comparison_html(table, html);
  write_comparison_csv(table, csv);
  const std::string text = html.str();
  const std::string open = "<script type=\"application/json\" id=\"pippin-data\">";
  const auto begin = text.find(open) + open.size();
  const Json document = Json::parse(text.substr(begin, text.find("</script>", begin) - begin));
  CHECK(csv_of(document) == csv.str());
  CHECK(document["ratios"].size() == table.comparison.rows.size());
}

TEST_CASE("a page has the effect of every node and link, and which are suspect") {
  Page page = page_of(test::sweep_samples());
  page.noise.emplace();
  page.noise->effects = {{{"n1"}, std::log(1.5), std::log(1.25), std::log(2.0), 7},
                         {{"n2"}, 0, 0, 0, 8},
                         {{"n2", "n1"}, std::log(3.0), 0, 0, 2}};
  page.noise->suspects.resize(2);
  page.noise->suspects[0].nodes = {"n1"};
  page.noise->suspects[1].nodes = {"n2", "n1"};
  page.noise->suspects[1].is_link = true;
  const Json document = document_of(page);
  CHECK(document["nodes"] == Json::parse(R"({"names": ["n1", "n2"], "effect": [0.5, 0],
    "low": [0.25, 0], "high": [1, 0], "suspect": [true, false], "allocations": [7, 8]})"));
  CHECK(document["links"] == Json::parse(R"({"left_out": 0, "nodes": ["n1", "n2"],
    "effect": [[null, 2], [2, null]], "suspects": [[1, 0]]})"));
}

TEST_CASE("of very many nodes a page has the links of those with the slowest") {
  Page page = page_of(test::sweep_samples());
  page.noise.emplace();
  for (int node = 1; node <= 1000; ++node)
    page.noise->effects.push_back(
        {{"n0", fmt::format("n{}", node)}, std::log(1 + 0.001 * node), 0, 0, 2});
  const Json links = document_of(page)["links"];
  CHECK(links["left_out"] == 801);
  CHECK(links["nodes"].size() == 200);
  const auto has = [&](const char* node) {
    return std::find(links["nodes"].begin(), links["nodes"].end(), node) != links["nodes"].end();
  };
  CHECK((has("n0") && has("n1000") && !has("n1")));
}

TEST_CASE("a page of one thing has its sheet as people read it, and its series whole or thinned") {
  Sheet sheet{"run", "r1", {"ok"}};
  SheetPart part{"step_time", "Step time"};
  part.facts = {{"mean_s", "mean", "5.36 s", 5.36}, {"hidden", "", "", std::int64_t{7}}};
  part.series = SheetSeries{"Every line", "Each point is a line.", "iteration", "step time"};
  part.series->mark_texts = {"", "warm-up"};
  for (int i = 0; i < 25'000; ++i) {
    part.series->x.push_back(i);
    part.series->y.push_back(i % 3 == 2 ? 9 : 5);  // three make one, by their median
    part.series->marks.push_back(i < 4 ? 1 : 0);
  }
  sheet.add(part);
  sheet.add({"empty", "Nothing"});
  Page page;
  page.kind = sheet.kind;
  page.sheet = sheet;
  const Json document = document_of(page);
  CHECK(document["kind"] == "run");
  REQUIRE(document["sheet"].size() == 1);
  const Json& shown = document["sheet"][0];
  REQUIRE(shown["facts"].size() == 1);
  CHECK(shown["facts"][0]["text"] == "5.36 s");
  const Json& series = shown["series"];
  CHECK(series["y"].size() == 8334);
  CHECK(series["x"].size() == series["y"].size());
  for (const auto& y : series["y"]) REQUIRE(y == 5);
  CHECK(series["marks"][0] == 1);
  CHECK(series["marks"][1] == 0);  // one of its three is in the mean
  CHECK(series["lead"] == "Each point is a line. Each stands for 3, by their median.");
}

TEST_CASE("a page says of each row with timers where its steps go, a part missing being none") {
  Page page = page_of(test::sweep_samples());
  page.phases = {
      {0, measured_phases({{"forward-compute", 0.5}, {"forward-recv", 0.2}}, false, false)},
      {2, measured_phases({{"forward-compute", 0.4}, {"optimizer", 0.1}}, true, false)}};
  const Json phases = document_of(page)["phases"];
  CHECK(phases["names"] == Json({"compute", "compute and tensor", "pipeline", "optimizer"}));
  CHECK(phases["rows"] == Json({0, 2}));
  CHECK(phases["seconds"][0] == Json({0.5, nullptr, 0.2, nullptr}));
  CHECK(phases["seconds"][1] == Json({nullptr, 0.4, nullptr, 0.1}));
  CHECK_FALSE(document_of(page_of(test::sweep_samples())).contains("phases"));
}
