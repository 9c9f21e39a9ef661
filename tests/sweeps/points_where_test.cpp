// SPDX-License-Identifier: Apache-2.0
#include "sweeps/points_where.h"

#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/sweeps/sweep_text.h"

using namespace pippin;
using Catch::Contains;

namespace {

std::vector<Point> points() {
  return test::sweep_of(
             "sweep: s\nprobe: training\npoints: [{tp: 1, zero: 0}, {tp: 2}, {tp: 2, mbs: 2}]\n")
      .points;
}

}  // namespace

TEST_CASE("a part of a sweep is what an expression holds for") {
  const auto all = points();
  using Ids = std::set<std::string, std::less<>>;
  CHECK(points_where(all, "--only", "tp == 2") == Ids{all[1].id, all[2].id});
  CHECK(points_where(all, "--only", "gbs > 1 && size == 'tiny'") == Ids{all[2].id});
  CHECK(points_where(all, "--only", "zero == 0") == Ids{all[0].id});
}

TEST_CASE("a part that cannot be is refused with the option that names it") {
  const auto all = points();
  CHECK_THROWS_WITH(points_where(all, "--only", "tp == 4"),
                    "--only 'tp == 4': it holds for none of 3 points");
  CHECK_THROWS_WITH(points_where(all, "--only", "mbss == 4"),
                    "--only 'mbss == 4': no point has a 'mbss', did you mean 'mbs'?");
  CHECK_THROWS_WITH(points_where(all, "--only", "tp = 2"), Contains("did you mean '=='?"));
  CHECK_THROWS_AS(points_where(all, "--only", ""), Error);
}
