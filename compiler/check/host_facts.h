// What comes from the host: what tools give, what data hold, and which arguments a tool is called with.
#pragma once
#include "compiler/analyze/analyzer.h"
#include "compiler/check/check_report.h"
#include "compiler/check/fact.h"
#include "compiler/language/scope.h"
#include <deque>

namespace ptc {

/// Owns what is known of each tool that the program calls, in the arena that it borrows, with the environment, the
/// facts and the report.
class HostFacts {
public:
    HostFacts(const Environment& environment, Facts& facts, Arena& arena, WarningSink& report)
        : environment_(environment), facts_(facts), arena_(arena), report_(report), tools_(arena) {}

    /// What the tool gives.
    const Fact* result_of(std::string_view tool) { return known(tool).result; }
    /// Whether that is known from results alone.
    bool is_seen(std::string_view tool);
    /// Arguments that the program writes as `map`, keys and values in turn, of which `fact` is known.
    void check_written(std::string_view tool, std::span<const Form> map, const Fact& fact, Span call);
    /// Arguments that are a value of the program.
    void check_passed(std::string_view tool, Span where, const Fact& fact);
    /// What data/NAME holds.
    [[nodiscard]] const Fact* data(std::string_view name) const;

private:
    struct Tool {
        std::string_view name;
        std::uint32_t hash = 0;
        const Signature* signature = nullptr;
        std::span<const std::string> other_arguments{}; ///< names beside those of the signature
        const Fact* result = Facts::any();
    };
    /// A named argument of a call: the forms are null when it comes from a value.
    struct GivenArgument {
        std::string_view name;
        const Form* key;
        const Form* value;
        const Fact* fact;
    };
    Tool& known(std::string_view name);
    std::string_view origin_of(std::string_view tool);
    void check_given(const Tool& tool, std::span<const GivenArgument> given, bool all_known, bool is_written,
                     Span call);
    void check_argument_names(const Tool& tool, std::span<const GivenArgument> given,
                              std::vector<const Field*>& absent);
    /// `is_written`: it stands in the program, so every call fails; else it follows from what is known of values.
    void report_argument(Error error, bool is_written);

    const Environment& environment_;
    Facts& facts_;
    Arena& arena_;
    WarningSink& report_;
    NameTable<Tool> tools_;
    std::deque<Type> seen_; ///< of results: facts have their names from here
};

} // namespace ptc
