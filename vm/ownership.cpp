// Which registers own values, computed from the code.
//
// A register owns a value from the instruction that gives it one to the instruction that takes it. Values are counted,
// so whoever gives up a run in the middle (an error, a snapshot) must know what each frame owns at that moment. Keeping
// a record would cost every instruction something; instead, the rows of opcodes.def say what an instruction uses, kills
// and gives (effect_of), and walking the code once from the entry gives the state before each instruction. That one
// walk is enough because paths that meet own the same registers: the verifier refuses code in which they differ.
#include "vm/ownership.h"
#include <vector>

namespace ptc {
namespace {

void add_range(RegisterSet& set, std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t i = first; i < first + count && i < set.size(); ++i)
        set.set(i);
}
/// The slots of a window whose bits are set.
void add_slots(RegisterSet& set, std::uint32_t first, std::uint8_t slots) {
    for (std::uint32_t i = first; slots != 0 && i < set.size(); ++i, slots >>= 1) {
        if (slots & 1) set.set(i);
    }
}

void add_window(const FunctionProto& proto, Word w, bool exhausted, Effect& e) {
    const Window& window = op_info(word_op(w)).window;
    const std::uint32_t a = word_a(w);
    add_slots(e.uses, a, window.taken | window.read);
    add_slots(e.kills, a, window.taken);
    if (window.iterates && exhausted)
        add_slots(e.kills, a, window.read);
    else
        add_slots(e.gives, a, window.written);
    if (window.tail != Window::Tail::None) {
        const std::uint32_t count =
            window.tail == Window::Tail::Values ? word_b(w) : proto_of_constant(proto, word_bc(w)).capture_count;
        add_range(e.uses, a + window.slots, count);
        add_range(e.kills, a + window.slots, count);
    }
    if (window.has_result()) e.gives.set(a);
}

} // namespace

Effect effect_of(const FunctionProto& proto, const Word* ip, bool exhausted) {
    const Word w = *ip;
    const OpInfo& info = op_info(word_op(w));
    const std::uint8_t mask = proto.takes[static_cast<std::size_t>(ip - proto.code.data())];
    Effect e;
    const auto add_operand = [&](Operand kind, std::uint32_t reg, std::uint8_t bit) {
        switch (kind) {
        case Operand::Dst: e.gives.set(reg); break;
        case Operand::Use:
            e.uses.set(reg);
            if (mask & bit) e.kills.set(reg);
            break;
        case Operand::Edit: e.uses.set(reg); break;
        case Operand::Take:
            e.uses.set(reg);
            e.kills.set(reg);
            break;
        default: break;
        }
    };
    add_operand(info.a, word_a(w), 0);
    if (!(is_iteration(word_op(w)) && exhausted)) add_operand(info.b, word_b(w), kTakeB);
    add_operand(info.c, word_c(w), kTakeC);
    if (info.window.exists()) add_window(proto, w, exhausted, e);
    return e;
}

RegisterState RegisterState::at_entry(const FunctionProto& proto) {
    RegisterState state;
    add_range(state.owned, 0, proto.param_count);
    return state;
}

RegisterState RegisterState::after(Word word, const Effect& effect) const {
    RegisterState next{(owned & ~effect.kills) | effect.gives, sources & ~effect.kills, positions & ~effect.kills};
    if (op_info(word_op(word)).window.begins_iteration) {
        next.sources.set(word_a(word));
        next.positions.set(word_a(word) + 1);
    }
    return next;
}

Successors successors(const FunctionProto& proto, std::uint32_t at) {
    Word w = proto.code[at];
    const OpInfo& info = op_info(word_op(w));
    Successors s;
    std::uint32_t next = at + info.words();
    if (!info.has(kEnd)) s.next = next;
    if (info.has(kBranch)) s.jump = next + static_cast<std::uint32_t>(static_cast<std::int32_t>(proto.code[at + 1]));
    return s;
}

RegisterSet OwnershipMap::before(const FunctionProto& proto, std::uint32_t at) {
    const RegisterState* state = find(proto, at);
    return state ? state->owned : RegisterSet{};
}

const RegisterState* OwnershipMap::find(const FunctionProto& proto, std::uint32_t at) {
    States& states = known_[&proto];
    auto state = states.find(at);
    if (state == states.end()) {
        states.merge(states_of(proto, at));
        state = states.find(at);
    }
    return state == states.end() ? nullptr : &state->second;
}

OwnershipMap::States OwnershipMap::states_of(const FunctionProto& proto, std::uint32_t wanted) {
    States states;
    std::vector<std::pair<std::uint32_t, RegisterState>> work{{0, RegisterState::at_entry(proto)}};
    std::vector<bool> seen(proto.code.size());
    while (!work.empty()) {
        const auto [at, state] = work.back();
        work.pop_back();
        if (at >= seen.size() || seen[at]) continue;
        seen[at] = true;
        const Word* ip = &proto.code[at];
        const Op op = word_op(*ip);
        if (at == wanted || op_info(op).has(kCall)) states.emplace(at, state);
        const Successors s = successors(proto, at);
        if (s.jump != UINT32_MAX) work.emplace_back(s.jump, state.after(*ip, effect_of(proto, ip)));
        if (s.next != UINT32_MAX) work.emplace_back(s.next, state.after(*ip, effect_of(proto, ip, is_iteration(op))));
    }
    return states;
}

} // namespace ptc
