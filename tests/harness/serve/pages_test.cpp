// SPDX-License-Identifier: Apache-2.0
// What the pages are.
#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/text.h"
#include "core/http/target.h"
#include "tests/harness/serve/served.h"
#include "tests/support/catch.h"
#include "tests/support/nasty.h"

using namespace pippin;
using Catch::Contains;
using Catch::EndsWith;
using Json = nlohmann::json;
using test::HttpClient;
using test::Served;
using test::Workplace;

namespace {

/// A sweep with two campaigns, and logs from elsewhere.
struct Filled : Workplace {
  Filled() {
    std::string sweep = test::replay_sweep("");
    write("s.yaml", sweep.replace(sweep.find("0.005"), 5, "0"));
    pippin("--quiet run s.yaml");
    pippin("--quiet run s.yaml --again");
    pippin("--quiet tag replayed/1 good");
    pippin("--quiet collect '" + (test::source_directory() / "tests/data/logs").string() + "'");
  }
};

/// The document in a page.
Json document_in(const std::string& html) {
  const std::string begin = "<script type=\"application/json\" id=\"pippin-data\">";
  const auto from = html.find(begin) + begin.size();
  return Json::parse(html.substr(from, html.find("</script>", from) - from));
}

/// A page of a server knows where others are, too.
Json without_what_differs(Json document) {
  for (const char* key : {"made_at", "served", "addresses"}) document.erase(key);
  if (document.contains("rows"))
    for (const char* key : {"of", "id"}) document["rows"].erase(key);
  if (document.contains("runs")) document["runs"].erase("number");
  return document;
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("a page is the one that the command writes") {
  const Filled here;
  const Served served(here);
  const auto file_of = [&](const std::string& words) {
    REQUIRE(here.pippin(words + " --format html -o page.html").exit_code == 0);
    return without_what_differs(document_in(here.text("page.html")));
  };
  const auto served_at = [&](const std::string& target) {
    const auto answer = served.get(target);
    CAPTURE(target, answer.status);
    REQUIRE(answer.is_whole);
    return without_what_differs(document_in(answer.body));
  };
  CHECK(served_at("/report/replayed") == file_of("report replayed"));
  CHECK(served_at("/report/replayed/1") == file_of("report replayed/1"));
  CHECK(served_at("/report/good") == file_of("report good"));
  CHECK(served_at("/report/collected") == file_of("report collected"));
  CHECK(served_at("/report") == file_of("report"));
  CHECK(served_at("/noise/replayed") == file_of("noise replayed"));
  CHECK(served_at("/noise") == file_of("noise"));
  CHECK(served_at("/compare?base=replayed%2F1&new=replayed%2F2") ==
        file_of("compare replayed/1 replayed/2"));
  CHECK(served_at("/compare") == file_of("compare"));
  const std::string run = here.sql("SELECT name FROM runs ORDER BY id LIMIT 1");
  const std::string node = here.sql("SELECT name FROM nodes LIMIT 1");
  for (const std::string& name : {run, std::string("1"), node, std::string("replayed/1")})
    CHECK(served_at("/show/" + name) == file_of("show " + name));
  CHECK(served_at("/show/" + node + "?kind=node") == file_of("show " + node + " --as node"));
  CHECK(served_at("/show/collected") == file_of("show collected"));
  CHECK(served.get("/show/1?as=json").status == 200);
  CHECK(served.get("/show/" + node + "?kind=node&as=json").status == 200);
  CHECK(served.get("/show/nothing-of-that-name").status == 404);
  CHECK(served.get("/show").status == 404);
}

TEST_CASE("a page says where the pages of its points and runs are") {
  const Filled here;
  const Served served(here);
  const auto document_at = [&](const std::string& target) {
    return Json::parse(
        served.get(target + (target.find('?') == std::string::npos ? "?" : "&") + "as=json").body);
  };
  const Json report = document_at("/report/replayed");
  const auto address = [&](const std::string& kind, const std::string& id) {
    auto text = report["addresses"][kind].get<std::string>();
    return text.replace(text.find('*'), 1, id);
  };
  const Json& rows = report["rows"];
  for (std::size_t row = 0; row < rows["name"].size(); ++row) {
    const Json point = document_at(address(rows["of"][row], rows["id"][row]));
    CHECK(point["kind"] == "point");
    CHECK(point["title"] == rows["name"][row]);
  }
  const Json& runs = report["runs"];
  REQUIRE(runs["number"].size() == runs["name"].size());
  const Json run = document_at(address("run", std::to_string(runs["number"][0].get<int>())));
  CHECK(run["kind"] == "run");
  CHECK_THAT(run["title"].get<std::string>(), EndsWith(runs["name"][0].get<std::string>()));
  const Json& links = run["served"]["links"];
  const Json& campaign = report["campaigns"][runs["campaign"][0].get<std::size_t>()];
  CHECK(links[1]["address"] == "/report/" + campaign["name"].get<std::string>());
  CHECK(document_at(links[2]["address"])["title"] ==
        rows["name"][runs["row"][0].get<std::size_t>()]);
}

TEST_CASE("the first page has what list has, each with its pages") {
  const Filled here;
  const Served served(here);
  const Json document = document_in(served.get("/").body);
  REQUIRE(document["entries"].size() == 3);
  const Json& newest = document["entries"][0];
  CHECK(newest["sweep"] == "replayed");
  CHECK(newest["number"] == 2);
  CHECK(newest["runs"] == Json::parse(R"([["ok", 12]])"));
  CHECK(document["entries"][1]["tags"] == Json::parse(R"(["good"])"));
  CHECK(document["entries"][2]["kind"] == "logs");
  std::size_t links = 0;
  for (const auto& entry : document["entries"]) {
    for (const auto& link : entry["links"]) {
      CAPTURE(link.dump());
      CHECK(served.get(link["address"]).status == 200);
      ++links;
    }
  }
  CHECK(links == 3 + 4 + 2);
}

TEST_CASE("a campaign's status says what status says, with the table so far") {
  const Filled here;
  const Served served(here);
  for (const char* target : {"/status/replayed", "/status/replayed/2"}) {
    const Json document = document_in(served.get(target).body);
    CHECK(document["title"] == "replayed/2");
    CHECK(document["progress"]["bar"]["done"] == 12);
    CHECK(document["progress"]["lists"][0]["lines"][0][0] == "12 ok");
    CHECK(document["rows"]["name"].size() == 4);
  }
  CHECK(document_in(served.get("/status/good").body)["title"] == "replayed/1");
}

TEST_CASE("a status shows failures with their reasons, and canaries") {
  const Workplace here;
  here.write("f.yaml",
             "sweep: failing\ncommand: 'echo no apples left; exit {code}'\n"
             "grid: {code: [3]}\nrepeats: {allocations: 1, runs: 2}\n");
  here.pippin("--quiet run f.yaml");
  here.write("canaries.sql",
             "INSERT INTO canary_readings (id, allocation, number, taken_at, duration_s, ranks, "
             "nodes, gemm_m, gemm_n, gemm_k, gemm_min_tflops, gemm_median_tflops, "
             "gemm_max_tflops, gemm_slowest_rank, gemm_slowest_host) SELECT 1, allocation, 1, "
             "1767225600, 5, 16, 4, 512, 512, 512, 97, 101.2, 103, 3, 'n7' FROM runs LIMIT 1;\n"
             "INSERT INTO canary_all_reduce VALUES (1, 1000000, 90, 100, 110, 18.75);\n"
             "INSERT INTO run_canaries SELECT id, 'before', 1 FROM runs;\n");
  REQUIRE(here.shell("sqlite3 -bail t.db <canaries.sql").err.empty());
  const Served served(here);
  const Json document = document_in(served.get("/status/failing").body);
  CHECK(document["progress"]["bar"]["failed"] == 2);
  const Json& tables = document["progress"]["tables"];
  REQUIRE(tables.size() == 2);
  CHECK(tables[0]["rows"] ==
        Json::parse(R"([["2026-01-01 00:00:00", "4", "16", "101", "n7", "18.8"]])"));
  REQUIRE(tables[1]["rows"].size() == 2);
  CHECK_THAT(tables[1]["rows"][0][2].get<std::string>(), Contains("apples"));
}

TEST_CASE("a campaign that no table knows yet has a status") {
  const Workplace here;
  here.pippin("--quiet collect '" + (test::source_directory() / "tests/data/logs").string() + "'");
  here.write("s.yaml", "sweep: s\ncommand: 'true {a}'\ngrid: {a: [1, 2]}\n");
  here.shell(
      "mkdir -m 700 .pippin-$(id -u); flock --close .pippin-$(id -u)/machine.lock bash -c "
      "'\"$PIPPIN\" --db t.db submit s.yaml && \"$PIPPIN\" --db t.db --yes cancel s'");
  const Served served(here);
  const auto answer = served.get("/status/s");
  REQUIRE(answer.status == 200);
  CHECK(document_in(answer.body)["progress"]["bar"]["done"] == 0);
}

TEST_CASE("an unknown name is told with the nearest") {
  const Filled here;
  const Served served(here);
  for (const char* target : {"/report/replayd", "/noise/replayd", "/status/replayd"}) {
    const auto answer = served.get(target);
    CHECK(answer.status == 404);
    CHECK_THAT(answer.field("Content-Type"), Contains("text/html"));
    CHECK_THAT(answer.body, Contains("did you mean &#39;replayed&#39;?"));
  }
  CHECK_THAT(served.get("/reprot/replayed").body, Contains("did you mean &#39;report&#39;?"));
  CHECK_THAT(served.get("/compare?base=replayd&new=good").body, Contains("replayed"));
  CHECK(served.get("/compare/x").status == 404);
  const auto json = served.get("/report/replayd?as=json");
  CHECK(json.status == 404);
  CHECK_THAT(Json::parse(json.body)["error"].get<std::string>(), Contains("did you mean"));
}

TEST_CASE("who has a page gets it again only once it is another") {
  const Filled here;
  const Served served(here);
  const auto first = served.get("/report/replayed?as=json");
  CHECK(first.status == 200);
  CHECK_THAT(first.field("Content-Type"), Contains("application/json"));
  const std::string known = "If-None-Match: " + first.field("ETag") + "\r\n";
  CHECK(Json::parse(first.body)["served"]["tag"] == trim(first.field("ETag")).substr(1, 32));
  HttpClient client(served.port());
  client.send(test::get_request("/report/replayed?as=json", served.cookie() + known));
  const auto again = client.answer();
  CHECK(again.status == 304);
  CHECK(again.body.empty());
  here.pippin("--quiet note 1 'seen at night'");
  for (;;) {  // a page that is young may be given once more
    const auto later = served.get("/report/replayed/1?as=json");
    REQUIRE(later.status == 200);
    if (later.body.find("seen at night") != std::string::npos) break;
  }
}

TEST_CASE("HEAD of a page says how long it is") {
  const Filled here;
  const Served served(here);
  const auto page = served.get("/report/replayed");
  HttpClient client(served.port());
  client.send("HEAD /report/replayed HTTP/1.1\r\nHost: localhost\r\n" + served.cookie() + "\r\n");
  const auto head = client.answer(true);
  CHECK(head.status == 200);
  CHECK(head.field("Content-Length") == page.field("Content-Length"));
}

namespace {

/// Two hundred texts that want to be more than text.
std::vector<std::string> hostile_texts() {
  std::vector<std::string> markup{"<script>alert(1)</script>",
                                  "</script><script>alert(1)</script>",
                                  "<!--<script>",
                                  "-->",
                                  "<img src=x onerror=alert(1)>",
                                  "<svg onload=alert(1)>",
                                  "</style>",
                                  "<x-hostile>",
                                  "&lt;b&gt;",
                                  "\"><script>alert(1)</script>",
                                  "' onmouseover='alert(1)",
                                  "javascript:alert(1)",
                                  "{{pippin-data}}",
                                  "\\u003cscript>",
                                  "<base href=//x>",
                                  "<meta http-equiv=refresh content=0>",
                                  "\r\nSet-Cookie: a=b",
                                  "\xe2\x80\xa8",
                                  "\xe2\x80\xaegnp",
                                  "\xff\xfe"};
  std::vector<std::string> all = markup;
  for (const auto& text : test::nasty_texts())
    if (!text.empty()) all.push_back(text);
  for (std::size_t i = 0; all.size() < 200; ++i)
    all.push_back(markup[i % markup.size()] + all[(i * 7) % all.size()]);
  return all;
}

std::string hex_of(const std::string& text) {
  std::string hex;
  for (const char c : text) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}

}  // namespace

TEST_CASE("hostile texts in names, tags, notes, evidence and nodes are never markup in a page") {
  const Filled here;
  const auto texts = hostile_texts();
  std::string sql;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const auto text = [&](const std::string& more) {
      return "CAST(X'" + hex_of(texts[i] + more) + "' AS TEXT)";
    };
    sql += fmt::format(
        "INSERT INTO sweeps (name) VALUES ({});\n"
        "INSERT INTO campaigns (sweep, number, started, cluster, run_order, seed) SELECT max(id), "
        "1, '2026-11-01T00:00:00Z', {}, 'blocks', '1' FROM sweeps;\n"
        "INSERT INTO tags (name, campaign) SELECT {}, max(id) FROM campaigns;\n"
        "INSERT OR IGNORE INTO nodes (name) VALUES ({});\n",
        text(std::to_string(i)), text(""), text(" tag " + std::to_string(i)), text(""));
  }
  const auto odd = [&](std::size_t i) { return "CAST(X'" + hex_of(texts[i]) + "' AS TEXT)"; };
  sql += fmt::format(
      "UPDATE runs SET state = 'failed', evidence = {} WHERE id % 2 = 0;\n"
      "UPDATE points SET name = name || {};\nDELETE FROM point_summaries;\n"
      "INSERT INTO notes (run, written_at, text) SELECT id, 1, {} FROM runs;\n",
      odd(1), odd(0), odd(4));
  here.write("hostile.sql", sql);
  REQUIRE(here.shell("sqlite3 -bail t.db <hostile.sql").err.empty());
  const Served served(here);
  const std::string plain = here.text("page.html");
  const auto base = count_of(served.get("/compare").body, "<script");
  std::vector<std::string> targets{
      "/",        "/report/replayed", "/report/collected", "/noise/collected", "/status/replayed",
      "/compare", "/show/1",          "/show/2",           "/show/replayed"};
  for (std::size_t i = 0; i < texts.size(); ++i)
    targets.push_back("/report/" + http::percent_encoded(texts[i] + std::to_string(i)));
  for (const auto& target : targets) {
    CAPTURE(target);
    const auto page = served.get(target);
    CHECK(page.status == 200);
    CHECK(count_of(page.body, "<script") == base);
    CHECK(count_of(page.body, "</script") == 2);
    const Json document = document_in(page.body);
    CHECK(document.dump().size() > 100);
    CHECK(page.head.find("a=b") == std::string::npos);
  }
}

TEST_CASE("hostile names that nobody knows are never markup in what says so") {
  const Filled here;
  const Served served(here);
  const auto shape = [&](const std::string& name) {
    const auto page = served.get("/report/" + http::percent_encoded(name));
    CHECK(page.status == 404);
    return count_of(page.body, "<") * 1000 + count_of(page.body, "\"");
  };
  const auto harmless = shape("no such name at all, really");
  for (const auto& text : hostile_texts()) {
    CAPTURE(text);
    CHECK(shape("zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzz" + text) == harmless);
  }
}
