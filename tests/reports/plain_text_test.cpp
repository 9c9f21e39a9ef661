// SPDX-License-Identifier: Apache-2.0
#include "reports/plain_text.h"

#include "tests/support/catch.h"

using namespace pippin;

TEST_CASE("a terminal without signs gets near ones") {
  CHECK(ascii_of("1.43 ± 0.01 s, 1.3×, 2–3 …") == "1.43 +- 0.01 s, 1.3x, 2-3 ~");
  CHECK(ascii_of("Jülich, 東京") == "J?lich, ??");
  CHECK(ascii_of("plain\n") == "plain\n");
  CHECK(ascii_of("\xff\xfe").find('\xff') == std::string::npos);
  CHECK(ascii_of("").empty());
}
