// What calls of the language's functions give, and how they call the functions that they are given.
#pragma once
#include "compiler/check/call_argument.h"
#include "compiler/check/lints.h"
#include "compiler/language/core_library.h"

namespace ptc {

/// What CallResults asks the checker for.
class FormChecks {
public:
    virtual const Fact* check(const Form& form) = 0;
    /// What calling `function`, a form, with these arguments gives.
    virtual const Fact* apply(const Form& function, std::span<const Fact* const> arguments, bool string_key) = 0;
    /// The function of the language that `head` means here; null for anything else.
    virtual const CoreName* core_function(const Form& head) = 0;
    /// Something was met that does more than give a value.
    virtual void add_effect() = 0;

protected:
    ~FormChecks() = default;
};

/// One handler for each rule of runtime/result_rules.def. Owns nothing; borrows the facts, the lints and the checker.
class CallResults {
public:
    CallResults(FormChecks& checks, Facts& facts, Lints& lints) : checks_(checks), facts_(facts), lints_(lints) {}

    /// What the call gives. Looks at all arguments that are not looked at yet.
    const Fact* of(const CoreName& name, std::span<CallArgument> arguments) {
        const Fact* result = given_by(name, arguments);
        lints_.check_computed(name, arguments);
        return result;
    }

private:
    using FactSpan = std::span<const Fact* const>;
    struct Call {
        const CoreName& name;
        const Gives& gives;
        std::span<CallArgument> arguments;
        [[nodiscard]] std::size_t size() const { return arguments.size(); }
    };
    using Rule = const Fact* (CallResults::*)(Call& call);
    static const Rule kRules[];

    const Fact* given_by(const CoreName& name, std::span<CallArgument> arguments);
    const Fact* fact_of(CallArgument& argument);
    const Fact* last_of(Call& call);
    void look_at_all(Call& call);
    const Fact* apply_argument(Call& call, std::size_t index, FactSpan arguments, bool string_key = false);
    const Fact* as_ruled(const Call& call, const Fact* fact);
    const Fact* added(const Fact* coll, const Fact* item);
    const Fact* filtered(Call& call, bool string_key);
    const Fact* mapped(Call& call);
    const Fact* transduced(Call& call);
    const Fact* through(const Form& transducer, const Fact* item);
    const Fact* through(Transducer stage, const Form& given, const Fact* item);
    void call_comparator(Call& call, std::size_t index);
#define PTC_RESULT_RULE(Name, word) const Fact* word##_call(Call& call);
#include "runtime/result_rules.def"
#undef PTC_RESULT_RULE

    FormChecks& checks_;
    Facts& facts_;
    Lints& lints_;
};

} // namespace ptc
