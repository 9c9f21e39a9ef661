// SPDX-License-Identifier: Apache-2.0
#include "db/sqlite.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <iterator>
#include <sqlite3.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "core/base/error.h"
#include "core/base/lock.h"
#include "core/base/units.h"
#include "db/long_wait.h"

namespace pippin::db {

namespace {

// Of one statement in steps of SQLite's machine, of which a core makes 50 to 100 million a second.
constexpr int kWorkSteps = 1'000'000;
constexpr std::int64_t kWorkOfAny = 200'000'000, kWorkPerByte = 200;

int primary(int code) { return code & 0xff; }

/// SQLite calls only ENOSPC a full disk; a quota that is used up is one to its owner.
bool means_full_disk(int code, int system_error) {
  const bool no_room = system_error == ENOSPC || system_error == EDQUOT || system_error == EFBIG;
  return primary(code) == SQLITE_FULL || (primary(code) == SQLITE_IOERR && no_room);
}

fs::path directory_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// Why nothing can be written beside a file: 0 where it can, or where nobody can tell. SQLite opens
/// a file whose shared memory finds no room as one that can only be read, and keeps why to itself.
int error_of_writing_beside(const fs::path& path) {
  constexpr off_t kSharedMemory = 32'768;
  const int file =
      ::open(directory_of(path).c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return 0;
  const int error = ::posix_fallocate(file, 0, kSharedMemory);
  ::close(file);
  return error;
}

bool holds_something(const fs::path& path) {
  std::error_code none;
  const auto size = fs::file_size(path, none);
  return !none && size > 0;
}

/// "file:" as SQLite takes it, of any path.
std::string uri_of(const fs::path& path) {
  std::string uri = "file:";
  for (const char c : fs::absolute(path).lexically_normal().string()) {
    const bool special = c == '%' || c == '?' || c == '#';
    uri += special ? fmt::format("%{:02X}", c) : std::string(1, c);
  }
  return uri;
}

/// Whether something is stored that is not in the file itself.
bool is_pending(const fs::path& path) {
  return holds_something(path.string() + "-wal") || holds_something(path.string() + "-journal");
}

/// Even to read a file with a write-ahead log SQLite makes files beside it, which fails in a
/// directory that cannot be written, and elsewhere leaves files of a stranger in the owner's way.
/// Where nothing is in that log the file alone says all.
std::string read_only_uri(const fs::path& path, bool pending) {
  return uri_of(path) + (pending ? "?mode=ro" : "?immutable=1");
}

/// SQLite makes files that no group can write, whatever the umask; what it makes beside one gets
/// that one's mode.
void make_by_umask(const fs::path& path) {
  constexpr mode_t kByUmask = 0666;
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, kByUmask);
  if (file >= 0) ::close(file);  // SQLite says why there is none
}

bool can_write(const fs::path& path) {
  return ::access(path.c_str(), W_OK) == 0 && ::access(directory_of(path).c_str(), W_OK) == 0;
}

}  // namespace

Connection::Connection(const fs::path& path, bool create, std::chrono::milliseconds patience)
    : path_(path), patience_(patience) {
  std::error_code none;
  open(fs::is_regular_file(path, none) && !can_write(path), create);
}

Connection::Connection(const fs::path& path, ReadOnly how, std::chrono::milliseconds patience)
    : path_(path), patience_(patience) {
  open(true, false, how.trust);
}

void Connection::open(bool reading, bool create, bool trust) {
  // To count all memory, which nobody asks for, each allocation would take a lock.
  static const int uncounted = sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
  static_cast<void>(uncounted);
  const int how =
      reading ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | (create ? SQLITE_OPEN_CREATE : 0);
  // "file:x" is a file here, and to SQLite, which takes URIs so that files can be attached to read.
  const std::string plain = path_.is_relative() ? "./" + path_.string() : path_.string();
  const bool pending = reading && is_pending(path_);
  const std::string name = reading ? read_only_uri(path_, pending) : plain;
  is_unlocked_ = reading && !pending;
  if (!reading && create) make_by_umask(path_);
  const sqlite3_vfs* system = sqlite3_vfs_find(nullptr);
  const std::string whole = fs::absolute(path_).lexically_normal().string();
  if (system != nullptr && std::ssize(whole) > system->mxPathname)
    machine_failed(
        "{}: cannot open the database: SQLite takes a path of at most {} bytes, and it has {}",
        path_.string(), system->mxPathname, whole.size());
  const int code =
      sqlite3_open_v2(name.c_str(), &handle_, how | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX, nullptr);
  if (code != SQLITE_OK) {
    int error = sqlite3_system_errno(handle_);
    // It looked for a file to read where it could not make one.
    if (error == ENOENT && create && ::access(directory_of(path_).c_str(), W_OK) != 0)
      error = errno;
    sqlite3_close(handle_);
    machine_failed("{}: cannot open the database: {}", path_.string(),
                   error != 0 ? std::string(std::strerror(error)) : sqlite3_errstr(code));
  }
  sqlite3_busy_handler(handle_, &Connection::wait, this);
  sqlite3_extended_result_codes(handle_, 1);
  if (!is_unlocked_) check_locks();
  take_care(trust);
}

/// Else a file system that locks nothing would be taken for a database that others write to, after
/// a minute, or for a damaged disk.
void Connection::check_locks() {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(handle_, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  int is_reserved = 0;
  if (file == nullptr || file->pMethods == nullptr ||
      file->pMethods->xCheckReservedLock(file, &is_reserved) == SQLITE_OK)
    return;
  const int error = errno;
  if (!means_no_locks(error)) return;  // it fails again where it matters
  sqlite3_close(handle_);
  fail_without_locks(path_, error);
}

/// The file may be a stranger's: guard.h refuses views and triggers that are not ours.
/// Source: sqlite.org/security.html, "Untrusted SQLite Database Files".
void Connection::take_care(bool trust) {
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle_, SQLITE_DBCONFIG_TRUSTED_SCHEMA, trust ? 1 : 0, nullptr);
  sqlite3_progress_handler(handle_, kWorkSteps, count_work, this);
}

/// A file grows while it is written to, so that its size is asked for only where it matters.
int Connection::count_work(void* connection) {
  auto& self = *static_cast<Connection*>(connection);
  self.work_ += kWorkSteps;
  if (self.work_ < kWorkOfAny) return 0;
  std::int64_t bytes = 0;
  for (const auto& path : self.files_) {
    for (const char* end : {"", "-wal"}) {
      std::error_code none;
      const auto size = fs::file_size(path.string() + end, none);
      if (!none) bytes += static_cast<std::int64_t>(size);
    }
  }
  return self.work_ > kWorkOfAny + kWorkPerByte * bytes ? 1 : 0;
}

void Connection::attach(const fs::path& path, const std::string& name) {
  prepare("ATTACH ? AS " + name).run(read_only_uri(path, is_pending(path)));
  files_.push_back(path);
}

bool Connection::is_in_transaction() const { return sqlite3_get_autocommit(handle_) == 0; }

bool Connection::read_only() const { return sqlite3_db_readonly(handle_, "main") == 1; }

Connection::~Connection() {
  for (const auto& entry : kept_) {
    for (sqlite3_stmt* statement : entry.second->idle) sqlite3_finalize(statement);
  }
  sqlite3_close(handle_);
}

void Connection::fail(int code) const {
  // A COMMIT that fails leaves its reason in errno only.
  const int last_error = errno, known_error = sqlite3_system_errno(handle_);
  const std::string file = path_.string(), text = sqlite3_errmsg(handle_);
  met_full_disk_ = means_full_disk(code, known_error != 0 ? known_error : last_error) ||
                   (primary(code) == SQLITE_READONLY &&
                    means_full_disk(SQLITE_IOERR, error_of_writing_beside(path_)));
  met_contradiction_ = primary(code) == SQLITE_CONSTRAINT;
  if (met_full_disk_) {
    machine_failed(
        "{}: the disk is full, or a quota; nothing of this step was stored, what was stored before "
        "is whole. Make room and repeat the command",
        file);
  }
  switch (primary(code)) {
    case SQLITE_NOTADB:
    case SQLITE_CORRUPT:
      bad_input("{}: is no database, or a damaged one ({}); name another file with --db", file,
                text);
    case SQLITE_INTERRUPT:
      bad_input(
          "{}: is damaged, or made so that reading it never ends; name another file with --db",
          file);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      machine_failed(
          "{}: another process is writing to it (waited {} s); repeat the command when "
          "that one is done",
          file, static_cast<double>(patience_.count()) / kMsPerSecond);
    case SQLITE_READONLY:
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
      if (known_error == EMFILE || known_error == ENFILE)
        machine_failed("{}: too many files are open; raise the limit (ulimit -n)", file);
      machine_failed(
          "{}: cannot be written ({}); it and its directory must be writable, or name "
          "another file with --db",
          file, text);
    default:
      machine_failed("{}: {} (SQLite error {}); nothing of this step was stored", file, text, code);
  }
}

void Connection::run(const std::string& sql) {
  begin_work();
  const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) fail(code);
}

/// As sqlite3_busy_timeout() does it, in longer and longer pauses.
int Connection::wait(void* connection, int tries) {
  constexpr int kPauses_ms[] = {1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100};
  auto& self = *static_cast<Connection*>(connection);
  const auto now = std::chrono::steady_clock::now();
  if (tries == 0) self.waits_since_ = now;
  const auto left = self.patience_ - (now - self.waits_since_);
  if (left <= left.zero()) return 0;
  tell_long_wait(self.path_, self.waits_since_, self.patience_);
  const auto pause = std::chrono::milliseconds(
      kPauses_ms[std::min(static_cast<std::size_t>(tries), std::size(kPauses_ms) - 1)]);
  std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(pause, left));
  return 1;
}

void Connection::run_patiently(const std::string& sql) {
  constexpr auto kPause = std::chrono::milliseconds(10);
  const auto since = std::chrono::steady_clock::now();
  const auto deadline = since + patience_;
  for (;;) {
    begin_work();
    const int code = sqlite3_exec(handle_, sql.c_str(), nullptr, nullptr, nullptr);
    if (code == SQLITE_OK) return;
    const bool in_the_way = primary(code) == SQLITE_BUSY || primary(code) == SQLITE_LOCKED;
    if (!in_the_way || std::chrono::steady_clock::now() >= deadline) fail(code);
    tell_long_wait(path_, since, patience_);
    std::this_thread::sleep_for(kPause);
  }
}

Statement Connection::prepare(std::string_view sql) { return {*this, sql}; }

Connection::Compiled* Connection::kept(std::string_view sql) {
  constexpr std::size_t kMostTexts = 200;  // those with a person's names in them may be many
  constexpr int kAlignment = 3;            // bits; literals of some length lie so
  const auto place = reinterpret_cast<std::uintptr_t>(sql.data()) >> kAlignment;
  Compiled*& last = last_at_[place % last_at_.size()];
  if (last && last->sql == sql) return last;
  const auto known = kept_.find(sql);
  if (known != kept_.end()) return last = known->second.get();
  if (kept_.size() >= kMostTexts) return nullptr;
  auto fresh = std::make_unique<Compiled>(Compiled{std::string(sql), {}});
  last = fresh.get();
  kept_.emplace(last->sql, std::move(fresh));
  return last;
}

sqlite3_stmt* Connection::compile(std::string_view sql) {
  sqlite3_stmt* statement = nullptr;
  const int code = sqlite3_prepare_v3(handle_, sql.data(), static_cast<int>(sql.size()),
                                      SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
  if (code != SQLITE_OK) fail(code);
  return statement;
}

std::int64_t Connection::number(std::string_view sql) {
  Statement statement = prepare(sql);
  return statement.step() ? statement.integer(0) : 0;
}

std::int64_t Connection::last_id() const { return sqlite3_last_insert_rowid(handle_); }

std::int64_t Connection::changes() const { return sqlite3_total_changes64(handle_); }

Statement::Statement(Connection& connection, std::string_view sql)
    : connection_(&connection), kept_(connection.kept(sql)) {
  if (kept_ && !kept_->idle.empty()) {
    statement_ = kept_->idle.back();
    kept_->idle.pop_back();
  } else {
    statement_ = connection.compile(sql);
  }
}

Statement::~Statement() {
  if (!statement_) return;
  if (kept_) {
    clear();
    kept_->idle.push_back(statement_);
  } else {
    sqlite3_finalize(statement_);
  }
}

Statement::Statement(Statement&& other) noexcept
    : connection_(other.connection_),
      kept_(other.kept_),
      statement_(std::exchange(other.statement_, nullptr)),
      is_stepped_(other.is_stepped_),
      is_bound_(other.is_bound_),
      lasting_(other.lasting_) {}

bool Statement::step() {
  if (!is_stepped_) connection_->begin_work();
  is_stepped_ = true;
  const int code = sqlite3_step(statement_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) connection_->fail(code);
  return code == SQLITE_ROW;
}

void Statement::reset() {
  if (is_stepped_) sqlite3_reset(statement_);  // it repeats the error that step() has thrown
  is_stepped_ = false;
}

void Statement::clear() {
  reset();
  if (is_bound_) sqlite3_clear_bindings(statement_);
  is_bound_ = false;
}

void Statement::put_nothing_behind(int index) {
  const int all = sqlite3_bind_parameter_count(statement_);
  while (index < all) put(++index, std::nullopt);
}

void Statement::check(int code) const {
  if (code != SQLITE_OK) connection_->fail(code);
}

void Statement::put(int index, std::int64_t value) {
  check(sqlite3_bind_int64(statement_, index, value));
}
void Statement::put(int index, double value) {
  check(sqlite3_bind_double(statement_, index, value));
}
void Statement::put(int index, std::string_view value) {
  const char* data = value.data() ? value.data() : "";
  check(sqlite3_bind_text64(statement_, index, data, value.size(),
                            lasting_ ? SQLITE_STATIC : SQLITE_TRANSIENT, SQLITE_UTF8));
}
void Statement::put(int index, const Bytes& value) {
  const char* data = value.bytes.data() ? value.bytes.data() : "";
  check(sqlite3_bind_blob64(statement_, index, data, value.bytes.size(),
                            lasting_ ? SQLITE_STATIC : SQLITE_TRANSIENT));
}
void Statement::put(int index, std::nullopt_t) { check(sqlite3_bind_null(statement_, index)); }

bool Statement::null(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_NULL;
}
std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_, column);
}
double Statement::real(int column) const { return sqlite3_column_double(statement_, column); }
std::string Statement::text(int column) const {
  const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return data ? std::string(data, size) : "";
}
std::optional<std::int64_t> Statement::maybe_integer(int column) const {
  return null(column) ? std::nullopt : std::optional(integer(column));
}
std::optional<double> Statement::maybe_real(int column) const {
  return null(column) ? std::nullopt : std::optional(real(column));
}

bool Statement::is_bytes(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_BLOB;
}
bool Statement::is(int column, const AnyValue& value) const {
  const int type = sqlite3_column_type(statement_, column);
  const auto is_one = [&](const auto& one) {
    using Type = std::decay_t<decltype(one)>;
    if constexpr (std::is_same_v<Type, std::monostate>) {
      return type == SQLITE_NULL;
    } else if constexpr (std::is_same_v<Type, std::int64_t>) {
      return type == SQLITE_INTEGER && integer(column) == one;
    } else if constexpr (std::is_same_v<Type, double>) {
      return type == SQLITE_FLOAT && real(column) == one;
    } else if constexpr (std::is_same_v<Type, Bytes>) {
      return type == SQLITE_BLOB && view(column) == one.bytes;
    } else {
      return type == SQLITE_TEXT && view(column) == one;
    }
  };
  return std::visit(is_one, value);
}

bool Statement::is_text(int column) const {
  return sqlite3_column_type(statement_, column) == SQLITE_TEXT;
}
std::string_view Statement::view(int column) const {
  const auto* data = static_cast<const char*>(sqlite3_column_blob(statement_, column));
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_, column));
  return data ? std::string_view(data, size) : std::string_view();
}

Transaction::Transaction(Connection& connection, Kind kind)
    : connection_(connection), open_(kind == Kind::kWrite || !connection.is_in_transaction()) {
  if (!open_) return;  // what is around it has begun one
  connection_.run(kind == Kind::kWrite ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  if (!open_) return;
  try {
    connection_.run("ROLLBACK");
  } catch (const Error&) {
    // A full disk has already rolled it back by itself.
  }
}

void Transaction::commit() {
  if (!open_) return;
  connection_.run("COMMIT");
  open_ = false;
}

}  // namespace pippin::db
