#include <CLI/CLI.hpp>
#include <csignal>
#include <exception>
#include <fcntl.h>
#include <fmt/format.h>
#include <functional>
#include <unistd.h>

#include "harness/base/text.h"
#include "harness/cli/commands.h"

namespace pippin {
namespace {

/// The command line: parse() fills the options, work() does what was asked.
class CommandLine {
 public:
  CommandLine() {
    app_.set_version_flag("--version", "pippin " PIPPIN_VERSION);
    app_.require_subcommand(1);
    app_.fallthrough();
    app_.add_option("--db", globals_.db, "database file")->capture_default_str()->type_name("FILE");
    app_.add_flag("--quiet", globals_.quiet, "no progress and no remarks on standard error");
    app_.footer(
        "Exit status: 0 done; 1 a run failed; 2 bad usage or input; 3 the machine or a service "
        "failed; 130 interrupted, the jobs go on.");
    add_campaign_commands();
    add_database_commands();
  }

  void parse(int argc, char** argv) { app_.parse(argc, argv); }
  ExitCode work() const { return work_(); }
  CLI::App& app() { return app_; }

 private:
  CLI::App* command(const std::string& name, const std::string& help, const std::string& example,
                    std::function<ExitCode()> work) {
    CLI::App* command = app_.add_subcommand(name, help);
    command->footer("Example: " + example);
    command->callback([this, work = std::move(work)] { work_ = work; });
    return command;
  }

  static void take_sweep_file(CLI::App* command, fs::path& sweep) {
    command->add_option("SWEEP.yaml", sweep, "sweep file, as sweeps/README.md describes it")
        ->required();
  }

  void add_campaign_commands() {
    CLI::App* plan = command("plan", "show points, what was dropped and why, jobs; run nothing",
                             "pippin plan sweeps/examples/quickstart.yaml",
                             [this] { return pippin::plan(globals_, plan_); });
    take_sweep_file(plan, plan_.sweep);
    plan->add_option("--format", plan_.format, "terminal, csv or json")->capture_default_str();
    plan->add_option("--script", plan_.script, "print the job script that runs this point first")
        ->type_name("POINT");

    CLI::App* run =
        command("run", "submit, wait, collect, report; goes on where an earlier run stopped",
                "pippin --db notes.db run sweeps/examples/quickstart.yaml",
                [this] { return pippin::run(globals_, run_); });
    CLI::App* submit =
        command("submit", "hand the jobs over and return", "pippin submit gpt-52b.yaml",
                [this] { return pippin::submit(globals_, run_); });
    for (CLI::App* one : {run, submit}) {
      take_sweep_file(one, run_.sweep);
      one->add_flag("--again", run_.again, "begin a new campaign");
      one->add_option("--retries", run_.retries, "how often a lost job is handed over again")
          ->capture_default_str()
          ->check(CLI::NonNegativeNumber);
    }
    CLI::App* status = command("status", "how far each sweep is", "pippin status",
                               [this] { return pippin::status(globals_, sweep_name_); });
    CLI::App* cancel =
        command("cancel", "end the jobs of a sweep that wait or run", "pippin cancel quickstart",
                [this] { return pippin::cancel(globals_, sweep_name_); });
    status->add_option("SWEEP", sweep_name_, "name of a sweep; all where none is given");
    cancel->add_option("SWEEP", sweep_name_, "name of a sweep")->required();
  }

  void add_database_commands() {
    CLI::App* collect = command("collect", "read logs into the database, as often as you like",
                                "pippin --db notes.db collect ~/logs/gpt2-meg",
                                [this] { return pippin::collect(globals_, collect_); });
    collect->add_option("PATH", collect_.paths,
                        "logs, and folders of logs; without: the runs of this database");

    CLI::App* report =
        command("report", "a row per point: step time with its interval, TFLOPS, memory",
                "pippin --db notes.db report --format csv",
                [this] { return pippin::report(globals_, report_); });
    report->add_option("SWEEP", report_.sweep, "name of a sweep; all where none is given");
    report->add_option("--format", report_.format, "terminal or csv")->capture_default_str();
    report
        ->add_option("--samples", report_.samples,
                     "clean: without start-up, skipped steps and the like; or all")
        ->capture_default_str();
  }

  CLI::App app_{
      "pippin: sweeps parallel layouts of LLM training and says which differences are real",
      "pippin"};
  Globals globals_;
  PlanOptions plan_;
  RunOptions run_;
  ReportOptions report_;
  CollectOptions collect_;
  std::string sweep_name_;
  std::function<ExitCode()> work_;
};

/// Every word that the command line knows, for "did you mean".
std::vector<std::string> words(CLI::App& app) {
  std::vector<std::string> words;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    words.push_back(command->get_name());
    for (const CLI::Option* option : command->get_options()) words.push_back(option->get_name());
  }
  for (const CLI::Option* option : app.get_options()) words.push_back(option->get_name());
  return words;
}

/// One line: what is wrong and where help is.
std::string usage_error(CLI::App& app, const std::string& message, int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto known = words(app);
    const bool named =
        message.find(word) != std::string::npos || message.find("subcommand") != std::string::npos;
    if (!named || std::find(known.begin(), known.end(), word) != known.end()) continue;
    const std::string meant = did_you_mean(word, known);
    if (!meant.empty()) return fmt::format("unknown word '{}'{}", printable(word), meant);
  }
  return printable(message) + "; see pippin --help";
}

/// One line, whatever names of files or texts of users stand in it.
void say(const std::string& line) { write_error("pippin: " + line + "\n"); }

/// What this process needs of its own, however it was started.
void settle_in() {
  // A file that we opened as number 1 or 2 would get what is meant for a person. Opened the wrong
  // way round, so that who uses them gets an error.
  for (int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(file, F_GETFD) < 0) ::open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
  // Ignored by a parent, it would hide how the programs end that we start.
  std::signal(SIGCHLD, SIG_DFL);
}

int exit_with(ExitCode code) { return static_cast<int>(code); }

int pippin_main(int argc, char** argv) {
  CommandLine command_line;
  try {
    command_line.parse(argc, argv);
    return exit_with(command_line.work());
  } catch (const CLI::Success& help) {
    return command_line.app().exit(help);
  } catch (const CLI::ParseError& error) {
    say(usage_error(command_line.app(), error.what(), argc, argv));
    return exit_with(ExitCode::kBadInput);
  } catch (const Error& error) {
    say(printable(error.what()));
    return exit_with(error.exit_code());
  }
}

}  // namespace
}  // namespace pippin

int main(int argc, char** argv) {
  pippin::settle_in();
  try {
    return pippin::pippin_main(argc, argv);
  } catch (const std::exception& error) {
    pippin::say(pippin::printable(error.what()));
    return static_cast<int>(pippin::ExitCode::kMachine);
  }
}
