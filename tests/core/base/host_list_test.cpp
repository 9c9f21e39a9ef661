// SPDX-License-Identifier: Apache-2.0
#include "core/base/host_list.h"

#include "tests/support/catch.h"

using namespace pippin;

namespace {
using Names = std::vector<std::string>;
}

TEST_CASE("a list of hosts is what scontrol show hostnames prints") {
  CHECK(host_names("n1") == Names{"n1"});
  CHECK(host_names("n[01-03,7],gpu-1") == Names{"n01", "n02", "n03", "n7", "gpu-1"});
  CHECK(host_names("r[1-2]n[8-9]") == Names{"r1n8", "r1n9", "r2n8", "r2n9"});
  CHECK(host_names("n[9-11]") == Names{"n9", "n10", "n11"});
  CHECK(host_names("n[099-101]") == Names{"n099", "n100", "n101"});
  CHECK(host_names("r7i2n0,r7i2n3") == Names{"r7i2n0", "r7i2n3"});
  CHECK(host_names("n[1-2]-ib") == Names{"n1-ib", "n2-ib"});
  CHECK(host_names(" a,b ") == Names{"a", "b"});
}

TEST_CASE("a host that is named twice is one host") {
  CHECK(host_names("b,a,b,n[1-2],n2") == Names{"b", "a", "n1", "n2"});
}

TEST_CASE("what is no list of hosts has none") {
  for (const char* text :
       {"", " ", "a,", ",a", "n[1-2", "n1-2]", "n[]", "n[2-1]", "n[a-b]", "n[[1]]", "n[1,]",
        "(null)", "None assigned", "a b", "n[1-99999999999]", "n[1-1000][1-1000]", "A=1"}) {
    CAPTURE(text);
    CHECK_FALSE(host_names(text));
  }
  CHECK(host_names("n[1-100000]")->size() == 100000);
  CHECK_FALSE(host_names("n[0-100000]"));
  // Written again and again, a short text would take as long as one of a million names.
  CHECK_FALSE(host_names("n[1-60000],n[1-60000]"));
}
