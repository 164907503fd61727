// An input is a program that takes several routes which must agree: optimised and plain code, values changed in place
// and always copied (where the build can be told to), straight to the end and suspended at each tool call, saved as
// bytes and gone on with by another engine. The printed value reads back to itself.
#include "compiler/compile.h"
#include "runtime/edn.h"
#include "runtime/print.h"
#include "tests/fuzz/custom_mutator.h"
#include "tests/fuzz/program_host.h"
#include "tests/support/core.h"
#include "vm/vm.h"
#include <string>

PTC_FUZZ_GRAMMAR(ptc::fuzz::program_grammar, 0)

namespace {

using namespace ptc;

constexpr std::size_t kTextBytes = 1u << 20;
constexpr std::string_view kRefused = "refused: ";

// ---- Kinds of code

struct Printed : HostServices {
    bool print(std::string_view line) override {
        text.append(line).push_back('\n');
        return text.size() < 65536;
    }
    std::int64_t now_millis() override { return 0; }
    std::string text;
};

std::string describe(const Error& error) {
    return std::string(reason_name(error.reason)) + ": " + error.message + " at " + std::to_string(error.span.begin);
}

/// All that can be seen of a run but for fuel and bytes; nothing when a limit decided how it went. Tools return their
/// arguments.
std::optional<std::string> seen_of(std::string_view text, bool is_plain) {
    Diagnostics diagnostics;
    CompileOptions options;
    options.environment.any_tool = true;
    options.environment.fold = !is_plain;
    options.emit.optimize = !is_plain;
    options.warnings = false;
    const auto program = compile(Source("fuzz", std::string(text)), options, test::core(), diagnostics);
    if (!program) {
        const Error& error = diagnostics.all().front().error;
        return fuzz::is_limit(error.reason) ? std::nullopt : std::optional(std::string(kRefused) + describe(error));
    }
    Printed printed;
    Vm vm(printed);
    Limits limits{.fuel = 40'000, .heap_bytes = fuzz::kHeapBytes, .max_depth = 500, .timeout = std::chrono::hours(1)};
    Status status = vm.start(*program, limits, nullptr, 0);
    while (status == Status::Suspended) {
        for (std::size_t i = 0; i < vm.calls().size(); ++i)
            vm.answer(i, vm.calls()[i].arguments->copy());
        status = vm.resume({});
    }
    if (status == Status::Error) {
        if (fuzz::is_limit(vm.error().reason) || vm.error().reason == Reason::DepthExceeded) return std::nullopt;
        return printed.text + describe(vm.error());
    }
    const Value result = vm.take_result();
    vm.heap.meter = Meter();
    std::string seen = printed.text + std::to_string(static_cast<int>(status)) + " " +
                       print_to_string(vm.heap, result, PrintStyle::Readable, kTextBytes);
    for (const std::string& name : vm.changed_names())
        seen += "\n" + name + " = " +
                print_to_string(vm.heap, vm.names.slot(vm.names.find(name)).value, PrintStyle::Readable, kTextBytes);
    return seen;
}

void check_agree(const char* routes, const std::string& a, const std::string& b) {
    if (a != b) std::fprintf(stderr, "%s:\n%s\n---\n%s\n", routes, a.c_str(), b.c_str());
    FUZZ_CHECK(a == b);
}

void check_code(std::string_view text) {
    const auto straight = seen_of(text, false);
    const auto plain = seen_of(text, true);
    // Calls of constants fail when they are folded, in front of what the program does, or gets wrong, first.
    const auto is_refused = [](const std::string& seen) { return seen.starts_with(kRefused); };
    if (straight && plain && !is_refused(*straight) && !is_refused(*plain))
        check_agree("optimised and plain", *straight, *plain);
#ifndef NDEBUG
    may_update_in_place = false;
    const auto copied = seen_of(text, false);
    may_update_in_place = true;
    if (straight && copied) check_agree("in place and copied", *straight, *copied);
#endif
}

// ---- Suspended and saved

std::string memory_of(const Session& session) {
    std::string text;
    for (const std::string& name : session.names())
        text += "\n" + name + " = " + session.value_text(name, kTextBytes).value_or("");
    return text;
}

std::string describe(const Outcome& outcome) {
    std::string text = std::string(outcome.kind_name()) + " " + outcome.value;
    if (outcome.error) text += describe(*outcome.error);
    for (const std::string& line : outcome.prints)
        text += "\nprint " + line;
    for (const ToolRecord& call : outcome.tool_calls)
        text += "\n" + call.name + call.arguments_json + call.result_json;
    return text + "\nfuel " + std::to_string(outcome.usage.fuel);
}

/// The host answers each call itself; between question and answer there is nothing but bytes.
std::optional<std::string> run_in_pieces(std::string_view text) {
    static const Engine kEngine(fuzz::engine_options(0, false));
    auto session = std::make_unique<Session>(kEngine);
    const Compiled compiled = session->compile(text);
    if (!compiled) return std::nullopt;
    RunState state = session->start(compiled.program, fuzz::run_options());
    for (int stops = 0; const auto* waiting = std::get_if<Suspended>(&state); ++stops) {
        std::vector<ToolAnswer> answers;
        for (const ToolCall& call : waiting->calls) {
            if (call.name == "echo")
                answers.emplace_back(call.arguments);
            else
                answers.emplace_back(fuzz::boom(call.arguments).error());
        }
        if (stops < 12) {
            const Result<std::string> bytes = session->save();
            FUZZ_CHECK(bytes.ok());
            auto restored = Session::restore(kEngine, bytes.value(), fuzz::run_options());
            FUZZ_CHECK(restored.ok());
            FUZZ_CHECK(restored.value()->waiting() && restored.value()->waiting()->calls.size() == answers.size());
            session = std::move(restored).value();
        }
        state = session->resume(std::move(answers));
    }
    return describe(std::get<Outcome>(state)) + memory_of(*session);
}

void check_printed(const std::string& value) {
    Heap heap;
    ShapeTable shapes(heap);
    const Result<Value> read = parse_edn(heap, shapes, value);
    if (!read.ok()) return; // a function, an atom
    const std::string again = print_to_string(heap, read.value(), PrintStyle::Readable, kTextBytes);
    // Dates come back as texts, and those sort elsewhere.
    if (value.find("#inst") == std::string::npos && value.find("#<") == std::string::npos)
        check_agree("printed and read back", value, again);
}

void check_pieces(std::string_view text) {
    static const Engine kEngine(fuzz::engine_options());
    const std::optional<std::string> pieces = run_in_pieces(text);
    if (!pieces) return;
    Session session(kEngine);
    const Outcome outcome = session.run(session.compile(text).program, fuzz::run_options());
    check_agree("straight and in pieces", describe(outcome) + memory_of(session), *pieces);
    // What a comparison of the program's sorts comes back as a plain map or set, which has an order of its own.
    const bool is_sorted_by = text.find("sorted-map-by") != text.npos || text.find("sorted-set-by") != text.npos;
    if (outcome.kind == Outcome::Kind::Ok && !is_sorted_by) check_printed(outcome.value);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (text.find("budget") != std::string_view::npos) return 0; // tells of the fuel
    check_code(text);
    check_pieces(text);
    return 0;
}
