// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/needles.h"

#include <algorithm>
#include <set>
#include <string>

#include "core/base/random.h"
#include "harness/scrape/choose_marks.h"
#include "harness/scrape/log_texts.h"
#include "tests/harness/scrape/needles_of.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

/// All of them, by marks of any kind.
Needles by_any_marks(const std::vector<std::string_view>& texts) {
  Random random(texts.size());
  std::vector<NeedleMark> marks;
  for (const auto text : texts) {
    const std::size_t most = text.size() - std::min(text.size(), MarkTables::kMarkBytes);
    marks.push_back({static_cast<std::uint16_t>(random.below(most + 1)),
                     static_cast<std::uint8_t>(random.below(MarkTables::kGroups))});
  }
  return {texts, marks, std::vector<bool>(texts.size(), true)};
}

using Places = std::set<std::pair<std::size_t, std::size_t>>;  // where, which

Places found(const Needles& needles, std::string_view text, SearchWidth width) {
  Places places;
  for (Needles::Search search(needles, text, width); search.any(); search.take()) {
    const auto& hit = search.next();
    CHECK(places.emplace(hit.at - text.data(), hit.needle).second);
  }
  return places;
}

/// The same, by each way that this machine has.
Places found(const Needles& needles, std::string_view text) {
  Places places = found(needles, text, SearchWidth::one);
  for (const auto width : {SearchWidth::avx2, SearchWidth::avx512}) {
    if (width <= widest_search()) CHECK(found(needles, text, width) == places);
  }
  return places;
}

Places found_one_by_one(const std::vector<std::string_view>& needles, std::string_view text) {
  Places places;
  for (std::size_t i = 0; i < needles.size(); ++i) {
    for (auto at = text.find(needles[i]); at != std::string_view::npos;
         at = text.find(needles[i], at + 1))
      places.emplace(at, i);
  }
  return places;
}

std::string random_text(Random& random, std::size_t length, std::uint64_t letters) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i) text += static_cast<char>('a' + random.below(letters));
  return text;
}

}  // namespace

TEST_CASE("needles are found wherever they overlap, at both ends of a text") {
  const std::vector<std::string_view> texts{"hers", "ushe", "ushers", "er hers", "s he"};
  const Needles needles = by_any_marks(texts);
  for (const std::string text :
       {"ushers", "hers her", "this hero", "", "h e r s", "sh", "ushe", "er hers h"}) {
    CAPTURE(text);
    CHECK(found(needles, text) == found_one_by_one(texts, text));
  }
}

TEST_CASE("needles agree with a plain search") {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> made;
    for (auto left = 1 + random.below(90); left > 0; --left)
      made.push_back(random_text(random, 4 + random.below(6), 3));
    const std::vector<std::string_view> texts(made.begin(), made.end());
    const Needles needles = by_any_marks(texts);
    const std::string text = random_text(random, random.below(6000), 4);
    CAPTURE(text, made);
    REQUIRE(found(needles, text) == found_one_by_one(texts, text));
  }
}

TEST_CASE("what is skipped is not found, and what follows is") {
  Random random(8);
  for (int round = 0; round < 300; ++round) {
    const Needles needles = by_any_marks({"abba", "\nabc", "babc", "caab"});
    std::string text = random_text(random, random.below(9000), 3);
    for (std::size_t i = 0; i < text.size(); i += 1 + random.below(40)) text[i] = '\n';
    const Places all = found(needles, text, SearchWidth::one);
    for (const auto width : {SearchWidth::one, widest_search()}) {
      Places places, expected;
      Needles::Search search(needles, text, width);
      for (std::size_t from = 0; from < text.size();) {
        const auto line_at = [&](std::size_t place) {
          return std::min(text.find('\n', std::min(place, text.size())), text.size() - 1) + 1;
        };
        from = line_at(from + random.below(3000));
        const std::size_t until = line_at(from + random.below(3000));
        search.skip_to(&text[from - 1]);
        for (; search.any() && search.next().at < text.data() + until; search.take())
          places.emplace(search.next().at - text.data(), search.next().needle);
        for (const auto& place : all) {
          if (place.first >= from && place.first < until) expected.insert(place);
        }
        from = until;
      }
      REQUIRE(places == expected);
    }
  }
}

TEST_CASE("a needle is found at every place of a block, whatever bytes stand around it") {
  const std::vector<std::string_view> texts{" ```", "\xe2\x96\x88|", " step of a"};
  const Needles needles = by_any_marks(texts);
  for (std::size_t at = 0; at < 70; ++at) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::string text(at, '\xff');
      text += std::string(texts[i]) + std::string(70 - at, '\0');
      CAPTURE(at, i);
      CHECK(found(needles, text) == Places{{at, i}});
    }
  }
}

TEST_CASE("needles that are not wanted are not found, and the others keep their numbers") {
  const std::vector<std::string_view> texts{"loss", "time", "step"};
  CHECK(found(test::needles_of(texts, {false, true, false}), "time step loss") == Places{{0, 1}});
  CHECK(found(test::needles_of(texts), "time step loss") == Places{{0, 1}, {5, 2}, {10, 0}});
}

TEST_CASE("a needle with a line's end in front is where its line begins") {
  CHECK(found(by_any_marks({"\n```"}), "```\n```\n") == Places{{4, 0}});
}

TEST_CASE("a needle that is too short is refused, and so is one without a mark") {
  const std::vector<std::string_view> texts{"abcd", "abc"}, long_ones{"abcd", "abce"};
  const std::vector<NeedleMark> marks(2), one(1);
  const std::vector<bool> wanted(2, true);
  CHECK_THROWS_AS(Needles(texts, marks, wanted), std::logic_error);
  CHECK_THROWS_AS(Needles(long_ones, one, wanted), std::logic_error);
}

TEST_CASE("marks are chosen where they stop a search least") {
  const std::vector<std::string_view> texts{"step time: 12", "tokens", "rank", "loss: "};
  const std::string usual = "a step time of a rank, and no loss of tokens at all";
  const auto marks = choose_marks(texts, {{0, 2, 3}, {1}}, usual);
  REQUIRE(marks.size() == texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CAPTURE(i);
    CHECK(marks[i].offset + std::min(texts[i].size(), MarkTables::kMarkBytes) <= texts[i].size());
    CHECK(marks[i].group < MarkTables::kGroups);
  }
  // Only its end stands nowhere in the text.
  CHECK(usual.find(texts[0].substr(marks[0].offset, MarkTables::kMarkBytes)) == std::string::npos);
}

TEST_CASE("each text that logs are searched for has a mark of its own") {
  const auto& texts = log_texts().all;
  REQUIRE(chosen_marks().size() == texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    CAPTURE(texts[i]);
    const std::size_t length = std::min(texts[i].size(), MarkTables::kMarkBytes);
    CHECK(chosen_marks()[i].offset + length <= texts[i].size());
    CHECK(chosen_marks()[i].group < MarkTables::kGroups);
  }
}
