// The options that commands share. A row of kLimits is a limit: its name in requests, from which its flag follows, the
// largest value that can be enforced, and how it is set and read; flags, requests, checkpoints and recordings all walk
// this table.
#include "tools/run_options.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "ptc/signature_text.h"
#include "runtime/meter.h"
#include "runtime/time.h"
#include "subagent/engine/invalid_request.h"
#include "tools/confinement.h"
#include "tools/io.h"
#include "tools/number_text.h"
#include <algorithm>
#include <limits>
#include <set>

namespace ptc {
namespace {

/// A limit that people and requests may set. `max` is the largest value that can be enforced.
struct LimitRow {
    const char* name;
    std::int64_t max;
    void (*set)(Limits& limits, std::int64_t value);
    std::optional<std::int64_t> (*get)(const Limits& limits);
    const char* doc; ///< help adds the default
};

constexpr std::int64_t kMaxCount = std::numeric_limits<std::uint32_t>::max();
constexpr std::int64_t kMaxMilliseconds =
    1'000'000'000'000; // 31 years; more does not fit a clock that counts nanoseconds

constexpr LimitRow kLimits[] = {
    {"fuel", Meter::kUnlimited, [](Limits& l, std::int64_t n) { l.fuel = n; },
     [](const Limits& l) { return std::optional<std::int64_t>(l.fuel); }, "Units of work, about one an instruction"},
    {"heap_bytes", std::numeric_limits<std::int64_t>::max() / 4,
     [](Limits& l, std::int64_t n) { l.heap_bytes = static_cast<std::uint64_t>(n); },
     [](const Limits& l) { return std::optional<std::int64_t>(static_cast<std::int64_t>(l.heap_bytes)); },
     "Live bytes beyond the data, and of a result's text beyond a MiB"},
    {"timeout_ms", kMaxMilliseconds, [](Limits& l, std::int64_t n) { l.timeout = std::chrono::milliseconds(n); },
     [](const Limits& l) { return std::optional<std::int64_t>(l.timeout.count()); },
     "Wall-clock time, of compiling too"},
    {"max_depth", kMaxCount, [](Limits& l, std::int64_t n) { l.max_depth = static_cast<std::uint32_t>(n); },
     [](const Limits& l) { return std::optional<std::int64_t>(l.max_depth); }, "Nested calls"},
    {"max_tool_calls", kMaxCount, [](Limits& l, std::int64_t n) { l.max_tool_calls = static_cast<std::uint32_t>(n); },
     [](const Limits& l) { return std::optional<std::int64_t>(l.max_tool_calls); }, "Tool calls"},
    {"max_digits", kMaxCount, [](Limits& l, std::int64_t n) { l.max_digits = static_cast<std::uint32_t>(n); },
     [](const Limits& l) { return std::optional<std::int64_t>(l.max_digits); },
     "Digits of an integer that a text spells"},
    {"max_loop_iterations", std::numeric_limits<std::int64_t>::max(),
     [](Limits& l, std::int64_t n) { l.max_loop_iterations = static_cast<std::uint64_t>(n); },
     [](const Limits& l) {
         return l.max_loop_iterations ? std::optional<std::int64_t>(static_cast<std::int64_t>(*l.max_loop_iterations))
                                      : std::nullopt;
     },
     "Loop iterations"},
};

const LimitRow* find_limit(std::string_view name) {
    const auto row =
        std::find_if(std::begin(kLimits), std::end(kLimits), [&](const LimitRow& r) { return name == r.name; });
    return row == std::end(kLimits) ? nullptr : row;
}

std::string limit_names() {
    std::string names;
    for (const LimitRow& row : kLimits) {
        if (&row != std::begin(kLimits)) names += &row + 1 == std::end(kLimits) ? " and " : ", ";
        names += row.name;
    }
    return names;
}

std::string flag_of(const LimitRow& row) {
    std::string flag = std::string("--") + row.name;
    std::replace(flag.begin(), flag.end(), '_', '-');
    return flag;
}

struct Assignment {
    std::string name;
    std::string path;
};

Result<std::vector<Assignment>> parse_assignments(const std::vector<std::string>& texts) {
    std::vector<Assignment> result;
    std::set<std::string> seen;
    for (const std::string& text : texts) {
        const std::size_t equals = text.find('=');
        if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
            return Error(Reason::InvalidRequest, "--data takes NAME=FILE, not `" + text + "`.");
        }
        Assignment a{text.substr(0, equals), text.substr(equals + 1)};
        if (!seen.insert(a.name).second) return Error(Reason::InvalidRequest, "--data gives `" + a.name + "` twice.");
        result.push_back(std::move(a));
    }
    return result;
}

/// An error in the content of a file, its position in front.
Error content_error(const std::string& path, std::string text, const Error& error) {
    const Source source(path, std::move(text));
    const std::string where = error.has_span ? file_position(path, source.position(error.span.begin)) : path;
    return {Reason::InvalidRequest, where + ": " + error.message};
}

/// A signature that is no signature would check nothing.
Result<void> check_signature(const std::string& path, const std::string& tool, const std::string& text) {
    const Result<Signature> signature = parse_signature(text);
    if (signature.ok() || text.starts_with("[:=>")) return {}; // the Malli form
    const Error& error = signature.error();
    const std::string column = error.has_span ? " at byte " + std::to_string(error.span.begin + 1) : "";
    return Error(Reason::InvalidRequest, path + ": the signature of `" + tool + "` is wrong" + column + ": " +
                                             error.message + (error.hint.empty() ? "" : " " + error.hint));
}

} // namespace

Result<void> read_limits(const Datum& members, Limits* limits) {
    const Datum::Map* map = members.map();
    if (!map) return invalid_request("`limits` is an object of whole numbers.");
    for (const auto& [key, value] : *map) {
        const std::string& name = *key.text();
        const LimitRow* row = find_limit(name);
        if (!row) {
            return invalid_request("`limits` has no member " + quoted_excerpt(name) + ": there are " + limit_names() +
                                   ".");
        }
        if (value.is_nil()) continue;
        std::int64_t n = 0;
        if (!value.to_int64(&n) || n < 0 || n > row->max) {
            return invalid_request("The limit `" + name + "` is a whole number from 0 to " + std::to_string(row->max) +
                                   ".");
        }
        row->set(*limits, n);
    }
    return {};
}

Datum limits_as_data(const Limits& limits) {
    std::vector<std::pair<std::string, Datum>> members;
    for (const LimitRow& row : kLimits) {
        if (const std::optional<std::int64_t> value = row.get(limits)) members.emplace_back(row.name, *value);
    }
    return Datum::object(std::move(members));
}

void add_limit_options(CommandLine& line, Limits* limits, Limits* also) {
    for (const LimitRow& row : kLimits) {
        const std::optional<std::int64_t> usual = row.get(*limits);
        const std::string doc =
            std::string(row.doc) + " [" + (usual ? std::to_string(*usual) : "fuel bounds them") + "]";
        const auto set = [limits, also, &row](std::int64_t n) {
            row.set(*limits, n);
            if (also) row.set(*also, n);
        };
        line.number(flag_of(row).c_str(), set, doc.c_str())
            .range(std::int64_t{0}, row.max)
            .value_name("N")
            .group("Limits");
    }
}

void add_clock_option(CommandLine& line, Clock* clock) {
    const auto read = [clock](const std::string& text) -> Result<void> {
        ParsedTime time = parse_iso_time(text, TimeSeparator::TOrSpace);
        constexpr std::int64_t kMillisPerDay = 86'400'000;
        if (time.kind == ParsedTime::Kind::None)
            return Error(Reason::InvalidRequest, quoted(text) + " is no time like 2024-01-31T10:00:00Z.");
        const std::int64_t millis = time.kind == ParsedTime::Kind::Date ? time.a * kMillisPerDay : time.a;
        *clock = [millis] { return millis; };
        return {};
    };
    line.parsed("--now", read, "The time that programs see, e.g. 2024-01-31T10:00:00Z [the system's]")
        .value_name("TIME");
}

void add_seed_option(CommandLine& line, std::optional<std::uint64_t>* seed) {
    const auto set = [seed](std::int64_t n) { *seed = static_cast<std::uint64_t>(n); };
    line.number("--seed", set, "What random numbers begin with [there are none]").value_name("N");
}

void add_data_option(CommandLine& line, std::vector<std::string>* assignments) {
    line.texts("--data", assignments, "JSON that the program reads as data/NAME; can be repeated")
        .value_name("NAME=FILE");
}

void add_sandbox_option(CommandLine& line, bool* is_required) {
    line.flag("--require-sandbox", is_required,
              "Fails where the system cannot take files, network and programs from ptcc [it takes what it can]");
}

Result<void> confine_command(bool is_required, std::vector<std::string> files, const std::vector<std::string>& data,
                             const std::vector<std::string>& preludes) {
    files.insert(files.end(), preludes.begin(), preludes.end());
    for (const std::string& assignment : data)
        files.push_back(assignment.substr(assignment.find('=') + 1));
    return confine({.readable = std::move(files), .is_required = is_required});
}

void add_prelude_option(CommandLine& line, std::vector<std::string>* paths) {
    line.texts("--prelude", paths, "A prelude: namespaces that the program may use; can be repeated")
        .value_name("FILE");
}

Result<std::vector<PreludeSource>> load_preludes(const std::vector<std::string>& paths) {
    std::vector<PreludeSource> preludes;
    for (const std::string& path : paths)
        preludes.push_back({path, PTC_TRY(read_file(path, kMaxPreludeBytes))});
    return preludes;
}

Result<std::vector<std::string>> data_names(const std::vector<std::string>& assignments) {
    std::vector<std::string> names;
    for (Assignment& a : PTC_TRY(parse_assignments(assignments)))
        names.push_back(std::move(a.name));
    return names;
}

Result<std::vector<std::shared_ptr<const DataSet>>> load_data(const std::vector<std::string>& assignments) {
    std::vector<std::shared_ptr<const DataSet>> sets;
    const std::vector<Assignment> parsed = PTC_TRY(parse_assignments(assignments));
    for (const Assignment& a : parsed) {
        std::string text = PTC_TRY(read_file(a.path, kMaxDataBytes));
        auto set = DataSet::from_json(a.name, text);
        if (!set.ok()) return content_error(a.path, std::move(text), set.error());
        sets.push_back(std::move(set).value());
    }
    return sets;
}

Result<Datum> load_data_map(const std::vector<std::string>& assignments) {
    Datum::Map map;
    const std::vector<Assignment> parsed = PTC_TRY(parse_assignments(assignments));
    for (const Assignment& a : parsed) {
        std::string text = PTC_TRY(read_file(a.path, kMaxDataBytes));
        Result<Datum> value = Datum::from_json(text);
        if (!value.ok()) return content_error(a.path, std::move(text), value.error());
        map.emplace_back(Datum(a.name), std::move(value).value());
    }
    return Datum(std::move(map));
}

Result<std::vector<Tool>> load_tools(const std::string& path) {
    if (path.empty()) return std::vector<Tool>();
    std::string text = PTC_TRY(read_file(path, kMaxDataBytes));
    Result<Datum> json = Datum::from_json(text);
    if (!json.ok()) return content_error(path, std::move(text), json.error());
    const Datum::Map* members = json.value().map();
    if (!members)
        return Error(Reason::InvalidRequest, path + ": the tools are an object: {\"name\": {\"signature\": \"..\"}}.");
    std::vector<Tool> tools;
    for (const auto& [name, tool] : *members) {
        const Datum* signature = tool.find("signature");
        const Datum* description = tool.find("description");
        if (!tool.map() || (signature && !signature->text()) || (description && !description->text())) {
            return Error(Reason::InvalidRequest, path + ": the tool `" + *name.text() +
                                                     "` is an object whose signature and description are texts.");
        }
        if (signature) PTC_CHECK(check_signature(path, *name.text(), *signature->text()));
        tools.push_back(
            {*name.text(), description ? *description->text() : "", signature ? *signature->text() : "", {}});
    }
    return tools;
}

Limits terminal_limits() { return {.timeout = std::chrono::seconds(60)}; }

std::string usage_text(const Usage& usage) {
    char time[32];
    std::snprintf(time, sizeof time, "%.3f ms", static_cast<double>(usage.duration.count()) / 1000);
    return grouped_text(usage.fuel) + " units of fuel, " +
           grouped_text(static_cast<std::int64_t>(usage.peak_heap_bytes)) + " bytes at the peak, " + time;
}

} // namespace ptc
