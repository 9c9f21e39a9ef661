// The console blocks of README.md, walked as a stranger would: each "$ command" prints what stands
// below it. PIPPIN_REWRITE_README=1 writes what it prints today there instead.
#include "tests/harness/cli/readme.h"

#include <cstdlib>

#include "tests/support/catch.h"

using namespace pippin;
using test::Workplace;

TEST_CASE("each console command of the readme prints what the readme says") {
  const fs::path source = test::source_directory();
  const Workplace here;
  fs::create_directory_symlink(source / "sweeps", here.path() / "sweeps");
  fs::copy_file(source / "tests/data/notes/gpt2.md", here.path() / "gpt2.md");
  const std::string today = test::walked(read_input(source / "README.md"), "```console\n", here);
  if (std::getenv("PIPPIN_REWRITE_README")) disk().write(source / "README.md", today);
}
