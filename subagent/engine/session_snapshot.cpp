// A session's payload: the code that its values and its run need; what the run printed, called and waits for; the VM's
// part.
#include "subagent/engine/session_snapshot.h"
#include "frontend/try.h"
#include "subagent/engine/data_set_impl.h"
#include "subagent/engine/datum_bytes.h"
#include "vm/program_file.h"
#include "vm/snapshot/snapshot.h"
#include <algorithm>
#include <array>

namespace ptc {
namespace {

using DataSets = std::vector<std::shared_ptr<const DataSet>>;

/// What any session of the engine refers to, before its own programs.
void add_engine_programs(const EngineImpl& engine, ExternalReferences& references) {
    references.add_program(engine.core.program());
    for (const auto& program : engine.prelude.programs())
        references.add_program(program);
}

// Room that is made for a session's state before it is written: most take less.
constexpr std::size_t kHeapBytesOfOne = 4; ///< a byte of a snapshot stands for about so many of the heap
constexpr std::size_t kMostReserved = 64 * 1024;

/// Behind the programs: the values of preludes, and data.
void add_values(const EngineImpl& engine, const DataSets& data, ExternalReferences& references) {
    std::vector<Bits> constants;
    for (const PreludeMember& member : engine.prelude.members())
        constants.push_back(member.value);
    const std::shared_ptr<const void> prelude(std::shared_ptr<const void>(), &engine.prelude); // outlives the session
    if (!constants.empty()) references.add_values(prelude, std::move(constants));
    for (const auto& set : data)
        references.add_values(set, {impl_of(*set).root}, [set] {
            return impl_of(*set).derived.get<FrozenIndex>(
                "places", [&set] { return std::make_shared<const FrozenIndex>(std::array{impl_of(*set).root}); });
        });
}

std::vector<ProgramPtr> programs_of(const SessionState& session) {
    std::vector<ProgramPtr> programs = session.programs;
    if (session.program && std::ranges::find(programs, session.program) == programs.end())
        programs.push_back(session.program);
    return programs;
}

const std::string& bytes_of_program(SessionState& session, const ProgramPtr& program) {
    std::string& bytes = session.program_bytes[program];
    if (bytes.empty()) bytes = write_program(*program, session.engine.shared);
    return bytes;
}

// ---- Writing

/// Programs that nothing refers to are left out, so a long session does not grow by them.
void write_programs(SessionState& session, const std::vector<ProgramPtr>& programs, std::span<const char> used,
                    ByteWriter& out) {
    std::erase_if(session.program_bytes,
                  [&](const auto& known) { return std::ranges::find(programs, known.first) == programs.end(); });
    out.size(programs.size());
    for (std::size_t i = 0; i < programs.size(); ++i) {
        const bool is_retained = std::ranges::find(session.programs, programs[i]) != session.programs.end();
        const bool is_running = programs[i] == session.program;
        out.byte(static_cast<std::uint8_t>(is_retained | is_running << 1));
        if (used[i] || is_running)
            out.text(bytes_of_program(session, programs[i]));
        else
            out.size(0);
    }
}

void write_asked(const AskedTool& asked, ByteWriter& out) {
    out.text(asked.call.name);
    write_datum(out, asked.call.arguments);
    write_faults(out, asked.warnings);
    out.byte(asked.answer.has_value());
    if (!asked.answer) return;
    write_answer(out, asked.answer->ok() ? ToolAnswer(asked.answer->value()) : ToolAnswer(asked.answer->error()));
}

void write_record(const ToolRecord& record, ByteWriter& out) {
    out.text(record.name);
    out.text(record.arguments_json);
    out.text(record.result_json);
    write_faults(out, record.warnings);
}

void write_texts(const std::vector<std::string>& texts, ByteWriter& out) {
    out.size(texts.size());
    for (const std::string& text : texts)
        out.text(text);
}

void write_run(const SessionState& session, ByteWriter& out) {
    using std::chrono::microseconds;
    out.integer(std::chrono::duration_cast<microseconds>(session.suspended_at - session.started).count());
    out.integer(session.services.last_time());
    const std::optional<std::uint64_t> random = session.services.random();
    out.byte(random.has_value());
    if (random) out.integer(static_cast<std::int64_t>(*random));
    const Printed& printed = session.services.printed;
    write_texts(printed.lines(), out);
    out.text(printed.open_line());
    write_texts(printed.captures(), out);
    out.size(session.tool_calls.size());
    for (const ToolRecord& record : session.tool_calls)
        write_record(record, out);
    out.size(session.warnings.size());
    for (const Diagnostic& warning : session.warnings)
        write_error(out, warning.error);
    out.size(session.asked.size());
    for (const AskedTool& asked : session.asked)
        write_asked(asked, out);
}

// ---- Reading

/// The code of a snapshot, with what it says of each program.
Result<void> read_programs(SessionState& session, ExternalReferences& references, const Meter& budget, ByteReader& in) {
    const FunctionResolver resolve = [&session](std::string_view name, std::uint32_t arity) {
        return session.engine.find_function(name, arity);
    };
    for (std::size_t n = in.count(2); n > 0 && in.ok(); --n) {
        const std::uint64_t flags = in.below(4);
        const std::string_view bytes = in.raw();
        if (bytes.empty()) {
            references.add_program(nullptr);
            continue;
        }
        Result<std::unique_ptr<Program>> program = read_program(bytes, resolve, session.engine.shared, budget);
        if (!program.ok() && program.error().reason == Reason::InvalidBytecode)
            return Error(Reason::InvalidSnapshot, program.error().message);
        if (!program.ok()) return reading_ended(program.error());
        ProgramPtr shared(std::move(program).value());
        references.add_program(shared);
        session.program_bytes[shared] = bytes;
        // Whatever the flags say: any value of the snapshot may refer to its functions.
        session.programs.push_back(shared);
        if (flags & 2 && session.program) return bad_snapshot("two programs run");
        if (flags & 2) session.program = shared;
    }
    if (!in.ok()) return bad_snapshot("it is cut short");
    return {};
}

AskedTool read_asked(const SessionState& session, ByteReader& in) {
    const std::string_view name = in.text();
    AskedTool asked{session.engine.find_tool(name), {.name = std::string(name), .arguments = read_datum(in)}};
    asked.warnings = read_faults(in);
    if (in.byte() == 0) return asked;
    ToolAnswer answer = read_answer(in);
    std::visit([&asked](auto&& one) { asked.answer = std::move(one); }, std::move(answer));
    return asked;
}

ToolRecord read_record(ByteReader& in) {
    ToolRecord record;
    record.name = in.text();
    record.arguments_json = in.text();
    record.result_json = in.text();
    record.warnings = read_faults(in);
    return record;
}

std::vector<std::string> read_texts(ByteReader& in) {
    std::vector<std::string> texts;
    for (std::size_t n = in.count(); n > 0 && in.ok(); --n)
        texts.emplace_back(in.text());
    return texts;
}

Result<void> read_run(SessionState& session, ByteReader& in) {
    session.suspended_at = session.engine.now();
    constexpr std::int64_t kMostMicros = std::int64_t{1} << 50;
    session.started =
        session.suspended_at - std::chrono::microseconds(std::clamp<std::int64_t>(in.integer(), 0, kMostMicros));
    const std::int64_t last_time = in.integer();
    std::optional<std::uint64_t> random;
    if (in.byte() != 0) random = static_cast<std::uint64_t>(in.integer());
    session.services.resume(last_time, random);
    std::vector<std::string> lines = read_texts(in);
    std::string open_line(in.text());
    if (!session.services.printed.resume(std::move(lines), std::move(open_line), read_texts(in)))
        return bad_snapshot("it has printed more than is allowed");
    for (std::size_t n = in.count(4); n > 0 && in.ok(); --n) {
        const ToolRecord& record = session.tool_calls.emplace_back(read_record(in));
        const std::size_t bytes = SessionState::bytes_of(record);
        session.record_bytes += bytes;
        if (!session.vm.heap.charge_bytes(bytes)) return session.vm.heap.out_of_memory();
    }
    for (std::size_t n = in.count(); n > 0 && in.ok(); --n)
        session.warnings.push_back({Severity::Warning, read_error(in)});
    for (std::size_t n = in.count(4); n > 0 && in.ok(); --n)
        session.asked.push_back(read_asked(session, in));
    if (!in.ok()) return bad_snapshot("it is cut short");
    return {};
}

/// Whether the tools that were asked for are those that the run waits for.
Result<void> check_asked(const SessionState& session) {
    const auto& calls = session.vm.calls();
    if (session.asked.size() > calls.size()) return bad_snapshot("a run waits for other calls than it should");
    bool is_for_host = false;
    for (std::size_t i = 0; i < session.asked.size(); ++i) {
        const AskedTool& asked = session.asked[i];
        if (asked.call.name != calls[i].tool) return bad_snapshot("a run waits for other calls than it should");
        if (!asked.is_for_host() && !asked.answer)
            return bad_snapshot("the tools of the engine are others than when it was made");
        is_for_host = is_for_host || asked.is_for_host();
    }
    if (!is_for_host) return bad_snapshot("a run waits for nothing");
    return {};
}

} // namespace

bool is_session_of(std::string_view bytes, std::uint64_t fingerprint) {
    return open_snapshot(bytes, kSessionMagic, fingerprint).ok();
}

Result<std::string> write_session(SessionState& session, const DataSets& given) {
    const DataSets& data = session.program ? session.options.data : given;
    const std::vector<ProgramPtr> programs = programs_of(session);
    ExternalReferences references;
    add_engine_programs(session.engine, references);
    const std::size_t first = references.programs().size();
    for (const ProgramPtr& program : programs)
        references.add_program(program);
    add_values(session.engine, data, references);
    references.trim(session.indexes);

    ByteWriter state;
    state.reserve(std::min(session.vm.heap.live_bytes() / kHeapBytesOfOne, kMostReserved));
    state.size(data.size());
    if (session.program) write_run(session, state);
    GraphWriter graph(session.vm.heap, references, session.indexes, state);
    PTC_CHECK(VmSnapshot::write(session.vm, session.suspended_at, graph));

    std::vector<char> used;
    for (std::size_t i = 0; i < programs.size(); ++i)
        used.push_back(graph.used_programs()[first + i]);
    SnapshotWriter out(kSessionMagic, session.engine.fingerprint());
    write_programs(session, programs, used, out);
    out.append(state.bytes());
    return out.finish();
}

Result<void> read_session(SessionState& session, std::string_view bytes, const RunOptions& options) {
    const std::string_view payload = PTC_TRY(open_snapshot(bytes, kSessionMagic, session.engine.fingerprint()));
    if (session.engine.refusal) return *session.engine.refusal;
    ByteReader in(payload);
    session.limits = options.limits.value_or(session.engine.options.limits);
    session.store = std::make_shared<FrozenStore>();
    ExternalReferences references;
    add_engine_programs(session.engine, references);
    const Meter budget = session.engine.budget(session.limits, &session.interrupted);
    PTC_CHECK(read_programs(session, references, budget, in));
    add_values(session.engine, options.data, references);
    if (in.size() != options.data.size()) return bad_snapshot("it was made with another number of data sets");
    if (session.program) {
        session.options = options;
        session.services.start(session.limits.max_print_bytes, session.options);
        for (const auto& set : options.data)
            session.vm.data.push_back(Value::adopt(impl_of(*set).root));
        session.vm.bound_heap(session.limits);
        PTC_CHECK(read_run(session, in));
    }
    PTC_CHECK(VmSnapshot::read(
        session.vm, {references, *session.store, session.limits, budget, &session.interrupted, session.program.get()},
        in));
    if (!in.ok() || in.left() != 0) return bad_snapshot("there are bytes behind its end");
    // What is kept may be of the data.
    session.data = options.data;
    if (session.program) return check_asked(session);
    return {};
}

} // namespace ptc
