// Rows of call_repairs.def and of foreign.def applied to calls. The notation and the making of code are those of
// compiler/language/rewrite.h; here a call of the program is lent to it, and questions about values are answered from
// the kinds that an argument may have: <number> is certain, <number?> possible, <!number> impossible.
#include "compiler/repair/call_rewrite.h"
#include "frontend/words.h"
#include <algorithm>

namespace ptc::repair {
namespace {

struct CallRepair {
    CallRepairGroup group;
    std::string_view functions; ///< with blanks between them
    std::string_view rewrite;
    const char* hint;
};
constexpr CallRepair kRepairs[] = {
#define PTC_CALL_REPAIR(group, functions, rewrite, hint) {CallRepairGroup::group, functions, rewrite, hint},
#include "compiler/repair/call_repairs.def"
};

struct MetRepair {
    std::string_view function;
    OperandKind kind;
    std::size_t argument; ///< 0: any
    std::string_view rewrite;
};
constexpr MetRepair kMetRepairs[] = {
#define PTC_OPERAND_REPAIR(function, kind, argument, rewrite) {function, OperandKind::kind, argument, rewrite},
#include "compiler/repair/call_repairs.def"
};

constexpr std::string_view kValueWords[] = {"number", "text",  "keyword",    "vector",   "map",
                                            "set",    "regex", "collection", "function", "unknown"};
constexpr Kinds kMasks[] = {kNumber,  kText,  kKeyword,    kVectorKind,   kMapKind,
                            kSetKind, kRegex, kCollection, kFunctionKind, kAnyKind};
static_assert(std::size(kMasks) == std::size(kValueWords));

/// <number>: can only be one; <number?>: can be one; <!number>: cannot be one.
bool is_of_kind(std::string_view word, Kinds kinds) {
    const bool negated = word.starts_with('!');
    const bool perhaps = word.ends_with('?');
    const std::string_view name = word.substr(negated ? 1 : 0, word.size() - (negated || perhaps ? 1 : 0));
    const auto* const found = std::ranges::find(kValueWords, name);
    if (found == std::end(kValueWords)) return false;
    const Kinds mask = kMasks[found - std::begin(kValueWords)];
    if (mask == kAnyKind) return kinds == kAnyKind;
    if (negated) return (kinds & mask) == 0;
    return perhaps ? (kinds & mask) != 0 : (kinds & ~mask) == 0;
}

} // namespace

Proposal rewrite_call(const Code& code, const CallSite& call, std::string_view rewrite, const ArgumentKinds& kinds) {
    std::vector<RewriteArgument> arguments;
    for (const Argument& argument : call.arguments)
        arguments.push_back({argument ? &*argument : nullptr, {}});
    const RewriteCall shape{code.text(*call.head), arguments, call.whole->is(FormKind::ShortFn), call.passes_last, {}};
    const auto fitting = fitting_text(rewrite, shape, [&](std::string_view word, std::size_t index) {
        return kinds && is_of_kind(word, kinds(index));
    });
    if (!fitting) return std::nullopt;
    if (is_name_text(*fitting)) return replace(*call.head, std::string(*fitting));
    return replace(code, *call.whole, code_of(*fitting, shape));
}

Proposal rewrite_value(const Place& name, std::string_view rewrite) {
    std::string value = value_of(rewrite, name.in_short_fn());
    if (value.empty()) return std::nullopt;
    return replace(name.form(), std::move(value));
}

Proposal tabled_repair(CallRepairGroup group, std::string_view function, const Code& code, const CallSite& call,
                       const ArgumentKinds& kinds) {
    for (const CallRepair& row : kRepairs) {
        if (row.group != group || !has_word(row.functions, function)) continue;
        Proposal found = rewrite_call(code, call, row.rewrite, kinds);
        if (!found) continue;
        found->hint = row.hint;
        return found;
    }
    return std::nullopt;
}

Proposal tabled_conversion(const Code& code, const CallSite& call, const BadCall& bad_call) {
    for (const MetRepair& row : kMetRepairs) {
        const bool fits = row.function == bad_call.function && row.kind == bad_call.kind &&
                          (row.argument == 0 || bad_call.argument == 0 || row.argument == bad_call.argument);
        if (!fits) continue;
        if (Proposal found = rewrite_call(code, call, row.rewrite)) return found;
    }
    return std::nullopt;
}

std::vector<std::string_view> tabled_rewrites() {
    std::vector<std::string_view> all;
    for (const CallRepair& row : kRepairs)
        all.push_back(row.rewrite);
    for (const MetRepair& row : kMetRepairs)
        all.push_back(row.rewrite);
    return all;
}

std::span<const std::string_view> repair_value_words() { return kValueWords; }

} // namespace ptc::repair
