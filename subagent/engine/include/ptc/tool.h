// Tools: what a program can call outside of its sandbox.
#pragma once
#include "ptc/check_report.h"
#include "ptc/shared_function.h"
#include "ptc/signature.h"
#include "ptc/tool_call.h"
#include "ptc/tool_context.h"
#include "ptc/type.h"
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace ptc {

/// Called with the argument map (text keys). An Error or an exception becomes the program's tool_error. Called on the
/// thread that runs the session, or, for the calls that the branches of a pmap or pcalls wait for, on several threads
/// at once (see Tool::one_at_a_time and EngineOptions::tool_threads).
using ToolFunction = SharedFunction<Result<Datum>(const Datum& arguments)>;

/// The same for tools that must not do a thing twice. `key` is different for each call of the mission and, as long
/// as hosts give their missions different ids, from those of other missions. A mission that went on from a checkpoint
/// makes a call again whose answer was not written before the crash, with the same key: the tool looks whether it has
/// seen the key, and answers as it did then. Empty outside of missions with an id.
using KeyedToolFunction = SharedFunction<Result<Datum>(const Datum& arguments, std::string_view key)>;

/// The same for tools that ask who calls, for whom, and until when: one agent serves many users.
using ContextToolFunction = SharedFunction<Result<Datum>(const Datum& arguments, const ToolContext& context)>;

struct Tool {
    std::string name{};
    std::string description{};
    /// "(query :string) -> {count :int}", or the Malli form. Arguments are checked against it, and coerced where that
    /// is safe, before the tool runs; its result is checked too (EngineOptions::validation). "": nothing is checked.
    std::string signature{};
    ToolFunction function{};                ///< empty: the host answers through Session::resume
    KeyedToolFunction keyed_function{};     ///< instead of `function`
    ContextToolFunction context_function{}; ///< instead of both
    [[nodiscard]] bool is_callable() const { return function || keyed_function || context_function; }
    /// How strictly calls are checked; none: as the run says (RunOptions::validation).
    std::optional<ValidationMode> validation{};
    /// Each call is approved, or denied, before it is made. A session suspends at such a call also where the tool has a
    /// function: the host answers with what a call of it gave, or denies it with an Error of Reason::ApprovalDenied,
    /// which the program can catch as any failure of a tool. A run that nobody answers is denied. In missions see
    /// ptc/approval.h.
    bool approval = false;
    bool one_at_a_time = false; ///< only on the thread that runs the session, one call after the other
    /// Arguments are handed over as they came, unchecked and with the names that they have there (text keys, hyphens
    /// and all): for tools whose schema somebody else wrote (requirement 239).
    bool pass_input = false;
    /// Arguments are checked, and keys that the signature does not declare are handed over as they are written (hyphens
    /// and all; of keywords their names): for tools whose maps hold data of others, as McpClient's do. Declared ones
    /// get underscores, as for every tool.
    bool keeps_keys = false;
    /// JSON Schema of such a tool's arguments and result: what models read instead of what the signature says. "":
    /// as the signature says.
    std::string input_schema_json{};
    std::string output_schema_json{};
    /// Fields that results may have beside those that the signature says, as it cannot write their names: programs that
    /// read them are not warned.
    std::vector<UnwrittenField> unwritten{};
    /// Names that arguments may have beside those of the signature, as it cannot write them: calls that give such a one
    /// are not warned. One of which a parameter's name was made (written_parameter_name) is checked as that parameter,
    /// and handed over under its name, unless the call gives both. Of those that share a name (`user-id`, `user_id`)
    /// each means the parameter of its own: `user_id_2` for `user-id`.
    /// `*` among them: any other may be given.
    std::vector<std::string> other_arguments{};
    /// What `description` is by now, where it grows (by what McpClient has learnt): `doc`, searches and missions that
    /// begin ask for it, on their threads; an exception counts as none. Runs that can be repeated keep what it was.
    SharedFunction<std::string()> description_now{};
    /// What results have looked like so far, where the signature says nothing of them (McpClient learns it): programs
    /// that read other fields are warned, and nothing is refused. Asked for whenever a program that calls the tool is
    /// checked, on that thread; an exception counts as none. Runs that can be repeated do without.
    SharedFunction<std::optional<Type>()> seen_result{};
    /// More of `description`, in lines, for who looks for it: `(doc tool/x)` shows it, searches go through it, and
    /// prompts leave it out.
    std::string details{};
};

/// What the tool says of itself by now.
std::string newest_description(const Tool& tool);

/// What a call gave, or why it failed.
using ToolAnswer = std::variant<Datum, Error>;

/// A finished call, as Outcome lists it.
struct ToolRecord {
    std::string name;
    std::string arguments_json;
    std::string result_json;       ///< "" when it failed
    std::vector<Fault> warnings{}; ///< what was coerced in its arguments; with ValidationMode::WarnOnly, what is wrong
};

} // namespace ptc
