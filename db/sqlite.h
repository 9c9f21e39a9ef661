// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/files.h"

struct sqlite3;
struct sqlite3_stmt;

namespace pippin::db {

class Statement;

/// Bytes that are no text.
struct Bytes {
  std::string_view bytes;
};

/// A value of a column of any type; the first: NULL.
using AnyValue = std::variant<std::monostate, std::int64_t, double, Bytes, std::string_view>;

/// An open SQLite file. One that may not be written here, or whose directory may not, can be read.
/// Errors of all that goes through it: Error naming the file. A file that is no database is bad
/// input; a full disk, a lock held too long, a file that cannot be opened or written are the
/// machine's. What a statement changed outside of a Transaction stays or goes as a whole.
class Connection {
 public:
  /// Creates an empty file where there is none and `create` is set; waits up to `patience` where
  /// another process holds a lock.
  Connection(const fs::path& path, bool create,
             std::chrono::milliseconds patience = std::chrono::seconds(10));
  /// Opens a file to be read and no more, also where it could be written. Its views may call only
  /// what is harmless, and so not those of ours.
  struct ReadOnly {
    bool trust = false;  ///< its views may: guard.h has looked at them, or will
  };
  Connection(const fs::path& path, ReadOnly, std::chrono::milliseconds patience);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void run(const std::string& sql);  ///< any number of statements, without results
  /// The same, again and again until nobody is in its way, as long as the patience lasts: SQLite
  /// lets a change of the journal fail at once where two of them meet.
  void run_patiently(const std::string& sql);
  Statement prepare(std::string_view sql);
  std::int64_t number(std::string_view sql);  ///< the first column of the first row
  std::int64_t last_id() const;
  std::int64_t changes() const;  ///< rows that were written through it
  bool read_only() const;
  bool is_in_transaction() const;
  /// Whether nobody is kept from writing while it reads.
  bool is_unlocked() const { return is_unlocked_; }
  /// … because the locks of its file system are not to be trusted.
  void distrust_locks() { is_unlocked_ = is_unlocked_ || read_only(); }
  /// Whether something failed because the disk is full.
  bool met_full_disk() const { return met_full_disk_; }
  /// Whether something failed because rows would have contradicted each other.
  bool met_contradiction() const { return met_contradiction_; }
  /// Makes the tables of another file, which is only read, known as `name`.
  void attach(const fs::path& path, const std::string& name);

  [[noreturn]] void fail(int code) const;
  /// Counts the work of a statement from here on. Where it is more than any statement of ours needs
  /// for a file of that size, the statement fails: a stranger's may be made so that it never ends.
  void begin_work() { work_ = 0; }
  const fs::path& path() const { return path_; }

 private:
  static int wait(void* connection, int tries);
  void open(bool reading, bool create, bool trust = true);
  void check_locks();
  void take_care(bool trust);
  static int count_work(void* connection);

  friend class Statement;
  /// A text, and what it was compiled to, as far as nobody uses it now.
  struct Compiled {
    std::string sql;
    std::vector<sqlite3_stmt*> idle;
  };
  /// Nothing where too many texts are kept already.
  Compiled* kept(std::string_view sql);
  sqlite3_stmt* compile(std::string_view sql);

  fs::path path_;
  std::chrono::milliseconds patience_;
  std::chrono::steady_clock::time_point waits_since_;
  sqlite3* handle_ = nullptr;
  std::vector<fs::path> files_{path_};  ///< its own, and those attached
  mutable bool met_full_disk_ = false, met_contradiction_ = false;
  bool is_unlocked_ = false;
  std::int64_t work_ = 0;  ///< steps of SQLite's machine
  std::unordered_map<std::string_view, std::unique_ptr<Compiled>> kept_;  ///< by its own text
  /// Of kept_, by where the text lay when it was asked for: that of a literal stays there.
  std::array<Compiled*, 256> last_at_{};
};

/// A prepared statement; what it was compiled to is kept for the next of the same text. Parameters
/// and columns are bound and read in order, from the first.
class Statement {
 public:
  Statement(Connection& connection, std::string_view sql);
  ~Statement();
  Statement(Statement&& other) noexcept;
  Statement& operator=(Statement&&) = delete;

  /// Binds all parameters anew; a vector stands for as many.
  template <typename... Values>
  Statement& bind(const Values&... values) {
    lasting_ = false;
    bind_all(values...);
    return *this;
  }
  /// True while there is a row.
  bool step();
  /// For statements without rows: binds, runs.
  template <typename... Values>
  void run(const Values&... values) {
    lasting_ = true;  // they outlive this call, and are forgotten in it
    bind_all(values...);
    step();
    clear();
  }

  bool null(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;  ///< "" for NULL
  std::optional<std::int64_t> maybe_integer(int column) const;
  std::optional<double> maybe_real(int column) const;
  bool is_bytes(int column) const;
  bool is_text(int column) const;
  std::string_view view(int column) const;  ///< of bytes or a text, until the next step
  /// Whether a column has that very value, as it was bound.
  bool is(int column, const AnyValue& value) const;

 private:
  template <typename... Values>
  void bind_all(const Values&... values) {
    reset();
    is_bound_ = true;
    int index = 0;
    (put_next(index, values), ...);
    put_nothing_behind(index);
  }
  void reset();
  void clear();
  void put_nothing_behind(int index);
  template <typename T>
  void put_next(int& index, const T& value) {
    put(++index, value);
  }
  template <typename T>
  void put_next(int& index, const std::vector<T>& values) {
    for (const T& value : values) put(++index, value);
  }
  void put(int index, std::int64_t value);
  void put(int index, int value) { put(index, std::int64_t{value}); }
  void put(int index, unsigned value) { put(index, std::int64_t{value}); }
  void put(int index, double value);
  void put(int index, std::string_view value);
  void put(int index, const Bytes& value);
  void put(int index, const std::string& value) { put(index, std::string_view(value)); }
  void put(int index, const char* value) { put(index, std::string_view(value)); }
  void put(int index, std::nullopt_t);
  void put(int index, std::monostate) { put(index, std::nullopt); }
  void put(int index, const AnyValue& value) {
    std::visit([&](const auto& one) { put(index, one); }, value);
  }
  template <typename T>
  void put(int index, const std::optional<T>& value) {
    if (value) {
      put(index, *value);
    } else {
      put(index, std::nullopt);
    }
  }
  void check(int code) const;

  Connection* connection_;
  Connection::Compiled* kept_;  ///< where it goes when it is done with; nothing: nowhere
  sqlite3_stmt* statement_ = nullptr;
  bool is_stepped_ = false, is_bound_ = false;
  bool lasting_ = false;  ///< what is bound need not be copied
};

/// All or nothing: rolled back unless commit() was reached. One that writes takes the write lock at
/// once; one that reads sees the file as it was at its first statement, or at that of the
/// transaction in which it begins.
class Transaction {
 public:
  enum class Kind { kWrite, kRead };
  explicit Transaction(Connection& connection, Kind kind = Kind::kWrite);
  ~Transaction();
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  void commit();

 private:
  Connection& connection_;
  bool open_;
};

/// NULL for what is unknown.
inline std::optional<std::string> known(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace pippin::db
