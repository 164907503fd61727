#include "vm/ownership.h"
#include <vector>

namespace ptc {
namespace {

void add_range(RegisterSet& set, std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t i = first; i < first + count && i < 256; ++i)
        set.set(i);
}

// Windows: what an instruction consumes from register A on, and what it leaves there.
void window_effect(const FunctionProto& proto, Op op, Word w, const Word* ip, bool exhausted, Effect& e) {
    std::uint32_t a = word_a(w), b = word_b(w);
    auto consume = [&](std::uint32_t first, std::uint32_t count) {
        add_range(e.uses, first, count);
        add_range(e.kills, first, count);
    };
    switch (op) {
    case Op::Call:
    case Op::Apply:
        consume(a, 1);
        consume(a + kFrameLink, b);
        break;
    case Op::CallFunction:
    case Op::CallSelf: consume(a + kFrameLink, b); break;
    case Op::CallNative:
    case Op::MakeVector:
    case Op::MakeSet:
    case Op::MakeMap:
    case Op::MakeRecord: consume(a, b); break;
    case Op::Tool: consume(a, 1); break;
    case Op::MakeClosure: consume(a, proto_of_constant(proto, word_bc(w)).capture_count); break;
    case Op::Assoc:
    case Op::GroupAppend: consume(a, 3); break;
    case Op::AssocField:
    case Op::Fork: consume(a, 2); break;
    case Op::TakeField:
        add_range(e.uses, a, 2);
        e.gives.set(a + 2);
        return;
    case Op::IterInit:
        consume(a, 1);
        e.gives.set(a + 1);
        break;
    case Op::IterNext:
        add_range(e.uses, a, 2);
        if (exhausted) {
            add_range(e.kills, a, 2);
            return;
        }
        e.gives.set(b);
        return;
    case Op::NextItem:
        add_range(e.uses, a, 2);
        if (!exhausted) e.gives.set(b);
        return;
    default: break;
    }
    (void)ip;
    e.gives.set(a);
}

} // namespace

Effect effect_of(const FunctionProto& proto, const Word* ip, bool exhausted) {
    Word w = *ip;
    Op op = word_op(w);
    const OpInfo& info = op_info(op);
    std::uint8_t mask = proto.takes[static_cast<std::size_t>(ip - proto.code.data())];
    Effect e;
    auto apply = [&](Operand kind, std::uint32_t reg, std::uint8_t bit) {
        switch (kind) {
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
    apply(info.a, word_a(w), 0);
    apply(info.b, word_b(w), kTakeB);
    apply(info.c, word_c(w), kTakeC);
    if (info.a == Operand::Win)
        window_effect(proto, op, w, ip, exhausted, e);
    else if (info.a == Operand::Dst)
        e.gives.set(word_a(w));
    return e;
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
    RegisterState entry;
    add_range(entry.owned, 0, proto.param_count);
    std::vector<std::pair<std::uint32_t, RegisterState>> work{{0, entry}};
    std::vector<bool> seen(proto.code.size());
    while (!work.empty()) {
        auto [at, state] = work.back();
        work.pop_back();
        if (at >= seen.size() || seen[at]) continue;
        seen[at] = true;
        const Word* ip = &proto.code[at];
        const Op op = word_op(*ip);
        if (at == wanted || op_info(op).has(kCall)) states.emplace(at, state);
        const bool iter = is_iteration(op);
        const Successors s = successors(proto, at);
        auto after = [&](bool exhausted) {
            const Effect e = effect_of(proto, ip, exhausted);
            RegisterState next{(state.owned & ~e.kills) | e.gives, state.sources & ~e.kills,
                               state.positions & ~e.kills};
            if (op == Op::IterInit) {
                next.sources.set(word_a(*ip));
                next.positions.set(word_a(*ip) + 1);
            }
            return next;
        };
        if (s.jump != UINT32_MAX) work.push_back({s.jump, after(false)});
        if (s.next != UINT32_MAX) work.push_back({s.next, after(iter)});
    }
    return states;
}

} // namespace ptc
