#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/records/run.h"

namespace pippin {

/// Rises whenever the same text may give other records; stored with every run.
inline constexpr std::int64_t kScraperVersion = 7;

/// What a text holds.
struct Scraped {
  /// The launches that a log tells of, in its order; empty where the text is no log of a known
  /// trainer. A launch without a single iteration counts where its header stands.
  /// Shape: Model::params is left empty: counting parameters is not a matter of text.
  std::vector<LogRun> runs;
  bool may_hold_tables = false;  ///< of a network: read_network() may find some
};

/// Gives a text from its beginning to its end, in parts that are cut anywhere.
using ReadParts = std::function<void(const std::function<void(std::string_view part)>& take)>;

/// Reads a log in one pass, in constant memory but for what it finds. What turns out to be a
/// script or a note, which quotes logs, is read again.
Scraped scrape_parts(const ReadParts& read);

/// Reads a log as it grows.
class GrowingLog {
 public:
  GrowingLog();
  ~GrowingLog();
  GrowingLog(GrowingLog&&) noexcept;
  GrowingLog& operator=(GrowingLog&&) noexcept;

  /// The next part of the log, however it is cut.
  void add(std::string_view part);
  /// What scrape_parts() finds in all that came; nothing where it would read that again.
  std::optional<Scraped> so_far() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The launches of a log that is at hand.
std::vector<LogRun> scrape(std::string_view log);

}  // namespace pippin
