// Finds the effects of a program in its code. Every function that the program can reach is scanned once, whether or not
// it is ever called: what is not in the list cannot happen, what is in it may. A builtin that is not pure has an
// effect; tools, data and names of the session have instructions of their own.
#include "compiler/bounds/effects.h"

#include "runtime/builtin.h"
#include "runtime/function.h"
#include "runtime/map.h"
#include "runtime/set.h"
#include "runtime/string.h"
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace ptc {
namespace {

std::string text_of_constant(const FunctionProto& proto, std::uint32_t index) {
    const Value name = Value::adopt(proto.constants[index]); // frozen: never counted
    return std::string(text_of(name));
}

DefinedFunction defined_function(std::string name, const FunctionProto* proto, Span span) {
    DefinedFunction function{std::move(name), UINT32_MAX, 0, span};
    for (; proto; proto = proto->next_arity) {
        const std::uint32_t fixed = proto->param_count - (proto->variadic ? 1u : 0u);
        function.least_arguments = std::min(function.least_arguments, fixed);
        if (proto->variadic)
            function.most_arguments.reset();
        else if (function.most_arguments)
            function.most_arguments = std::max(*function.most_arguments, fixed);
    }
    return function;
}

class Scan {
public:
    explicit Scan(const Program& program) : program_(program) { reach(program.functions[0].get(), {}); }

    Effects run() {
        while (!rest_.empty()) {
            const Reached next = rest_.back();
            rest_.pop_back();
            scan(next);
        }
        const auto before = [](const auto& a, const auto& b) {
            return a.span.begin != b.span.begin ? a.span.begin < b.span.begin : a.span.end < b.span.end;
        };
        std::stable_sort(effects_.sites.begin(), effects_.sites.end(), before);
        std::stable_sort(effects_.functions.begin(), effects_.functions.end(), before);
        return std::move(effects_);
    }

private:
    struct Reached {
        const FunctionProto* proto;
        Span from; ///< where the program refers to it
    };

    void reach(const FunctionProto* proto, Span from) {
        for (proto = proto->first_arity ? proto->first_arity : proto; proto; proto = proto->next_arity) {
            if (seen_.insert(proto).second) rest_.push_back({proto, from});
        }
    }

    /// Functions within a constant can be called, builtins within it too. It is looked through once, however many
    /// places refer to it.
    void reach_value(Bits bits, Span span) {
        if (!bits::is_object(bits)) return reach_parts(bits, span, nullptr);
        const auto [known, is_new] = effects_in_.try_emplace(bits);
        if (is_new) return reach_parts(bits, span, &known->second);
        for (const Builtin* builtin : known->second)
            add_builtin(*builtin, span);
    }

    /// Notes the builtins with an effect in `found`, which has each once.
    void reach_parts(Bits bits, Span span, std::vector<const Builtin*>* found) {
        std::vector<Bits> rest{bits};
        while (!rest.empty()) {
            const Bits next = rest.back();
            rest.pop_back();
            Value value = Value::adopt(next);
            if (value.is_static_function() || value.is(ObjectType::Closure)) {
                reach(static_cast<const FunctionProto*>(&function_info(value)), span);
            } else if (value.is_builtin()) {
                const Builtin& builtin = builtin_at(value.builtin_index());
                add_builtin(builtin, span);
                if (found && builtin_effect(builtin) != EffectKind::None &&
                    std::ranges::find(*found, &builtin) == found->end())
                    found->push_back(&builtin);
            } else if (value.is(ObjectType::Vector)) {
                for (std::size_t i = 0; i < vector_length(value); ++i)
                    rest.push_back(as_flat(value).data[i].raw());
            } else if (value.is(ObjectType::Record)) {
                const RecordObject& record = as_record(value);
                for (std::uint32_t i = 0; i < record.shape->count; ++i)
                    rest.push_back(record.values()[i].raw());
            } else if (value.is_map() || value.is_set()) {
                for_each_entry(scratch_, value, [&](const Value* entry, std::uint32_t) {
                    rest.push_back(entry[0].raw());
                    if (value.is_map()) rest.push_back(entry[1].raw());
                });
            }
            (void)value.give_up();
        }
    }

    void add(EffectKind kind, std::string name, Span span) { effects_.sites.push_back({kind, std::move(name), span}); }

    void add_builtin(const Builtin& builtin, Span span) {
        const EffectKind kind = builtin_effect(builtin);
        if (kind != EffectKind::None) add(kind, builtin.name, span);
    }

    void scan(const Reached& reached) {
        const FunctionProto& proto = *reached.proto;
        const bool is_ours = proto.program == &program_; // spans of the core library mean nothing here
        const Word* previous = nullptr;
        for (std::uint32_t at = 0; at < proto.code.size();) {
            const Word* ip = &proto.code[at];
            scan_instruction(proto, ip, previous, is_ours ? proto.spans[at] : reached.from);
            previous = ip;
            at += op_info(word_op(*ip)).words();
        }
    }

    void scan_instruction(const FunctionProto& proto, const Word* ip, const Word* previous, Span span) {
        const Word w = *ip;
        switch (word_op(w)) {
        case Op::Tool: return add(EffectKind::Tool, text_of_constant(proto, word_bc(w)), span);
        case Op::LoadData: return add(EffectKind::Data, text_of_constant(proto, word_bc(w)), span);
        case Op::LoadAllData: return add(EffectKind::Data, "", span);
        case Op::LoadHistory: return add(EffectKind::History, "*" + std::to_string(word_b(w)), span);
        case Op::LoadGlobal: return add(EffectKind::Memory, text_of_constant(proto, word_bc(w)), span);
        case Op::Define: {
            std::string name = text_of_constant(proto, word_bc(w));
            if (previous) add_function(proto, *previous, name, span);
            return add(EffectKind::Define, std::move(name), span);
        }
        case Op::CallNative: return add_builtin(builtin_at(ip[1]), span);
        case Op::LoadConst:
        case Op::MakeClosure: return reach_value(proto.constants[word_bc(w)], span);
        case Op::CallFunction: return reach_value(proto.constants[ip[1] & 0xFFFF], span);
        case Op::CallSelf: return;
        default: break;
        }
        if (general_kind(op_info(word_op(w)).w) == Operand::Const32) reach_value(proto.constants[ip[1]], span);
    }

    /// A definition whose value was made by the instruction in front of it: (defn ..), (def f (fn ..)).
    void add_function(const FunctionProto& proto, Word maker, const std::string& name, Span span) {
        const Op op = word_op(maker);
        if (op != Op::LoadConst && op != Op::MakeClosure) return;
        Value value = Value::adopt(proto.constants[word_bc(maker)]);
        if (value.is_static_function()) {
            const auto* defined = static_cast<const FunctionProto*>(value.static_function());
            effects_.functions.push_back(defined_function(name, defined, span));
        }
        (void)value.give_up();
    }

    const Program& program_;
    Heap scratch_;
    Effects effects_;
    std::unordered_set<const FunctionProto*> seen_;
    std::unordered_map<Bits, std::vector<const Builtin*>> effects_in_; ///< constants that were looked through
    std::vector<Reached> rest_;
};

} // namespace

EffectKind builtin_effect(const Builtin& builtin) {
    switch (builtin.effect) {
    case SideEffect::None:
    case SideEffect::Fails: return EffectKind::None;
    case SideEffect::Prints: return EffectKind::Print;
    case SideEffect::Time: return EffectKind::Time;
    case SideEffect::Mission: return EffectKind::Mission;
    }
    return EffectKind::None;
}

Effects effects_of(const Program& program) { return Scan(program).run(); }

} // namespace ptc
