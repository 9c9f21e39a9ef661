#include "core/base/text.h"

#include "core/base/hash.h"
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
