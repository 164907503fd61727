// ptc as an embedded language, through its public API, with fuel and heap cap on.
//
//   h_ptc bench PROGRAM_DIR DATA_DIR WORKLOAD REPS    workload<TAB>ms<TAB>check, one line a repetition
//   h_ptc fresh SCRIPT JSON N NAME                    create, load context, compile, run, destroy
//   h_ptc trivial N NAME                              the same for 1 + 2 without a context
//   h_ptc idle N                                      kilobytes of a session that nothing was run in
//   h_ptc counted PROGRAM_DIR DATA_DIR WORKLOAD..     under callgrind, a line a workload: name, fuel,
//                                                     instructions of a run and of compiling it, with tabs between
#include "host.h"
#include "tests/support/instructions.h"
#include <memory>
#include <optional>
#include <ptc/ptc.h>
#include <sstream>
#include <string_view>

namespace {

using namespace bench;

using DataPtr = std::shared_ptr<const ptc::DataSet>;

constexpr std::string_view kTrivial = "(+ 1 2)";

/// What a workload finds under data/, as the comments at the top of its program say:
///   ;; data: {"n":27}                               numbers, as JSON
///   ;; files: orders=orders.json text=text.txt      files of the data folder by name
///   ;; files: bfs.json                              a file whose members are the names
struct Header {
    std::string numbers = "{}";
    std::vector<std::string> files;
};

Header header_of(const std::string& program) {
    Header header;
    std::istringstream lines(program);
    for (std::string line; std::getline(lines, line) && line.starts_with(";; ");) {
        std::istringstream words(line.substr(3));
        std::string key;
        words >> key;
        if (key == "data:") words >> header.numbers;
        if (key != "files:") continue;
        for (std::string file; words >> file;)
            header.files.push_back(file);
    }
    return header;
}

template <class T> T must(ptc::Result<T> result, const std::string& doing) {
    if (!result.ok()) die(doing + ": " + result.error().message);
    return std::move(result).value();
}

ptc::ProgramPtr must_compile(ptc::Compiled compiled) {
    if (!compiled) die("compile: " + compiled.diagnostics.all().front().error.message);
    return compiled.program;
}

void must_succeed(const ptc::Outcome& outcome) {
    if (!outcome.ok()) die("run: " + (outcome.error ? outcome.error->message : std::string(outcome.kind_name())));
}

DataPtr import_file(const std::string& folder, const std::string& file) {
    const std::size_t equals = file.find('=');
    const std::string path = folder + "/" + file.substr(equals + 1);
    const std::string text = read_file(path);
    if (equals == file.npos) return must(ptc::DataSet::from_json(text), path);
    const std::string name = file.substr(0, equals);
    return must(path.ends_with(".json") ? ptc::DataSet::from_json(name, text) : ptc::DataSet::from_text(name, text),
                path);
}

/// A workload, its data imported: what bench and counted run.
struct Workload {
    Workload(const std::string& program_dir, const std::string& data_dir, const std::string& called)
        : name(called), source(read_file(program_dir + "/" + called + ".lisp")) {
        const Header header = header_of(source);
        ptc::Limits limits; // metered like any run; only higher, so that no workload ends early
        limits.fuel = 1'000'000'000'000;
        limits.heap_bytes = std::uint64_t{4} << 30;
        limits.timeout = std::chrono::minutes(5);
        options.limits = limits;
        options.data = {must(ptc::DataSet::from_json(header.numbers), name)};
        for (const std::string& file : header.files)
            options.data.push_back(import_file(data_dir, file));
    }

    std::string name, source;
    ptc::RunOptions options;
};

void run_workload(const Workload& workload, int repetitions) {
    const ptc::Engine engine;
    const ptc::ProgramPtr program = must_compile(engine.compile(workload.source, workload.name));
    for (int i = 0; i < repetitions; ++i) {
        const double before = cpu_ms();
        const ptc::Outcome outcome = engine.run(program, workload.options);
        const double ms = cpu_ms() - before;
        must_succeed(outcome);
        std::printf("%s\t%.3f\t%.0f\n", workload.name.c_str(), ms, std::strtod(outcome.value.c_str(), nullptr));
    }
}

void count_workload(const Workload& workload) {
    ptc::EngineOptions patient; // callgrind takes fifty times as long, and others use the machine
    patient.limits = *workload.options.limits;
    const ptc::Engine engine(patient);
    must_compile(engine.compile(workload.source, workload.name)); // reads of the language's own functions what it uses
    ptc::ProgramPtr program;
    const std::uint64_t compiling =
        ptc::test::instructions([&] { program = must_compile(engine.compile(workload.source, workload.name)); });
    ptc::Outcome outcome;
    const std::uint64_t running = ptc::test::instructions([&] { outcome = engine.run(program, workload.options); });
    must_succeed(outcome);
    std::printf("%s\t%llu\t%llu\t%llu\n", workload.name.c_str(), static_cast<unsigned long long>(outcome.usage.fuel),
                static_cast<unsigned long long>(running), static_cast<unsigned long long>(compiling));
}

/// The text of a string as pr-str prints it, for answers without escapes.
std::string_view unquoted(std::string_view text) {
    return text.size() >= 2 && text.front() == '"' ? text.substr(1, text.size() - 2) : text;
}

void run_fresh(std::string_view source, const std::string* context, int n, const char* name) {
    const ptc::Engine engine; // One for a process; what a mission needs anew is a session.
    FreshTimes times;
    std::string answer;
    for (int i = -kWarmUps; i < n; ++i) {
        if (i == 0) times.forget();
        times.start();
        std::optional<ptc::Session> session(engine);
        times.done(FreshTimes::Create);
        ptc::RunOptions options;
        if (context) {
            options.data.push_back(must(ptc::DataSet::from_json(*context), "context"));
            times.done(FreshTimes::Context);
        }
        ptc::ProgramPtr program = must_compile(session->compile(source));
        times.done(FreshTimes::Compile);
        {
            const ptc::Outcome outcome = session->run(program, options);
            must_succeed(outcome);
            if (i == n - 1) answer = unquoted(outcome.value);
        }
        times.done(FreshTimes::Run);
        session.reset();
        program.reset();
        options.data.clear();
        times.done(FreshTimes::Destroy);
    }
    times.print(name);
    std::printf("answer\t%s\n", answer.c_str());
}

void show_idle(int n) {
    const ptc::Engine engine;
    std::vector<std::unique_ptr<ptc::Session>> sessions;
    sessions.reserve(static_cast<std::size_t>(n) + 1000);
    print_idle(n, [&] { sessions.push_back(std::make_unique<ptc::Session>(engine)); });
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> args(argv + 1, argv + argc);
    const std::string command = args.empty() ? "" : args[0];
    if (command == "bench" && args.size() == 5) {
        run_workload(Workload(args[1], args[2], args[3]), std::atoi(args[4].c_str()));
    } else if (command == "counted" && args.size() > 3) {
        for (std::size_t i = 3; i < args.size(); ++i)
            count_workload(Workload(args[1], args[2], args[i]));
    } else if (command == "fresh" && args.size() == 5) {
        const std::string context = read_file(args[2]);
        run_fresh(read_file(args[1]), &context, std::atoi(args[3].c_str()), args[4].c_str());
    } else if (command == "trivial" && args.size() == 3) {
        run_fresh(kTrivial, nullptr, std::atoi(args[1].c_str()), args[2].c_str());
    } else if (command == "idle" && args.size() == 2) {
        show_idle(std::atoi(args[1].c_str()));
    } else {
        die("usage: bench PROGRAM_DIR DATA_DIR WORKLOAD REPS | counted PROGRAM_DIR DATA_DIR WORKLOAD.. | fresh SCRIPT "
            "JSON N NAME | trivial N NAME | idle N");
    }
    return 0;
}
