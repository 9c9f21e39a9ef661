// SPDX-License-Identifier: Apache-2.0
#include "harness/scrape/line_scanner.h"

#include <algorithm>

#include "core/base/random.h"
#include "harness/scrape/lines.h"
#include "tests/harness/scrape/needles_of.h"
#include "tests/support/catch.h"

using namespace pippin;

namespace {

/// Keeps what is passed on with reason; wants all lines from one that holds "all on" to one with
/// "all off".
class Kept : public LineSink {
 public:
  bool wants_next_line() const override { return all_; }
  const Needles& needles() const override {
    static const std::vector<std::string_view> texts{"loss:", "all on", "all off"};
    static const Needles needles = test::needles_of(texts);
    static const Needles without_loss = test::needles_of(texts, {false, true, true});
    return deaf_ ? without_loss : needles;
  }
  void take(const FoundLine& line) override {
    const bool wanted = all_;
    if (line.text.find("all on") != std::string_view::npos) all_ = true;
    if (line.text.find("all off") != std::string_view::npos) all_ = false;
    deaf_ = line.text.find("deaf") != std::string_view::npos;
    std::string text = std::string(line.text) + (line.terminated ? "$" : "") + " ";
    std::string bits(3, '-');
    for (const auto& hit : line.hits) {
      if (hit.at >= line.text.data()) bits[hit.needle] = 'x';
    }
    if (wanted || bits != "---") lines.push_back(text + bits);
  }

  std::vector<std::string> lines;

 private:
  bool all_ = false, deaf_ = false;  ///< deaf_: looks for losses no more
};

std::vector<std::string> passed_on(const std::vector<std::string_view>& parts) {
  Kept kept;
  LineScanner scanner(kept);
  for (const auto part : parts) scanner.add(part);
  scanner.finish();
  return kept.lines;
}

/// Keeps lines that hold a text which begins with the end of the line before.
class Begun : public LineSink {
 public:
  bool wants_next_line() const override { return false; }
  const Needles& needles() const override {
    static const std::vector<std::string_view> texts{"\nout of memory"};
    static const Needles needles = test::needles_of(texts);
    return needles;
  }
  void take(const FoundLine& line) override {
    if (!line.hits.empty()) lines.emplace_back(line.text);
  }

  std::vector<std::string> lines;
};

using Texts = std::vector<std::string>;

}  // namespace

TEST_CASE("only lines that hold a text are passed on, whole") {
  CHECK(passed_on({"a\nthe loss: 1\nb\n"}) == Texts{"the loss: 1$ x--"});
  CHECK(passed_on({"a\n[0]:loss: 1, loss: 2\r\nloss: 3"}) ==
        Texts{"loss: 1, loss: 2$ x--", "loss: 3 x--"});
  CHECK(passed_on({"los", "s: 1", "\nlo", "ss", ":", "\n"}) == Texts{"loss: 1$ x--", "loss:$ x--"});
  CHECK(passed_on({"", "\n\n", ""}) == Texts{});
}

TEST_CASE("where every line matters, every line is passed on, to the last that does") {
  CHECK(passed_on({"x\nall on\n\nx\rall off\nx\nloss:\n"}) ==
        Texts{"all on$ -x-", "$ ---", "x$ ---", "all off$ --x", "loss:$ x--"});
}

TEST_CASE("a return and a feed are one end, also where a part ends between them") {
  const std::string feeds = "all on\n\nx\ny\nall off\n";
  std::string both;
  for (const char c : feeds) both += c == '\n' ? "\r\n" : std::string(1, c);
  for (std::size_t size = 0; size <= both.size(); ++size) {
    CAPTURE(size);
    const std::string_view all = both;
    CHECK(passed_on({all.substr(0, size), all.substr(size)}) == passed_on({feeds}));
  }
}

TEST_CASE("what to look for may change from line to line") {
  CHECK(passed_on({"loss: 1 deaf\nloss: 2\nall on\nall off\nloss: 3\n"}) ==
        Texts{"loss: 1 deaf$ x--", "all on$ -x-", "all off$ --x", "loss: 3$ x--"});
}

TEST_CASE("a text that an escape sequence cuts, or that is in a label, is looked for in the rest") {
  CHECK(passed_on({"lo\x1b[31mss: 1\nplain\n"}) == Texts{"loss: 1$ x--"});
  CHECK(passed_on({"all on\n\x1b[0mnothing\n"}) == Texts{"all on$ -x-", "nothing$ ---"});
}

TEST_CASE("a text that begins with a line's end is found where a part begins behind that") {
  const std::string log = "step 1\nout of memory, 1\nout of memory, 2\nnot out of memory\n";
  for (std::size_t size = 0; size <= log.size(); ++size) {
    CAPTURE(size);
    Begun begun;
    LineScanner scanner(begun);
    scanner.add(std::string_view(log).substr(0, size));
    scanner.add(std::string_view(log).substr(size));
    scanner.finish();
    CHECK(begun.lines == Texts{"out of memory, 1", "out of memory, 2"});
  }
}

TEST_CASE("a line of megabytes is read as far as its first four") {
  const std::string filler(std::size_t{5} << 20U, '.');
  const auto whole = passed_on({"loss:" + filler + "loss:\nloss: 2\n"});
  REQUIRE(whole.size() == 2);
  CHECK(whole[0].size() == (std::size_t{4} << 20U) + 4);
  CHECK(whole[0].ends_with(". x--"));
  CHECK(whole[1] == "loss: 2$ x--");
  CHECK(passed_on({"loss:", filler, filler, "loss:\nlo", "ss: 2\n"}) == whole);
}

TEST_CASE("a log is the same however it is cut") {
  const Texts pieces{"loss:", "\n", "\r", "a", "all on", "all off", "\x1b[1m", "[rank3]: ", "n1: "};
  Random random(11);
  for (int round = 0; round < 2000; ++round) {
    std::string log;
    for (auto left = random.below(40); left > 0; --left) log += pieces[random.below(pieces.size())];
    std::vector<std::string_view> parts;
    for (std::string_view rest = log; !rest.empty();) {
      const auto length = std::min<std::size_t>(1 + random.below(9), rest.size());
      parts.push_back(rest.substr(0, length));
      rest.remove_prefix(length);
    }
    CAPTURE(log);
    REQUIRE(passed_on(parts) == passed_on({log}));
    // All lines that hold a text are among those that a plain reader gives.
    Texts plain;
    Lines lines(log);
    for (std::string_view line; lines.next(line);) {
      if (line.find("loss:") != std::string_view::npos) plain.emplace_back(line);
    }
    Texts with_loss;
    for (const auto& line : passed_on(parts)) {
      const auto end = line.rfind(' ');
      if (line[end + 1] == 'x') with_loss.push_back(line.substr(0, end - (line[end - 1] == '$')));
    }
    REQUIRE(with_loss == plain);
  }
}
