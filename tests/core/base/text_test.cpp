// SPDX-License-Identifier: Apache-2.0
#include "core/base/text.h"

#include "core/base/hash.h"
#include "core/base/moderate_json.h"
#include "core/base/random.h"
#include "tests/support/catch.h"

using namespace pippin;

TEST_CASE("numbers are read whole or not at all") {
  CHECK(parse_number("1.5e3") == 1500.0);
  CHECK(parse_number("+4") == 4.0);
  CHECK_FALSE(parse_number("4x"));
  CHECK_FALSE(parse_number(""));
  CHECK_FALSE(parse_number("inf"));
  CHECK_FALSE(parse_number("nan"));
  CHECK_FALSE(parse_number("+-4"));
  CHECK(parse_integer("-12") == -12);
  CHECK_FALSE(parse_integer("1.0"));
  CHECK_FALSE(parse_integer("99999999999999999999"));
}

TEST_CASE("a number is written as short as it reads back") {
  CHECK(number_text(4) == "4");
  CHECK(number_text(0.1) == "0.1");
  CHECK(number_text(5e8) == "500000000");
}

TEST_CASE("a near word is suggested and a far one is not") {
  CHECK(closest("msb", {"tp", "mbs", "gas"}) == "mbs");
  CHECK(closest("iteration", {"iterations", "repeats"}) == "iterations");
  CHECK_FALSE(closest("banana", {"tp", "mbs", "gas"}));
  CHECK_FALSE(closest("x", {"tp", "pp"}));
  CHECK(did_you_mean("msb", {"mbs"}) == ", did you mean 'mbs'?");
  CHECK(did_you_mean("banana", {"mbs"}).empty());
}

TEST_CASE("file names keep what is safe and tell apart what is not") {
  CHECK(file_name_of("52b-tp4-pp16") == "52b-tp4-pp16");
  CHECK(file_name_of("a b") != file_name_of("a/b"));
  CHECK(file_name_of("a b").substr(0, 4) == "a-b-");
  CHECK(file_name_of("").size() == 8);
  CHECK(file_name_of("..").find('/') == std::string::npos);
  CHECK(file_name_of("..")[0] != '.');
  CHECK(file_name_of("-rf")[0] != '-');
  CHECK(file_name_of(std::string(500, 'x')).size() <= 100);
}

TEST_CASE("a message stays one line of valid text") {
  CHECK(printable("a\nb\x01") == "a\\nb\\x01");
  CHECK(printable("grün") == "grün");
  CHECK(printable("\xff\xfe") == "\\xff\\xfe");
}

TEST_CASE("binary data is told from text") {
  CHECK(is_text("grün\n"));
  CHECK(is_text(""));
  CHECK_FALSE(is_text(std::string("a\0b", 3)));
  CHECK_FALSE(is_text("gr\xfcn"));
  CHECK_FALSE(is_text("cut \xe2\x82"));
}

TEST_CASE("hashes and random numbers are the same on every platform") {
  CHECK(hash_of("") ==
        "99aa06d3014798d86001c324468d497f");  // XXH3-128 of nothing, xxHash's own test vector
  Hasher hasher;
  hasher.add("pip");
  hasher.add("pin");
  CHECK(hasher.digest() == hash_of("pippin"));
  Random random(1);
  std::vector<int> items{0, 1, 2, 3, 4, 5, 6, 7};
  random.shuffle(items);
  CHECK(items == std::vector<int>{4, 6, 3, 5, 1, 7, 2, 0});
  CHECK(seed_of(1, "a1") != seed_of(1, "a2"));
}

TEST_CASE("one thing is singular, none and several are plural") {
  CHECK(counted(1, "job") == "1 job");
  CHECK(counted(0, "job") == "0 jobs");
  CHECK(counted(12, "GPU") == "12 GPUs");
}

TEST_CASE("blanks at both ends go, and blanks alone leave nothing") {
  CHECK(trim("a") == "a");
  CHECK(trim(" \t\r\n\v\fa b\f\v\n\r\t ") == "a b");
  CHECK(trim(" \n").empty());
  CHECK(trim("").empty());
}

TEST_CASE("a text is split at each separator, and joined again") {
  using Parts = std::vector<std::string_view>;
  CHECK(split("a,b", ',') == Parts{"a", "b"});
  CHECK(split(",a,,", ',') == Parts{"", "a", "", ""});
  CHECK(split("", ',') == Parts{""});
  CHECK(join({"a", "", "b"}, ", ") == "a, , b");
  CHECK(join({}, ", ").empty());
}

TEST_CASE("capitals become small and nothing else changes") {
  CHECK(lower("AZaz@[`{09\xc3\x84") == "azaz@[`{09\xc3\x84");
}

TEST_CASE("a plus may stand before a number, but no other sign behind it") {
  CHECK(parse_integer("+1") == 1);
  CHECK(parse_number("+0.5") == 0.5);
  CHECK_FALSE(parse_integer("+"));
  CHECK_FALSE(parse_integer("++1"));
  CHECK_FALSE(parse_integer("+-1"));
  CHECK_FALSE(parse_integer("1 "));
  CHECK_FALSE(parse_number("-inf"));
  CHECK_FALSE(parse_number("1e999"));
}

TEST_CASE("whole numbers are written whole up to where doubles hold them apart") {
  CHECK(number_text(9007199254740991.0) == "9007199254740991");
  CHECK(number_text(1e16) == "1e+16");
  CHECK(number_text(-9007199254740991.0) == "-9007199254740991");
  CHECK(number_text(-0.25) == "-0.25");
  CHECK(number_text(1e300) == "1e+300");
  CHECK(number_text(1e-05) == "1e-05");
}

TEST_CASE("a word is near with a third of its letters inserted, left out, changed or swapped") {
  CHECK(closest("abcdef", {"abcdeffg"}) == "abcdeffg");  // two more
  CHECK(closest("abcdef", {"abcd"}) == "abcd");          // two less
  CHECK(closest("abcdef", {"abxdxf"}) == "abxdxf");      // two others
  CHECK(closest("abcdef", {"bacdfe"}) == "bacdfe");      // two swaps
  CHECK_FALSE(closest("abcdef", {"abcxyz"}));
  CHECK_FALSE(closest("abcdef", {"abcdefxyz"}));
  CHECK(closest("abcdef", {"abxdxf", "abxdef"}) == "abxdef");  // the nearest
  CHECK(closest("abcdef", {"xbcdef", "abcdex"}) == "xbcdef");  // the first of such
  CHECK(closest("ABC", {"abd"}) == "abd");
  CHECK(closest("ab", {"b"}) == "b");
  CHECK(closest("ab", {"ba"}) == "ba");
  CHECK_FALSE(closest("a", {"b"}));  // all of it would change
  CHECK_FALSE(closest("abc", {}));
}

TEST_CASE("file names are at most a hundred characters, with a hash where something had to go") {
  const std::string longest(100, 'x');
  CHECK(file_name_of(longest) == longest);
  const std::string cut = file_name_of(longest + "x");
  CHECK(cut.size() == 100);
  CHECK(cut.substr(0, 92) == std::string(91, 'x') + "-");
  CHECK(cut.substr(92) == hash_of(longest + "x").substr(0, 8));
  CHECK(file_name_of("a._-+=Z9") == "a._-+=Z9");
  CHECK(file_name_of("a//b") == "a-b-" + hash_of("a//b").substr(0, 8));
  CHECK(file_name_of("a/") == "a-" + hash_of("a/").substr(0, 8));
  CHECK(file_name_of("/a") == "a-" + hash_of("/a").substr(0, 8));
  CHECK(file_name_of(".a") == "a-" + hash_of(".a").substr(0, 8));
  CHECK(file_name_of("-a") == "a-" + hash_of("-a").substr(0, 8));
  CHECK(file_name_of("") == hash_of("").substr(0, 8));
  CHECK(file_name_of("///") == hash_of("///").substr(0, 8));
}

TEST_CASE("valid UTF-8 is what the standard says, at each of its ends") {
  for (const char* valid :
       {"\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    CAPTURE(valid);
    CHECK(is_text(valid));
    CHECK(is_text(std::string("a") + valid + "b"));
  }
  for (const char* broken :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\xc2\x7f", "\xc2\xc0", "\xe0\x9f\xbf",
        "\xed\xa0\x80", "\xe2\x82", "\xe2\x82\x7f", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
        "\xf5\x80\x80\x80", "\xf0\x90\x80", "\xff"}) {
    CAPTURE(broken);
    CHECK_FALSE(is_text(broken));
    CHECK_FALSE(is_text(std::string(broken) + "a"));
  }
}

TEST_CASE("what a terminal would obey is written out") {
  CHECK(printable("a\tb\rc\nd") == "a\\tb\\rc\\nd");
  CHECK(printable(std::string("\0", 1)) == "\\x00");
  CHECK(printable("\x1b[2J\x1f \x7f~") == "\\x1b[2J\\x1f \\x7f~");
  CHECK(printable("\xe2\x82") == "\\xe2\\x82");
  CHECK(printable("\xe2\x82\xac!") == "\xe2\x82\xac!");
  // C1's CSI, right-to-left override and isolate, zero-width space, BOM, line separator, a tag
  CHECK(printable("\xc2\x9b"
                  "31m") == "\\u009b31m");
  CHECK(printable("a\xe2\x80\xae\xe2\x81\xa7") == "a\\u202e\\u2067");
  CHECK(printable("\xe2\x80\x8b\xef\xbb\xbf\xe2\x80\xa8") == "\\u200b\\ufeff\\u2028");
  CHECK(printable("\xf3\xa0\x81\x81") == "\\ue0041");
}

TEST_CASE("random numbers are below their bound, and each comes up") {
  Random random(7);
  std::vector<int> seen(6);
  for (int i = 0; i < 600; ++i) ++seen.at(random.below(6));
  for (const int count : seen) CHECK(count > 60);
  CHECK(Random(3).below(1) == 0);
  Random one(1), same(1), other(2);
  const auto first = one.below(1u << 30);
  CHECK(first == same.below(1u << 30));
  CHECK(first != other.below(1u << 30));
  // Of 64 bits' numbers those that come around a second time would make the lower half likelier.
  const std::uint64_t bound = 0xAAAAAAAAAAAAAAAAu;
  int low = 0;
  for (int i = 0; i < 3000; ++i) low += random.below(bound) < bound / 2 ? 1 : 0;
  CHECK(low > 1350);
  CHECK(low < 1650);
  CHECK(seed_of(1, "a") == std::stoull(hash_of("1/a").substr(0, 16), nullptr, 16));
}

TEST_CASE("the beginning of a long text stands for it in a message") {
  CHECK(in_short("  short\x1b \n") == "short\\x1b");
  CHECK(in_short(std::string(400, 'a')) == std::string(300, 'a') + " …");
  CHECK(in_short("aä", 2) == "a …");  // no half of a character
}

TEST_CASE("JSON that is nested deeply, or has more values than are of use, is not moderate") {
  CHECK(is_moderate_json(R"({"a": [1, {"b": "[[[[,,,,"}]})", 5));
  CHECK_FALSE(is_moderate_json("[" + std::string(3000, ',') + "]", 3000));
  CHECK(is_moderate_json("[" + std::string(2997, ',') + "]", 3000));
  CHECK_FALSE(is_moderate_json(std::string(200, '[')));
}
