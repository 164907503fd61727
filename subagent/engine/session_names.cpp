// Which names of a session are, or may give, sequences by need: from the code of what they stand for.
#include "subagent/engine/session_names.h"
#include "runtime/function.h"
#include "vm/program.h"
#include <algorithm>
#include <unordered_map>

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

    /// Moves those to `by_need` whose programs use a name that is there, until there are none. Each name is followed
    /// once, to the programs that use it: there may be thousands of them, each of which uses the one before.
    void move_users(std::vector<std::string_view>& by_need) {
        const Users users = find_users();
        for (std::size_t i = 0; i < by_need.size(); ++i) {
            const auto found = users.find(by_need[i]);
            if (found == users.end()) continue;
            for (const Program* program : found->second) {
                const auto moved = names_.extract(program);
                if (moved) by_need.insert(by_need.end(), moved.mapped().begin(), moved.mapped().end());
            }
        }
    }

private:
    using Users = std::unordered_map<std::string_view, std::vector<const Program*>>;
    [[nodiscard]] Users find_users() const {
        Users users;
        for (const auto& [program, names] : names_) {
            for (const auto& function : program->functions) {
                for (const Bits constant : function->constants) {
                    const Value value = Value::adopt(constant);
                    if (value.is(ObjectType::Var)) users[text_of(value)].push_back(program);
                }
            }
        }
        return users;
    }
    std::unordered_map<const Program*, std::vector<std::string_view>> names_;
};

/// By a program: what the host keeps among the names is none.
bool is_bound(const Namespace::Slot& slot) { return !slot.value.is_hole() && !slot.name.starts_with(kAtomPrefix); }

} // namespace

std::string_view declarations_of(const Namespace& names) {
    const std::uint32_t slot = names.find(kDeclarationsName);
    const bool are_there = slot != Namespace::kNone && names.slot(slot).value.is_string();
    return are_there ? text_of(names.slot(slot).value) : std::string_view();
}

bool BoundNames::has(std::string_view name) const {
    const std::uint32_t slot = names_.find(name);
    return slot != Namespace::kNone && is_bound(names_.slot(slot));
}

std::size_t BoundNames::size() const {
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < names_.size(); ++i)
        count += is_bound(names_.slot(i)) ? 1 : 0;
    return count;
}

std::vector<std::string_view> BoundNames::all() const {
    std::vector<std::string_view> bound;
    for (std::uint32_t i = 0; i < names_.size(); ++i)
        if (is_bound(names_.slot(i))) bound.emplace_back(names_.slot(i).name);
    return bound;
}

std::size_t NamesWithout::size() const {
    const auto is_other = [&](std::string_view name) { return names_.has(name); };
    return names_.size() - static_cast<std::size_t>(std::ranges::count_if(others_, is_other));
}

std::vector<std::string_view> NamesWithout::all() const {
    std::vector<std::string_view> all = names_.all();
    std::erase_if(all, [&](std::string_view name) { return others_.contains(name); });
    return all;
}

SessionNames names_of(const Namespace& names, const BoundNames& bound) {
    SessionNames found{.bound = names.size() > 0 ? &bound : nullptr, .are_of_session = true};
    found.declarations = declarations_of(names);
    OtherFunctions others;
    for (std::uint32_t i = 0; i < names.size(); ++i) {
        const Namespace::Slot& slot = names.slot(i);
        if (!is_bound(slot)) continue;
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
