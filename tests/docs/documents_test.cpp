// SPDX-License-Identifier: Apache-2.0
// The console blocks of each document, run as a stranger would: each "$ command" prints what stands
// below it. PIPPIN_REWRITE_DOCS=1 writes what it prints today there instead.
#include "tests/docs/documents.h"

#include "tests/support/catch.h"

using namespace pippin;
using test::Workplace;

namespace {

/// In a folder that has what the documents name of a checkout.
void walk_here(const fs::path& document) {
  const fs::path source = test::source_directory();
  const Workplace here;
  fs::create_directory(here.path() / "tests");
  for (const char* folder : {"sweeps", "tests/data"})
    fs::create_directory_symlink(source / folder, here.path() / folder);
  test::walk(document, test::kConsole, here);
}

}  // namespace

TEST_CASE("each console command of README.md prints what it says") { walk_here("README.md"); }

TEST_CASE("each console command of docs/reports.md prints what it says") {
  walk_here("docs/reports.md");
}

TEST_CASE("each console command of docs/compare.md prints what it says") {
  walk_here("docs/compare.md");
}

TEST_CASE("each console command of docs/noise.md prints what it says") {
  walk_here("docs/noise.md");
}

TEST_CASE("each console command of docs/logs-and-tables.md prints what it says") {
  walk_here("docs/logs-and-tables.md");
}

TEST_CASE("each console command of docs/trainers.md prints what it says") {
  walk_here("docs/trainers.md");
}

TEST_CASE("each console command of docs/your-own-trainer.md prints what it says") {
  walk_here("docs/your-own-trainer.md");
}

TEST_CASE("each console command of docs/estimate.md prints what it says") {
  walk_here("docs/estimate.md");
}

TEST_CASE("each console command of sweeps/README.md prints what it says") {
  walk_here("sweeps/README.md");
}

TEST_CASE("no document with console blocks is left out") {
  test::check_all_are_walked(
      test::kConsole, {"README.md", "docs/reports.md", "docs/compare.md", "docs/noise.md",
                       "docs/logs-and-tables.md", "docs/trainers.md", "docs/your-own-trainer.md",
                       "docs/estimate.md", "sweeps/README.md"});
}

TEST_CASE("the files that README.md shows are those of the examples") {
  const auto shown = test::files_shown(test::text_of_document("README.md"));
  REQUIRE(shown.size() == 2);
  for (const auto& [name, text] : shown) {
    CAPTURE(name);
    CHECK(text == test::text_of_document("sweeps/examples/" + name));
  }
}
