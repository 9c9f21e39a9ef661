// SPDX-License-Identifier: Apache-2.0
#include "core/base/text_file.h"

#include <chrono>
#include <cstdint>
#include <fmt/format.h>
#include <fstream>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "core/base/decompressor.h"
#include "tests/support/catch.h"
#include "tests/support/compress.h"
#include "tests/support/temporary.h"

using namespace pippin;
using Catch::Contains;

namespace {

std::string some_text(int lines) {
  std::string text;
  for (int i = 0; i < lines; ++i)
    text += fmt::format("iteration {} took {} ms\n", i, i * 7919 % 1000);
  return text;
}

std::string text_of(const fs::path& path) {
  std::string text;
  const TextRead read = read_text(path, [&](std::string_view part) {
    text += part;
    return true;
  });
  return read.refused.empty() ? text : "refused: " + read.refused;
}

}  // namespace

TEST_CASE("a compressed file is read as what it holds, whatever its name") {
  const test::TemporaryDirectory folder;
  const fs::path file = folder / "run.txt";
  for (const auto& program : test::compressors()) {
    const std::string one_line_again(std::size_t{3} << 20U, '\n');  // few bytes give many
    for (const auto& text : {some_text(1), some_text(100'000), one_line_again}) {
      CAPTURE(program, text.size());
      test::compress(program, text, file);
      const std::string bytes = *disk().read(file);
      CHECK(compression_of(bytes) == program);
      CHECK(text_of(file) == text);
      disk().write(file, bytes + bytes);
      CHECK(text_of(file) == text + text);
      disk().write(file, bytes + std::string(512, '\0') + bytes + std::string(512, '\0'));
      CHECK(text_of(file) == text + text);  // padded, as on a tape
    }
    test::compress(program, "", file);
    CHECK(text_of(file) == "refused: is empty");
  }
  CHECK(compression_of("BZh9 is what the log begins with").empty());
  CHECK(name_within("a/run.log.gz") == "run.log");
  CHECK(name_within("a/run.log") == "run.log");
}

TEST_CASE("a compressed file that is cut off anywhere is refused, and says where it ends") {
  const test::TemporaryDirectory folder;
  const fs::path file = folder / "run.log.gz";
  for (const auto& program : test::compressors()) {
    test::compress(program, some_text(30'000), file);
    const std::string whole = *disk().read(file);
    for (const std::size_t size : {kBytesOfCompression, std::size_t{13}, whole.size() / 2,
                                   whole.size() - 9, whole.size() - 1}) {
      CAPTURE(program, size);
      disk().write(file, whole.substr(0, size));
      CHECK_THROWS_WITH(text_of(file), Contains("run.log.gz: is cut off: it ends at byte " +
                                                std::to_string(size)) &&
                                           Contains(program + " -dc"));
    }
    CAPTURE(program);
    disk().write(file, whole + "iteration 9\n");
    CHECK_THROWS_WITH(text_of(file), Contains("run.log.gz: ") && Contains("make it anew"));
    std::string damaged = whole;
    for (std::size_t i = whole.size() / 2; i < whole.size() / 2 + 40; ++i) damaged[i] = '\x5a';
    disk().write(file, damaged);
    CHECK_THROWS_WITH(text_of(file), Contains("run.log.gz: ") && Contains("make it anew"));
  }
}

TEST_CASE("marks in front are no text, and a tar archive is none") {
  const test::TemporaryDirectory folder;
  const fs::path file = folder / "a";
  disk().write(file, "\xef\xbb\xbftext\n");
  CHECK(text_of(file) == "text\n");
  disk().write(file, std::string("\xff\xfet\0\n\0", 6));
  CHECK(text_of(file) == "t\n");
  disk().write(file, std::string("\xfe\xff\0t\0\n", 6));
  CHECK(text_of(file) == "t\n");
  const auto tar = fmt::format("cd '{}' && tar -cf tar a", folder.path().string());
  REQUIRE(std::system(tar.c_str()) == 0);
  CHECK_THAT(text_of(folder / "tar"), Contains("tar archive"));
}

TEST_CASE("a hole of a terabyte takes no time, wherever it is") {
  const test::TemporaryDirectory folder;
  constexpr auto kHole = std::uintmax_t{1} << 40U;
  const fs::path file = folder / "a.log";
  disk().write(file, some_text(1000));
  fs::resize_file(file, kHole);
  std::ofstream(file, std::ios::app) << "45.6\nthe last line\n";
  const auto since = std::chrono::steady_clock::now();
  CHECK(text_of(file) == some_text(1000) + "the last line\n");
  CHECK(std::chrono::steady_clock::now() - since < std::chrono::seconds(20));
}

TEST_CASE("what is told are the bytes of the file, not of its text") {
  const test::TemporaryDirectory folder;
  const fs::path file = folder / "a";
  test::compress("gzip", some_text(50'000), file);
  std::int64_t told = 0;
  TextOptions options;
  options.tell = [&](std::int64_t bytes) { told += bytes; };
  read_text(
      file, [](std::string_view) { return true; }, options);
  CHECK(told == static_cast<std::int64_t>(fs::file_size(file)));
}

TEST_CASE("what could hold us up is not opened") {
  const test::TemporaryDirectory folder;
  const fs::path fifo = folder / "fifo", socket = folder / "socket";
  REQUIRE(::mkfifo(fifo.c_str(), 0600) == 0);
  CHECK_THROWS_WITH(text_of(fifo), Contains("fifo: is a FIFO that nobody writes to"));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  socket.native().copy(static_cast<char*>(address.sun_path), sizeof address.sun_path - 1);
  const int descriptor = ::socket(AF_UNIX, SOCK_STREAM, 0);
  REQUIRE(::bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  CHECK_THROWS_WITH(text_of(socket), Contains("socket: is a socket, not a file"));
  ::close(descriptor);
  CHECK_THROWS_WITH(text_of("/dev/zero"), Contains("/dev/zero: is a device, not a file"));
  CHECK_THROWS_WITH(text_of(folder.path()), Contains("Is a directory"));
  CHECK_THROWS_WITH(read_parts(fifo, 0, [](std::string_view) { return true; }),
                    Contains("fifo: is no file"));
}
