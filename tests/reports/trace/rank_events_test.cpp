// SPDX-License-Identifier: Apache-2.0
#include "reports/trace/rank_events.h"

#include <algorithm>
#include <random>
#include <sstream>

#include "reports/trace/tracks.h"
#include "tests/support/trace_format.h"

using namespace pippin;
using test::Json;

namespace {

TracedRank rank_at(std::int64_t rank, std::int64_t stage, std::int64_t offset_ns = 0) {
  return {rank, 0, 0, stage, "n1", offset_ns};
}

TracedActivity activity(const std::string& name, std::int64_t begin_ns, std::int64_t duration_ns,
                        std::int64_t iteration = 1) {
  return {iteration, name, begin_ns, duration_ns};
}

TracedCall message(Count to, Count from, std::int64_t begin_ns, std::int64_t busy_ns) {
  return {1, "pp", 64, to, from, begin_ns, busy_ns, 10, 5};
}

/// A trace of the stages of one pipeline.
struct Drawing {
  std::vector<TracedRank> ranks;
  std::ostringstream out;
  TraceEvents events{out};
  RanksTogether together;

  explicit Drawing(std::vector<TracedRank> of, std::int64_t begin_ns = 0)
      : ranks(std::move(of)), together(ranks, begin_ns) {}
  RankEvents rank(std::size_t i) { return {ranks[i], together, events}; }
  Json finish() {
    events.finish({});
    return test::checked_trace(out.str());
  }
};

std::vector<std::string> arrow_ends(const Json& trace, const char* phase) {
  std::vector<std::string> ids;
  for (const auto& event : trace.at("traceEvents"))
    if (event.at("ph") == phase) ids.push_back(event.at("id"));
  std::sort(ids.begin(), ids.end());
  return ids;
}

}  // namespace

TEST_CASE("a rank is a process, named by its place and node, on the first rank's clock") {
  Drawing drawing({{3, 1, 0, 1, "n2", -1843}}, 1000);
  auto rank = drawing.rank(0);
  CHECK(rank.take(activity("forward-compute", 3843, 52'000)));
  rank.finish();
  const Json trace = drawing.finish();
  CHECK(test::name_in_trace(trace, "process_name", 3, 0) == "rank 3 (tp1 dp0 pp1) n2");
  const auto spans = test::spans_named(trace, "forward-compute");
  REQUIRE(spans.size() == 1);
  CHECK(spans[0].at("ts") == 1.0);
  CHECK(spans[0].at("dur") == 52);
  CHECK(spans[0].at("pid") == 3);
  CHECK(spans[0].at("args").at("iteration") == 1);
}

TEST_CASE(
    "what a rank computes, when it stands still and its iterations have tracks of their own") {
  Drawing drawing({rank_at(0, 0)});
  auto rank = drawing.rank(0);
  rank.take(activity("forward-compute", 0, 100));
  rank.take(activity("pp-exposed", 100, 50));
  rank.take(activity("backward-compute", 150, 30));
  rank.take(activity("forward-compute", 180, 20, 2));
  rank.finish();
  const Json trace = drawing.finish();
  const auto track = [&](const char* name) {
    return test::track_of(trace, test::spans_named(trace, name).at(0));
  };
  CHECK(track("forward-compute") == "computing");
  CHECK(track("backward-compute") == "computing");
  CHECK(track("pp-exposed") == "standing still");
  CHECK(track("iteration 1") == "iterations");
  const auto first = test::spans_named(trace, "iteration 1").at(0);
  CHECK(test::ns_of(first.at("dur")) == 180);
  CHECK(test::ns_of(test::spans_named(trace, "iteration 2").at(0).at("ts")) == 180);
}

TEST_CASE("calls that are under way at a time stand beside each other") {
  Drawing drawing({rank_at(0, 0)});
  auto rank = drawing.rank(0);
  for (const std::int64_t begin : {0, 50, 120})
    rank.take(TracedCall{1, "dp-reduce", 4096, {}, {}, begin, 100, 0, 0});
  const Json trace = drawing.finish();
  const auto calls = test::spans_named(trace, "dp-reduce");
  REQUIRE(calls.size() == 3);
  CHECK(test::track_of(trace, calls[0]) == "dp-reduce");
  CHECK(test::track_of(trace, calls[1]) == "dp-reduce (2)");
  CHECK(test::track_of(trace, calls[2]) == "dp-reduce");
  CHECK(calls[0].at("args").at("bytes") == 4096);
}

TEST_CASE("an arrow leads from each message to where it was received, in their order") {
  Drawing drawing({rank_at(0, 0), rank_at(1, 1, 500)});
  auto first = drawing.rank(0);
  first.take(message(1, {}, 100, 10));
  first.take(message(1, {}, 200, 10));
  auto second = drawing.rank(1);
  second.take(message({}, 0, -450, 80));
  second.take(message({}, 0, -350, 90));
  const Json trace = drawing.finish();
  CHECK(arrow_ends(trace, "s").size() == 2);
  CHECK(arrow_ends(trace, "s") == arrow_ends(trace, "f"));
  CHECK(arrow_ends(trace, "s")[0] != arrow_ends(trace, "s")[1]);
  std::map<std::string, std::int64_t> begins;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "s") begins[event.at("id")] = test::ns_of(event.at("ts"));
    if (event.at("ph") == "f") {
      const std::int64_t begin = begins.at(event.at("id")), end = test::ns_of(event.at("ts"));
      CHECK(end == (begin == 100 ? 129 : 239));
    }
  }
  const auto received = test::spans_named(trace, "pp").at(2);
  CHECK(test::track_of(trace, received) == "pp from stage 0");
  CHECK(received.at("args").at("from_stage") == 0);
}

TEST_CASE("a message to a rank that has no trace has no arrow") {
  Drawing drawing({rank_at(0, 0)});
  drawing.rank(0).take(message(1, {}, 100, 10));
  CHECK(arrow_ends(drawing.finish(), "s").empty());
}

TEST_CASE("stages of one pipeline stand together, in their order") {
  std::vector<TracedRank> ranks;
  for (std::int64_t rank = 0; rank < 8; ++rank)  // TP 2, DP 2, PP 2
    ranks.push_back({rank, rank % 2, rank / 2 % 2, rank / 4, "n1", 0});
  const RanksTogether together(ranks, 0);
  std::vector<std::int64_t> order(ranks.size());
  for (const auto& rank : ranks)
    order[static_cast<std::size_t>(together.place_of(rank))] = rank.rank;
  CHECK(order == std::vector<std::int64_t>{0, 4, 1, 5, 2, 6, 3, 7});
}

TEST_CASE("times before the trace's begin, negative or endless ones are not drawn") {
  Drawing drawing({rank_at(0, 0)}, 1000);
  auto rank = drawing.rank(0);
  CHECK_FALSE(rank.take(activity("forward-compute", 999, 10)));
  CHECK_FALSE(rank.take(activity("forward-compute", 1000, -1)));
  CHECK_FALSE(rank.take(activity("forward-compute", kMostTraced, 10)));
  CHECK_FALSE(rank.take(activity("forward-compute", -kMostTraced, kMostTraced)));
  CHECK_FALSE(rank.take(message(1, {}, 1000, kMostTraced)));
  CHECK(rank.take(activity("forward-compute", 1000, 10)));
  CHECK(test::spans_named(drawing.finish(), "forward-compute").size() == 1);
}

TEST_CASE("records that overlap, or go back in time, never stand across each other") {
  Drawing drawing({rank_at(0, 0)});
  auto rank = drawing.rank(0);
  for (std::int64_t i = 0; i < 200; ++i)
    CHECK(rank.take(activity("forward-compute", (i * 7919) % 1000, (i * 104'729) % 300, i % 3)));
  rank.finish();
  CHECK(test::spans_named(drawing.finish(), "forward-compute").size() == 200);
}

TEST_CASE("hostile text stays text") {
  const std::string text = "\"},{\"ph\":\"X\n\\\x01</script>\xff";
  Drawing drawing({{0, 0, 0, 0, text, 0}});
  auto rank = drawing.rank(0);
  rank.take(activity(text, 0, 1));
  rank.take(TracedCall{1, text, 0, {}, {}, 0, 1, 0, 0});
  const Json trace = drawing.finish();
  const std::string shown = "\"},{\"ph\":\"X\n\\\x01</script>\xef\xbf\xbd";
  CHECK(test::spans_named(trace, shown).size() == 2);
  CHECK(test::name_in_trace(trace, "process_name", 0, 0) == "rank 0 (tp0 dp0 pp0) " + shown);
}

TEST_CASE("a span stands on the first track that is free when it begins, in whatever order") {
  std::ostringstream text;
  TraceEvents events(text);
  TraceTracks tracks(0, events);
  const auto track = [&](std::int64_t begin, std::int64_t end) {
    return tracks.free_track("calls", begin, end).track;
  };
  CHECK(track(0, 10) == 1);
  CHECK(track(1, 4) == 2);
  CHECK(track(2, 20) == 3);
  CHECK(track(4, 30) == 2);
  CHECK(track(3, 5) == 4);  // that began before the one above
  CHECK(track(10, 11) == 1);
  CHECK(track(5, 6) == 4);
  CHECK(track(30, 40) == 1);
  CHECK(tracks.free_track("others", 0, 1).track == 5);
  CHECK(tracks.track_named("calls").track == 1);

  // As going through all of them finds it.
  std::mt19937 random(3);
  std::vector<std::int64_t> until;
  for (int i = 0; i < 3000; ++i) {
    const std::int64_t begin = random() % 1000, end = begin + random() % 300;
    const auto free = std::find_if(until.begin(), until.end(),
                                   [&](std::int64_t taken) { return taken <= begin; });
    const auto place = free - until.begin();
    if (free == until.end())
      until.push_back(end);
    else
      *free = end;
    REQUIRE(tracks.free_track("many", begin, end).track == 6 + place);
  }
}
