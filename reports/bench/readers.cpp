// SPDX-License-Identifier: Apache-2.0
// readers PORT TARGET READERS SECONDS [HEADER]: so many ask for one page again and again, each on a
// connection of its own for each request, and count. Prints whole answers a second, the median and
// 99th percentile of the milliseconds that one took, and how many requests got no whole answer.
#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const std::string& why) {
  std::fprintf(stderr, "readers: %s\n", why.c_str());
  std::exit(1);
}

/// All that a server sends until it ends the connection.
std::string answer_to(const std::string& request, std::uint16_t port) {
  const int file = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(file, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0)
    fail("cannot connect");
  if (::send(file, request.data(), request.size(), MSG_NOSIGNAL) < 0) fail("cannot send");
  std::string text;
  static thread_local std::array<char, 1 << 20> part;
  for (ssize_t count = 1; count > 0;) {
    count = ::recv(file, part.data(), part.size(), 0);
    if (count > 0) text.append(part.data(), static_cast<std::size_t>(count));
  }
  ::close(file);
  return text;
}

bool is_whole(const std::string& answer) {
  const auto head = answer.find("\r\n\r\n"), length = answer.find("Content-Length: ");
  if (answer.find(" 200 ") != 8 || head == std::string::npos || length > head) return false;
  return answer.size() - head - 4 == std::strtoull(answer.c_str() + length + 16, nullptr, 10);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 5) fail("usage: readers PORT TARGET READERS SECONDS [HEADER]");
  const auto port = static_cast<std::uint16_t>(std::atoi(argv[1]));
  const std::string request = std::string("GET ") + argv[2] + " HTTP/1.1\r\nHost: localhost\r\n" +
                              "Connection: close\r\n" +
                              (argc > 5 ? argv[5] + std::string("\r\n") : "") + "\r\n";
  const std::string first = answer_to(request, port);
  if (!is_whole(first)) fail("the first answer is none: " + first.substr(0, 200));
  const auto begun = Clock::now(), end = begun + std::chrono::seconds(std::atoi(argv[4]));
  std::mutex mutex;
  std::vector<double> all_ms;
  std::atomic<long> refused = 0;
  std::vector<std::thread> readers;
  for (int i = 0; i < std::atoi(argv[3]); ++i) {
    readers.emplace_back([&] {
      std::vector<double> own_ms;
      while (Clock::now() < end) {
        const auto before = Clock::now();
        if (!is_whole(answer_to(request, port))) {
          ++refused;
          continue;
        }
        own_ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - before).count());
      }
      const std::lock_guard lock(mutex);
      all_ms.insert(all_ms.end(), own_ms.begin(), own_ms.end());
    });
  }
  for (auto& reader : readers) reader.join();
  const double seconds = std::chrono::duration<double>(Clock::now() - begun).count();
  if (all_ms.empty()) fail("no answer is whole");
  std::sort(all_ms.begin(), all_ms.end());
  std::printf("%.1f %.1f %.1f %ld\n", static_cast<double>(all_ms.size()) / seconds,
              all_ms[all_ms.size() / 2], all_ms[all_ms.size() * 99 / 100], refused.load());
}
