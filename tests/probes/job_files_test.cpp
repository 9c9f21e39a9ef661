#include "core/base/process.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;

namespace {

int job_files(std::vector<std::string> words) {
  words.insert(words.begin(), JOB_FILES);
  return run_program(words).exit_code;
}

}  // namespace

TEST_CASE("job-files makes a folder and its parent, and says when it has not") {
  const test::TemporaryDirectory root;
  const std::string folder = (root / "run/1-7-0").string();
  CHECK(job_files({"make", folder}) == 0);
  CHECK(fs::is_directory(folder));
  CHECK(job_files({"make", folder}) == 1);
  CHECK(job_files({"make", (root / "run/1-7-1").string()}) == 0);
  CHECK(job_files({"make", (root / "a/b/c").string()}) == 1);
  CHECK_FALSE(fs::exists(root / "a"));
  disk().write(root / "file", "");
  CHECK(job_files({"make", (root / "file/a").string()}) == 1);
  CHECK(job_files({"make", ""}) == 1);
  CHECK(job_files({"make", "/"}) == 1);
}

TEST_CASE("job-files makes folders by the umask") {
  const test::TemporaryDirectory root;
  const std::string folder = (root / "run/1-7-0").string();
  run_program({"bash", "-c", "umask 027; exec \"$@\"", "_", JOB_FILES, "make", folder});
  for (const fs::path& path : {fs::path(folder), root / "run"})
    CHECK(static_cast<unsigned>(fs::status(path).permissions()) == 0750);
}

TEST_CASE("job-files syncs all files that it is given, or says that it has not") {
  const test::TemporaryDirectory root;
  disk().write(root / "log", "a");
  disk().write(root / "run", "b");
  const std::string log = (root / "log").string(), run = (root / "run").string();
  CHECK(job_files({"sync", log}) == 0);
  CHECK(job_files({"sync", log, run}) == 0);
  CHECK(job_files({"sync", log, (root / "none").string()}) == 1);
  CHECK(job_files({"sync", "/dev/null"}) == 1);
}

TEST_CASE("job-files does nothing else") {
  for (const auto& words :
       std::vector<std::vector<std::string>>{{}, {"make"}, {"sync"}, {"synch", "/"}, {"mak", "/"}})
    CHECK(job_files(words) == 1);
}
