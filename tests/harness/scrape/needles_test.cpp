#include "harness/scrape/needles.h"

#include <set>
#include <string>

#include "core/base/random.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

using Places = std::set<std::pair<std::size_t, std::size_t>>;  // where, which

Places found(const Needles& needles, std::string_view text, bool vectors) {
  Places places;
  for (Needles::Search search(needles, text, vectors); search.any(); search.take()) {
    const auto& hit = search.next();
    CHECK(places.emplace(hit.at - text.data(), hit.needle).second);
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
    for (const bool vectors : {false, Needles::has_vectors()})
      CHECK(found(needles, text, vectors) == found_one_by_one(texts, text));
  }
}

TEST_CASE("needles agree with a plain search, with vectors and without") {
  Random random(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<std::string> made;
    for (auto left = 1 + random.below(90); left > 0; --left)
      made.push_back(random_text(random, 4 + random.below(6), 3));
    const std::vector<std::string_view> texts(made.begin(), made.end());
    const Needles needles(texts);
    const std::string text = random_text(random, random.below(400), 4);
    CAPTURE(text, made);
    const Places expected = found_one_by_one(texts, text);
    REQUIRE(found(needles, text, false) == expected);
    REQUIRE(found(needles, text, Needles::has_vectors()) == expected);
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
      CHECK(found(needles, text, Needles::has_vectors()) == Places{{at, i}});
      CHECK(found(needles, text, false) == Places{{at, i}});
    }
  }
}

TEST_CASE("needles that are left out are not found, and the others keep their numbers") {
  const Needles all({"loss", "time", "step"}), some = all.without({0, 2});
  CHECK(found(some, "time step loss", Needles::has_vectors()) == Places{{0, 1}});
  CHECK(found(all, "time step loss", false) == Places{{0, 1}, {5, 2}, {10, 0}});
}

TEST_CASE("a needle with a line's end in front is where its line begins") {
  const Needles needles({"\n```"});
  CHECK(found(needles, "```\n```\n", Needles::has_vectors()) == Places{{4, 0}});
  CHECK(found(needles, "```\n```\n", false) == Places{{4, 0}});
}

TEST_CASE("a needle that is too short is refused") {
  CHECK_THROWS_AS(Needles({"abcd", "abc"}), std::logic_error);
}
