// Guards that are programs: what is seen is their data, what they return is the verdict. Each point has a name and a
// row (guard_points.def); the agents that ask them are in guards.cpp.
#include "ptc/guard.h"
#include "ptc/engine.h"
#include "subagent/engine/attachments.h"
#include "subagent/engine/closed_data.h"
#include <algorithm>
#include <array>
#include <memory>

namespace ptc {
namespace {

/// A guard's program decides; it does not compute for long.
constexpr std::chrono::milliseconds kMostTime{1000};

/// The attachments that `:keep` says; none: it says something else.
std::optional<std::vector<Attachment>> kept_of(const Datum& keep, std::span<const Attachment> attachments) {
    if (!keep.list()) return std::nullopt;
    std::vector<Attachment> kept;
    for (const Datum& one : *keep.list()) {
        std::int64_t at = 0;
        if (!one.to_int64(&at) || at < 0 || static_cast<std::size_t>(at) >= attachments.size()) return std::nullopt;
        kept.push_back(attachments[static_cast<std::size_t>(at)]);
    }
    return kept;
}

Verdict verdict_of(const Datum& value, std::span<const Attachment> attachments) {
    if (const bool* is_fine = value.get_if<bool>()) return *is_fine ? Verdict::allow() : Verdict::refuse("");
    const Datum* keep = value.find("keep");
    const Datum* changed = value.find("change");
    const std::size_t members = value.map() ? value.map()->size() : 0;
    if (keep && members == (changed ? 2u : 1u)) {
        auto kept = kept_of(*keep, attachments);
        if (!kept) return Verdict::refuse("The guard's `keep` is no list of numbers of attachments.");
        Verdict verdict = Verdict::attach(std::move(*kept));
        verdict.keeps_value = changed == nullptr;
        if (changed) verdict.value = *changed;
        return verdict;
    }
    const bool is_one = members == 1;
    if (is_one && changed) return Verdict::change(*changed);
    for (const char* member : {"refuse", "ask"}) {
        const Datum* why = is_one ? value.find(member) : nullptr;
        if (!why) continue;
        std::string message = why->text() ? *why->text() : why->to_json();
        return *member == 'r' ? Verdict::refuse(std::move(message)) : Verdict::ask(std::move(message));
    }
    return Verdict::refuse("The guard's program gives true, false, or a map with `change`, `keep`, `refuse` or `ask`.");
}

/// As programs see them.
Datum datum_of(std::span<const Attachment> attachments) {
    Datum::List list;
    for (const Attachment& one : attachments) {
        Datum shown = Datum::object({{"kind", attachment_kind_name(one.kind)},
                                     {"media_type", one.media_type},
                                     {"name", one.name},
                                     {"url", one.url},
                                     {"bytes", static_cast<std::int64_t>(one.size())}});
        Datum::Map members = *shown.map();
        if (one.is_text()) members.emplace_back(Datum("text"), Datum(*one.bytes));
        list.emplace_back(std::move(members));
    }
    return Datum(std::move(list));
}

Verdict verdict_of(const Outcome& outcome, std::span<const Attachment> attachments) {
    if (outcome.ok() && outcome.datum) return verdict_of(*outcome.datum, attachments);
    return Verdict::refuse("The guard's program failed: " + (outcome.error ? outcome.error->message : outcome.value));
}

/// An engine without threads or tools, and the program that it runs.
struct Checker {
    Engine engine{EngineOptions{.limits = Limits{.timeout = kMostTime}, .threads = 0, .tool_threads = 0}};
    ProgramPtr program{};
};

} // namespace

Verdict Verdict::allow() { return {}; }
Verdict Verdict::change(Datum value) { return {Kind::Change, std::move(value), {}}; }
Verdict Verdict::attach(std::vector<Attachment> attachments) {
    return {Kind::Change, {}, {}, true, std::move(attachments)};
}
Verdict Verdict::refuse(std::string why) { return {Kind::Refuse, {}, std::move(why)}; }
Verdict Verdict::ask(std::string question) { return {Kind::Ask, {}, std::move(question)}; }

std::string_view guard_point_name(GuardPoint point) {
    switch (point) {
#define PTC_GUARD_POINT(Name, name, doc)                                                                               \
    case GuardPoint::Name:                                                                                             \
        return #name;
#include "ptc/guard_points.def"
#undef PTC_GUARD_POINT
    }
    return "";
}

std::string_view guard_point_doc(GuardPoint point) {
    switch (point) {
#define PTC_GUARD_POINT(Name, name, doc)                                                                               \
    case GuardPoint::Name:                                                                                             \
        return doc;
#include "ptc/guard_points.def"
#undef PTC_GUARD_POINT
    }
    return "";
}

const std::vector<GuardPoint>& guard_points() {
    static const std::vector<GuardPoint> kAll = {
#define PTC_GUARD_POINT(Name, name, doc) GuardPoint::Name,
#include "ptc/guard_points.def"
#undef PTC_GUARD_POINT
    };
    return kAll;
}

std::optional<GuardPoint> guard_point_named(std::string_view name) {
    const auto found = std::ranges::find(guard_points(), name, guard_point_name);
    return found == guard_points().end() ? std::nullopt : std::optional(*found);
}

std::string_view verdict_name(Verdict::Kind kind) {
    switch (kind) {
    case Verdict::Kind::Allow: return "allow";
    case Verdict::Kind::Change: return "change";
    case Verdict::Kind::Refuse: return "refuse";
    case Verdict::Kind::Ask: return "ask";
    }
    return "";
}

Result<Guard> program_guard(std::string name, std::vector<GuardPoint> points, std::string_view program) {
    const auto checker = std::make_shared<Checker>();
    const Compiled compiled = checker->engine.compile(program, "guard");
    if (!compiled)
        return Error(Reason::InvalidRequest, "The program of the guard `" + name +
                                                 "` is wrong: " + compiled.diagnostics.all().front().error.message);
    constexpr std::array<std::string_view, 7> kNames = {"value", "point",     "agent",      "turn",
                                                        "tool",  "arguments", "attachments"};
    if (Result<void> fine = check_data_names(*compiled.program, kNames); !fine.ok())
        return Error(Reason::InvalidRequest,
                     "The program of the guard `" + name + "` is wrong: " + fine.error().message);
    checker->program = compiled.program;
    const auto check = [checker](const Guarded& seen) {
        const auto data = DataSet::from_datum(Datum::object({{"value", seen.value},
                                                             {"point", guard_point_name(seen.point)},
                                                             {"agent", seen.agent},
                                                             {"turn", static_cast<std::int64_t>(seen.turn)},
                                                             {"tool", seen.tool.empty() ? Datum() : Datum(seen.tool)},
                                                             {"arguments", seen.arguments ? *seen.arguments : Datum()},
                                                             {"attachments", datum_of(seen.attachments)}}));
        if (!data.ok()) return Verdict::refuse(data.error().message);
        return verdict_of(checker->engine.run(checker->program, {.data = {data.value()}, .want_datum = true}),
                          seen.attachments);
    };
    return Guard{.name = std::move(name), .points = std::move(points), .check = check};
}

} // namespace ptc
