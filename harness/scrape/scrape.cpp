#include "harness/scrape/scrape.h"

#include <iterator>
#include <memory>

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
  std::size_t documents = 0, tables = 0;  ///< the first of the signs of either
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
    made.documents = made.all.size();
    add(DocumentWatch::texts());
    made.tables = made.all.size();
    add(table_signs());
    return made;
  }();
  return texts;
}

const Needles& needles() {
  static const Needles needles(texts().all);
  return needles;
}

/// The readers of all formats.
class Readers {
 public:
  explicit Readers(bool document) {
    for (const auto& format : kFormats) readers_.push_back(format.reader(document));
  }

  bool want_next_line() const {
    for (const auto& reader : readers_) {
      if (reader->wants_next_line()) return true;
    }
    return false;
  }

  void read(const FoundLine& line) {
    for (std::size_t i = 0; i < readers_.size(); ++i) {
      const LogLine of_format(line, texts().first[i], texts().count[i]);
      if (readers_[i]->wants_next_line() || of_format.found_in(line.text) != 0)
        readers_[i]->read(of_format);
    }
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
  std::vector<std::unique_ptr<FormatReader>> readers_;
};

/// Takes a text for a log, and watches out for signs that it is none.
class LogSink : public LineSink {
 public:
  bool wants_next_line() const override {
    return watch_.wants_next_line() || readers_.want_next_line();
  }

  void take(const FoundLine& line) override {
    bool may_be_sign = watch_.wants_next_line();
    for (const auto& hit : line.hits) {
      if (hit.needle >= texts().tables) {
        may_hold_tables_ = true;
      } else if (hit.needle >= texts().documents) {
        may_be_sign = true;
      }
    }
    if (may_be_sign) watch_.see(line.raw);
    readers_.read(line);
  }

  DocumentSigns signs() const { return watch_.signs(); }
  bool may_hold_tables() const { return may_hold_tables_; }
  std::vector<LogRun> finish() { return readers_.finish(); }

 private:
  DocumentWatch watch_;
  Readers readers_{false};
  bool may_hold_tables_ = false;
};

/// Gives all lines to a function.
class AllLines : public LineSink {
 public:
  explicit AllLines(std::function<void(const FoundLine&)> take) : take_(std::move(take)) {}
  bool wants_next_line() const override { return true; }
  void take(const FoundLine& line) override { take_(line); }

 private:
  std::function<void(const FoundLine&)> take_;
};

void pass(const ReadParts& read, LineSink& sink) {
  LineScanner scanner(needles(), sink);
  read([&](std::string_view part) { scanner.add(part); });
  scanner.finish();
}

std::vector<LogRun> runs_of_document(const ReadParts& read, const DocumentSigns& signs) {
  Quotation quotation(signs);
  if (signs.script) {
    AllLines words([&](const FoundLine& line) { quotation.see(line.raw); });
    pass(read, words);
  }
  Readers readers(true);
  AllLines unquoted([&](const FoundLine& line) {
    if (!quotation.covers(line.text)) readers.read(line);
  });
  pass(read, unquoted);
  return readers.finish();
}

}  // namespace

Scraped scrape_parts(const ReadParts& read) {
  LogSink sink;
  pass(read, sink);
  Scraped scraped;
  scraped.may_hold_tables = sink.may_hold_tables();
  scraped.runs = sink.signs().any() ? runs_of_document(read, sink.signs()) : sink.finish();
  return scraped;
}

std::vector<LogRun> scrape(std::string_view log) {
  return scrape_parts([&](const auto& take) { take(log); }).runs;
}

}  // namespace pippin
