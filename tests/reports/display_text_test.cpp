// SPDX-License-Identifier: Apache-2.0
#include "reports/display_text.h"

#include "tests/support/catch.h"

using namespace pippin;

TEST_CASE("the width of a text is what a terminal shows") {
  CHECK(display_width("1.4 ± 0.1") == 9);
  CHECK(display_width("grün") == 4);
  CHECK(display_width("漢字") == 4);
  CHECK(display_width("e\xcc\x81") == 1);  // e and a combining accent
  CHECK(display_width("\xff\xfe") == 2);
}

TEST_CASE("a text is shortened in its middle") {
  CHECK(shortened("52b-tp4-pp16", 20) == "52b-tp4-pp16");
  CHECK(shortened("0123456789", 5) == "01…89");
  CHECK(shortened("漢字漢字", 5) == "漢…字");
  CHECK(shortened("abc", 1) == "…");
  CHECK(shortened("abc", 0).empty());
}

TEST_CASE("lines break at blanks and later ones are indented") {
  CHECK(wrapped("one two three", 8, 2) == "one two\n  three");
  CHECK(wrapped("  one two", 5, 4) == "  one\n    two");
  CHECK(wrapped("unbreakable", 4) == "unbreakable");
  CHECK(wrapped("one two", 0) == "one two");
}

TEST_CASE("a caption breaks without blanks at its end") {
  CHECK(wrapped("TP 4  DP 1  seq 1024", 12) == "TP 4  DP 1\nseq 1024");
}
