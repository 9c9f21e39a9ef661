#include "harness/scrape/scrape.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>

#include "harness/scrape/document.h"
#include "harness/scrape/format.h"
#include "harness/scrape/megatron.h"
#include "harness/scrape/network.h"
#include "harness/scrape/steps.h"

namespace pippin {

namespace {

/// One trainer format: a file of its own and a line in this table.
constexpr LogFormat kFormats[] = {
    {"megatron", megatron_texts, megatron_reader},
    {"steps", steps_texts, steps_reader},
};

/// All texts that are looked for, and whose they are.
struct Texts {
  std::vector<std::string_view> all;
  std::vector<std::size_t> first, count;  ///< by format
  std::size_t tables = 0;                 ///< the first sign of one
};

const Texts& texts() {
  static const Texts texts = [] {
    Texts made;
    const auto add = [&](const std::vector<std::string_view>& more) {
      made.all.insert(made.all.end(), more.begin(), more.end());
    };
    for (const auto& format : kFormats) {
      made.first.push_back(made.all.size());
      add(format.texts());
      made.count.push_back(made.all.size() - made.first.back());
    }
    add(DocumentWatch::texts());
    made.tables = made.all.size();
    add(table_signs());
    return made;
  }();
  return texts;
}

/// All but those texts, which are a bit each, by format.
const Needles& needles_without(const std::vector<std::uint64_t>& needless) {
  static const Needles all(texts().all);
  static std::mutex mutex;
  static std::map<std::vector<std::uint64_t>, Needles> made;
  const std::lock_guard lock(mutex);
  const auto known = made.find(needless);
  if (known != made.end()) return known->second;
  std::vector<std::size_t> numbers;
  for (std::size_t format = 0; format < needless.size(); ++format) {
    for (std::size_t i = 0; i < texts().count[format]; ++i) {
      if ((needless[format] >> i & 1U) != 0) numbers.push_back(texts().first[format] + i);
    }
  }
  return made.emplace(needless, all.without(numbers)).first->second;
}

/// The readers of all formats.
class Readers {
 public:
  explicit Readers(bool document) {
    for (const auto& format : kFormats) readers_.push_back(format.reader(document));
    needless_.resize(readers_.size());
    needles_ = &needles_without(needless_);
  }

  Readers(const Readers& other) : needless_(other.needless_), needles_(other.needles_) {
    for (const auto& reader : other.readers_) readers_.push_back(reader->copy());
  }
  Readers& operator=(const Readers&) = delete;

  bool want_next_line() const {
    return std::any_of(readers_.begin(), readers_.end(),
                       [](const auto& reader) { return reader->wants_next_line(); });
  }
  const Needles& needles() const { return *needles_; }

  void read(const FoundLine& line) {
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      const LogLine of_format(line, texts().first[i], texts().count[i]);
      if (readers_[i]->wants_next_line() || of_format.found_in(line.text) != 0)
        readers_[i]->read(of_format);
    }
    choose_needles();
  }

  /// See LineSink::take_alike().
  std::size_t read_alike(std::string_view text) {
    if (want_next_line()) return 0;
    for (const auto& reader : readers_) {
      const std::size_t length = reader->read_alike(text);
      if (length == 0) continue;
      choose_needles();
      return length + 1;
    }
    return 0;
  }

  std::vector<LogRun> finish() {
    std::vector<LogRun> runs;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      for (auto& run : readers_[i]->finish()) {
        run.format = kFormats[i].name;
        run.scraper_version = kScraperVersion;
        runs.push_back(std::move(run));
      }
    }
    return runs;
  }

 private:
  void choose_needles() {
    bool same = true;
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      const std::uint64_t needless = readers_[i]->needless();
      same = same && needless == needless_[i];
      needless_[i] = needless;
    }
    if (!same) needles_ = &needles_without(needless_);
  }

  std::vector<std::unique_ptr<FormatReader>> readers_;
  std::vector<std::uint64_t> needless_;  ///< by reader
  const Needles* needles_ = nullptr;
};

/// Takes a text for a log, and watches out for signs that it is none.
class LogSink : public LineSink {
 public:
  bool wants_next_line() const override {
    return watch_.wants_next_line() || readers_.want_next_line();
  }

  const Needles& needles() const override { return readers_.needles(); }

  void take(const FoundLine& line) override {
    may_hold_tables_ = may_hold_tables_ ||
                       std::any_of(line.hits.begin(), line.hits.end(),
                                   [](const auto& hit) { return hit.needle >= texts().tables; });
    if (line.after_feed) watch_.see(line.raw);
    readers_.read(line);
  }

  /// A line of numbers is no sign of a document, nor of a table.
  std::size_t take_alike(std::string_view text) override {
    return watch_.wants_next_line() ? 0 : readers_.read_alike(text);
  }

  DocumentSigns signs() const { return watch_.signs(); }
  bool may_hold_tables() const { return may_hold_tables_; }
  std::vector<LogRun> finish() { return readers_.finish(); }

 private:
  DocumentWatch watch_;
  Readers readers_{false};
  bool may_hold_tables_ = false;
};

/// Sees the lines of a script that may end its here-documents.
class WordSink : public LineSink {
 public:
  explicit WordSink(Quotation& quotation) : quotation_(quotation) {}

  bool wants_next_line() const override { return true; }
  const Needles& needles() const override { return needles_without({}); }
  void take(const FoundLine& line) override { quotation_.see(line.raw); }

 private:
  Quotation& quotation_;
};

/// Reads what a document does not quote.
class DocumentSink : public LineSink {
 public:
  explicit DocumentSink(Quotation& quotation) : quotation_(quotation) {}

  bool wants_next_line() const override { return true; }
  const Needles& needles() const override { return readers_.needles(); }
  void take(const FoundLine& line) override {
    if (!quotation_.covers(line.text)) readers_.read(line);
  }
  std::vector<LogRun> finish() { return readers_.finish(); }

 private:
  Quotation& quotation_;
  Readers readers_{true};
};

void pass(const ReadParts& read, LineSink& sink) {
  LineScanner scanner(sink);
  read([&](std::string_view part) { scanner.add(part); });
  scanner.finish();
}

/// A note with a title does not quote so many lines but in a fence.
constexpr std::size_t kLinesOfLog = 10;

std::size_t lines_of(const std::vector<LogRun>& runs) {
  std::size_t lines = 0;
  for (const auto& run : runs) lines += run.iterations.size();
  return lines;
}

/// Empties the sink.
Scraped found_in(LogSink& sink) {
  Scraped scraped;
  scraped.may_hold_tables = sink.may_hold_tables();
  scraped.runs = sink.finish();
  return scraped;
}

bool is_document(const DocumentSigns& signs, const Scraped& scraped) {
  const bool is_log = !signs.script && !signs.note && lines_of(scraped.runs) >= kLinesOfLog;
  return signs.any() && !is_log;
}

std::vector<LogRun> runs_of_document(const ReadParts& read, const DocumentSigns& signs) {
  Quotation quotation(signs);
  if (signs.script) {
    WordSink words(quotation);
    pass(read, words);
  }
  DocumentSink sink(quotation);
  pass(read, sink);
  return sink.finish();
}

}  // namespace

Scraped scrape_parts(const ReadParts& read) {
  LogSink sink;
  pass(read, sink);
  Scraped scraped = found_in(sink);
  if (is_document(sink.signs(), scraped)) scraped.runs = runs_of_document(read, sink.signs());
  return scraped;
}

struct GrowingLog::State {
  LogSink sink;
  LineScanner scanner{sink};
};

GrowingLog::GrowingLog() : state_(std::make_unique<State>()) {}
GrowingLog::~GrowingLog() = default;
GrowingLog::GrowingLog(GrowingLog&&) noexcept = default;
GrowingLog& GrowingLog::operator=(GrowingLog&&) noexcept = default;

void GrowingLog::add(std::string_view part) { state_->scanner.add(part); }

std::optional<Scraped> GrowingLog::so_far() const {
  LogSink sink = state_->sink;
  state_->scanner.finish_into(sink);
  Scraped scraped = found_in(sink);
  if (is_document(sink.signs(), scraped)) return std::nullopt;
  return scraped;
}

std::vector<LogRun> scrape(std::string_view log) {
  return scrape_parts([&](const auto& take) { take(log); }).runs;
}

}  // namespace pippin
