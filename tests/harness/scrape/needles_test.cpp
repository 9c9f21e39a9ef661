#include "harness/scrape/needles.h"

#include <set>
#include <string>

#include "core/base/random.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

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
  const Needles needles(texts);
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
    const Needles needles(texts);
    const std::string text = random_text(random, random.below(6000), 4);
    CAPTURE(text, made);
    REQUIRE(found(needles, text) == found_one_by_one(texts, text));
  }
}

TEST_CASE("what is skipped is not found, and what follows is") {
  Random random(8);
  for (int round = 0; round < 300; ++round) {
    const Needles needles({"abba", "\nabc", "babc", "caab"});
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
  const Needles needles(texts);
  for (std::size_t at = 0; at < 70; ++at) {
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::string text(at, '\xff');
      text += std::string(texts[i]) + std::string(70 - at, '\0');
      CAPTURE(at, i);
      CHECK(found(needles, text) == Places{{at, i}});
    }
  }
}

TEST_CASE("needles that are left out are not found, and the others keep their numbers") {
  const Needles all({"loss", "time", "step"}), some = all.without({0, 2});
  CHECK(found(some, "time step loss") == Places{{0, 1}});
  CHECK(found(all, "time step loss") == Places{{0, 1}, {5, 2}, {10, 0}});
}

TEST_CASE("a needle with a line's end in front is where its line begins") {
  const Needles needles({"\n```"});
  CHECK(found(needles, "```\n```\n") == Places{{4, 0}});
}

TEST_CASE("a needle that is too short is refused") {
  CHECK_THROWS_AS(Needles({"abcd", "abc"}), std::logic_error);
}
