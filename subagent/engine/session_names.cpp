// Which names of a session are, or may give, sequences by need: from the code of what they stand for.
#include "subagent/engine/session_names.h"
#include "runtime/function.h"
#include "vm/program.h"
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace ptc {
namespace {

bool is_sequence_by_need(const Value& value) {
    const NeedKind kind = need_kind(value);
    return kind == NeedKind::Cell || kind == NeedKind::LazySeq;
}

/// Null for what is no function of a program.
const FunctionProto* function_in(const Value& value) {
    const bool is_function = value.is_static_function() || value.is(ObjectType::Closure);
    const FunctionProto* function = is_function ? proto_of(value.raw()) : nullptr;
    return function && function->program ? function : nullptr;
}

/// In some arity.
bool makes_by_need(const FunctionProto& function) {
    const FunctionProto* arity = function.first_arity ? function.first_arity : &function;
    for (; arity; arity = arity->next_arity)
        if (arity->program->by_need[arity->index]) return true;
    return false;
}

/// The functions that are not known to make sequences by need, by their programs.
class OtherFunctions {
public:
    void add(const Program& program, std::string_view name) { names_[&program].push_back(name); }

    /// Moves those to `by_need` whose programs use a name that is there, until there are none.
    void move_users(std::vector<std::string_view>& by_need) {
        std::unordered_set<std::string_view> known(by_need.begin(), by_need.end());
        for (bool has_moved = true; has_moved;) {
            has_moved = std::erase_if(names_, [&](const auto& entry) {
                            if (!uses(*entry.first, known)) return false;
                            known.insert(entry.second.begin(), entry.second.end());
                            by_need.insert(by_need.end(), entry.second.begin(), entry.second.end());
                            return true;
                        }) > 0;
        }
    }

private:
    static bool uses(const Program& program, const std::unordered_set<std::string_view>& names) {
        return std::ranges::any_of(program.functions, [&](const auto& function) {
            return std::ranges::any_of(function->constants, [&](Bits constant) {
                const Value value = Value::adopt(constant);
                return value.is(ObjectType::Var) && names.contains(text_of(value));
            });
        });
    }
    std::unordered_map<const Program*, std::vector<std::string_view>> names_;
};

} // namespace

std::string_view declarations_of(const Namespace& names) {
    const std::uint32_t slot = names.find(kDeclarationsName);
    const bool are_there = slot != Namespace::kNone && names.slot(slot).value.is_string();
    return are_there ? text_of(names.slot(slot).value) : std::string_view();
}

SessionNames names_of(const Namespace& names) {
    SessionNames found{.bound = {}, .are_of_session = true};
    found.declarations = declarations_of(names);
    OtherFunctions others;
    for (std::uint32_t i = 0; i < names.size(); ++i) {
        const Namespace::Slot& slot = names.slot(i);
        if (slot.value.is_hole() || slot.name.starts_with(kAtomPrefix)) continue;
        found.bound.push_back(slot.name);
        const FunctionProto* function = function_in(slot.value);
        const bool is_sequence = is_sequence_by_need(slot.value);
        if (is_sequence) found.sequences.push_back(slot.name);
        if (is_sequence || (function && makes_by_need(*function)))
            found.by_need.push_back(slot.name);
        else if (function)
            others.add(*function->program, slot.name);
    }
    if (!found.by_need.empty()) others.move_users(found.by_need);
    return found;
}

} // namespace ptc
