#include "subagent/agent/builtin_tools.h"
#include "frontend/try.h"
#include "ptc/engine.h"

namespace ptc {
namespace {

/// A tool that is a program over its arguments, which are its data.
struct BuiltinTool {
    std::string_view family;
    const char* name;
    const char* description;
    const char* signature;
    const char* program;
};

// Patterns are those of a search: letters match in either case, and `\|` is what models write for `|`.
#define PTC_GREP_PATTERN R"x((re-pattern (str "(?i)" (replace data/pattern "\\|" "|"))))x"

constexpr BuiltinTool kBuiltinTools[] = {
    {"grep", "grep", "The lines of `text` in which the regular expression `pattern` is found, in either case.",
     "(pattern :string, text :string) -> [:string]",
     "(let [re " PTC_GREP_PATTERN "] (filterv (fn [line] (re-find re line)) (split-lines data/text)))"},
    {"grep", "grep-n",
     "The same with the numbers of lines, from 1, and `context` lines around each; `match` tells them apart.",
     "(pattern :string, text :string, context :int[0..100]?) -> [{line :int, text :string, match :bool}]",
     "(let [re " PTC_GREP_PATTERN R"x(
            n (or data/context 0)
            lines (map-indexed (fn [i line] {:line (inc i) :text line :match (some? (re-find re line))}) (split-lines data/text))
            shown (set (mapcat (fn [l] (if (:match l) (range (- (:line l) n) (+ (:line l) n 1)) [])) lines))]
        (filterv (fn [l] (contains? shown (:line l))) lines)))x"},
};

#undef PTC_GREP_PATTERN

/// Shared by all agents: programs in it are pure.
const Engine& engine() {
    static const Engine shared(EngineOptions{.warnings = false, .threads = 0});
    return shared;
}

Tool make_tool(const BuiltinTool& row) {
    Tool tool{.name = row.name, .description = row.description, .signature = row.signature};
    const ProgramPtr program = engine().compile(row.program, row.name).program;
    tool.function = [program](const Datum& arguments) -> Result<Datum> {
        Datum::Map data = *arguments.map();
        if (!arguments.find("context")) data.emplace_back(Datum("context"), Datum());
        const auto set = PTC_TRY(DataSet::from_datum(Datum(std::move(data))));
        Outcome outcome = engine().run(program, {.data = {set}, .want_datum = true});
        if (!outcome.ok()) return *outcome.error;
        return std::move(*outcome.datum);
    };
    return tool;
}

} // namespace

std::vector<Tool> builtin_tools(std::string_view family) {
    std::vector<Tool> tools;
    for (const BuiltinTool& row : kBuiltinTools) {
        if (row.family == family) tools.push_back(make_tool(row));
    }
    return tools;
}

} // namespace ptc
