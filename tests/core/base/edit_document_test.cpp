// SPDX-License-Identifier: Apache-2.0
#include "core/base/edit_document.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <fmt/format.h>
#include <grp.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <thread>
#include <unistd.h>

#include "core/base/error.h"
#include "tests/support/catch.h"
#include "tests/support/temporary.h"

using namespace pippin;
using Catch::Contains;

namespace {

std::string text_of(const fs::path& file) { return disk().read(file).value_or("(none)"); }

constexpr const char* kRights = "system.posix_acl_access";

/// An access control list in the kernel's form: the user rw, user 1234 rw, the group r, the mask
/// rw, others nothing. Source: linux/posix_acl_xattr.h.
std::string list_of_rights() {
  const auto entry = [](std::uint16_t tag, std::uint16_t rights, std::uint32_t id) {
    std::string text(8, '\0');
    std::memcpy(&text[0], &tag, sizeof tag);
    std::memcpy(&text[2], &rights, sizeof rights);
    std::memcpy(&text[4], &id, sizeof id);
    return text;
  };
  constexpr std::uint32_t kNone = 0xffffffff;
  return std::string("\2\0\0\0", 4) + entry(1, 6, kNone) + entry(2, 6, 1234) + entry(4, 4, kNone) +
         entry(16, 6, kNone) + entry(32, 0, kNone);
}

/// False where the file system has none.
bool set_attribute(const fs::path& file, const char* name, const std::string& value) {
  return ::setxattr(file.c_str(), name, value.data(), value.size(), 0) == 0;
}

std::string attribute_of(const fs::path& file, const char* name) {
  std::string found(256, '\0');
  const ssize_t size = ::getxattr(file.c_str(), name, found.data(), found.size());
  return found.substr(0, static_cast<std::size_t>(std::max<ssize_t>(size, 0)));
}

std::string with_table(const std::string& text) { return text + "| table |\n"; }

}  // namespace

TEST_CASE("what was saved while a document was edited is edited anew") {
  const test::TemporaryDirectory folder;
  const fs::path notes = folder / "notes.md";
  disk().write(notes, "a\n");
  int saves = 0;
  edit_document(notes, [&](const std::string& text) {
    if (saves < 3) disk().write(notes, text + fmt::format("saved {}\n", ++saves));
    return with_table(text);
  });
  CHECK(text_of(notes) == "a\nsaved 1\nsaved 2\nsaved 3\n| table |\n");
  CHECK(disk().list(folder.path()) == std::vector<std::string>{"notes.md"});
}

TEST_CASE("who may do what with a document stays so, and what people noted on it") {
  const test::TemporaryDirectory folder;
  const fs::path notes = folder / "notes.md";
  disk().write(notes, "a\n");
  const bool has_lists = set_attribute(notes, kRights, list_of_rights());
  const bool has_notes = set_attribute(notes, "user.note", "hi");
  edit_document(notes, with_table);
  if (has_lists) CHECK(attribute_of(notes, kRights) == list_of_rights());
  if (has_notes) CHECK(attribute_of(notes, "user.note") == "hi");
  CHECK(text_of(notes) == "a\n| table |\n");
  // Nor does it get what its folder gives to new files.
  disk().write(folder / "plain.md", "a\n");
  fs::permissions(folder / "plain.md", static_cast<fs::perms>(0660));
  set_attribute(folder.path(), "system.posix_acl_default", list_of_rights());
  edit_document(folder / "plain.md", with_table);
  CHECK(attribute_of(folder / "plain.md", kRights).empty());
  CHECK(static_cast<unsigned>(fs::status(folder / "plain.md").permissions()) == 0660);
}

TEST_CASE("a document of a group that its user has left stays that group's file") {
  if (::geteuid() != 0) return;  // nobody else can give a file to a group that is not theirs
  const test::TemporaryDirectory folder;
  constexpr uid_t kUser = 54321;
  constexpr gid_t kGroup = 65432;
  REQUIRE(::chown(folder.path().c_str(), kUser, kUser) == 0);
  const fs::path notes = folder / "notes.md", other = folder / "other.md";
  for (const auto& file : {notes, other}) {
    disk().write(file, "a\n");
    REQUIRE(::chown(file.c_str(), kUser, kGroup) == 0);
    fs::permissions(file, static_cast<fs::perms>(0660));
  }
  const fs::path listed = folder / "listed.md", sealed = folder / "sealed.md";
  for (const auto& file : {listed, sealed}) disk().write(file, "a\n");
  set_attribute(listed, kRights, list_of_rights());
  set_attribute(sealed, "user.note", "hi");
  REQUIRE(::chown(listed.c_str(), kUser, kGroup) == 0);
  REQUIRE(::chown(sealed.c_str(), kUser, kUser) == 0);
  fs::permissions(sealed, static_cast<fs::perms>(0444));
  const pid_t child = ::fork();
  if (child == 0) {
    const bool is_user =
        ::setgroups(0, nullptr) == 0 && ::setgid(kUser) == 0 && ::setuid(kUser) == 0;
    if (!is_user) ::_exit(2);
    if (::access(folder.path().c_str(), R_OK | X_OK) != 0) ::_exit(4);
    try {
      edit_document(notes, with_table);
      for (const auto& file : {other, listed, sealed}) disk().write(file, "b\n");
    } catch (const std::exception&) {
      ::_exit(3);
    }
    ::_exit(0);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  if (WEXITSTATUS(status) == 4) {
    WARN("skipped: other users cannot come to " + folder.path().string());
    return;
  }
  REQUIRE(status == 0);
  struct stat found {};
  REQUIRE(::stat(notes.c_str(), &found) == 0);
  CHECK(found.st_gid == kGroup);
  CHECK((found.st_mode & 07777) == 0660);
  CHECK(text_of(notes) == "a\n| table |\n");
  // One that is replaced gives the user's own group nothing.
  REQUIRE(::stat(other.c_str(), &found) == 0);
  CHECK((found.st_gid == kGroup || (found.st_mode & 070) == 0));
  CHECK(text_of(other) == "b\n");
  REQUIRE(::stat(listed.c_str(), &found) == 0);
  CHECK((found.st_gid == kGroup || (found.st_mode & 070) == 0));
  REQUIRE(::stat(sealed.c_str(), &found) == 0);
  CHECK((found.st_mode & 07777) == 0444);
  CHECK(text_of(sealed) == "b\n");
}

TEST_CASE("a document that is saved again and again is left to its editor") {
  const test::TemporaryDirectory folder;
  const fs::path notes = folder / "notes.md";
  disk().write(notes, "0");
  int saves = 0;
  const auto edit = [&](const std::string& text) {
    disk().write(notes, std::to_string(++saves));
    return with_table(text);
  };
  CHECK_THROWS_WITH(edit_document(notes, edit),
                    Contains("notes.md: is saved again and again by another program"));
  CHECK(text_of(notes) == std::to_string(saves));
}

TEST_CASE("an editor that saves at any moment loses nothing") {
  const test::TemporaryDirectory folder;
  const fs::path notes = folder / "notes.md", save = folder / "save";
  constexpr int kSaves = 2000;
  disk().write(notes, "0\n");
  std::atomic<bool> is_over{false};
  std::thread editor([&] {
    for (int i = 1; i <= kSaves; ++i) {
      std::FILE* file = std::fopen(save.c_str(), "w");
      std::fprintf(file, "%d\n", i);
      std::fclose(file);
      fs::rename(save, notes);
    }
    is_over = true;
  });
  int edits = 0;
  while (!is_over) {
    try {
      edit_document(notes, [&](const std::string& text) {
        return fmt::format("{}{}\n", text.substr(0, text.find('\n') + 1), ++edits);
      });
    } catch (const Error&) {  // saved too often
    }
  }
  editor.join();
  CHECK_THAT(text_of(notes), Catch::StartsWith(fmt::format("{}\n", kSaves)));
}

TEST_CASE("links of a document stay, and so does its mode") {
  const test::TemporaryDirectory folder;
  const fs::path notes = folder / "notes.md";
  disk().write(notes, "a much longer text than what is to come\n");
  fs::permissions(notes, static_cast<fs::perms>(0640));
  fs::create_hard_link(notes, folder / "same.md");
  fs::create_symlink("notes.md", folder / "link.md");
  edit_document(folder / "link.md", [](const std::string&) { return "short\n"; });
  CHECK(fs::is_symlink(folder / "link.md"));
  for (const char* name : {"notes.md", "same.md", "link.md"})
    CHECK(text_of(folder / name) == "short\n");
  CHECK(fs::hard_link_count(notes) == 2);
  CHECK(fs::status(notes).permissions() == static_cast<fs::perms>(0640));
  CHECK(disk().list(folder.path()) == std::vector<std::string>{"link.md", "notes.md", "same.md"});
}

TEST_CASE("the whole text that a killed pippin left beside a document of two names is not lost") {
  const test::TemporaryDirectory folder;
  const fs::path notes = folder / "notes.md";
  disk().write(notes, "half");
  fs::create_hard_link(notes, folder / "same.md");
  disk().write(folder / "notes.md.pippin-whole", "half and half");
  CHECK_THROWS_WITH(edit_document(notes, with_table), Contains("move it over notes.md"));
  CHECK(text_of(notes) == "half");
  CHECK(text_of(folder / "notes.md.pippin-whole") == "half and half");
}

TEST_CASE("a document that cannot be read or written is named and stays as it is") {
  const test::TemporaryDirectory folder;
  CHECK_THROWS_WITH(edit_document(folder / "none.md", with_table),
                    Contains("none.md: cannot read"));
  CHECK_THROWS_WITH(edit_document(folder.path(), with_table), Contains("Is a directory"));
  disk().write(folder / "same.md", "text");
  const auto before = fs::last_write_time(folder / "same.md");
  edit_document(folder / "same.md", [](const std::string& text) { return text; });
  CHECK(fs::last_write_time(folder / "same.md") == before);
}
