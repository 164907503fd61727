// The search for a bound of fuel: single instructions, operands and names. Each instruction does to the abstract values
// in the registers what the interpreter does to the values, and adds what it costs at most; instructions that do what a
// builtin does ask the builtin's model. Where an instruction can fail, nothing more has to be followed on that path.
#include "compiler/bounds/fuel_search.h"
#include "frontend/quoted.h"

#include "runtime/builtin.h"
#include "runtime/string.h"
#include <algorithm>
#include <bit>

namespace ptc {
namespace {

using namespace kinds;

std::string normalized(std::string_view name) {
    std::string result(name);
    std::replace(result.begin(), result.end(), '-', '_');
    return result;
}

} // namespace

FuelSearch::FuelSearch(const Program& program, std::span<const KnownData> data, std::size_t max_steps)
    : program_(program), origins_{"a value"}, max_steps_(max_steps) {
    for (const KnownData& known_data : data)
        data_.emplace(normalized(known_data.name), known_data.value);
    for (const auto& function : program.functions)
        count_definitions(*function);
}

void FuelSearch::native_step(std::uint32_t at, std::string_view name, std::span<const AbstractValue> arguments,
                             FuelState& state, std::uint32_t result_register) {
    static_cast<void>(run_native(at, static_cast<std::uint32_t>(find_builtin(name)), arguments, state.cost,
                                 state.registers[result_register]));
}

void FuelSearch::step(Activation& call, std::uint32_t at, const Word* ip, FuelState& state) {
    const Word w = *ip;
    std::vector<AbstractValue>& r = state.registers;
    const std::uint32_t a = word_a(w), b = word_b(w), c = word_c(w);
    const Op op = word_op(w);
    switch (op) {
    case Op::Move: r[a] = r[b]; break;
    case Op::Copy:
        r[b].is_chained = false;
        r[a] = r[b];
        break;
    case Op::LoadConst: r[a] = constant(call, word_bc(w)); break;
    case Op::LoadInt: {
        const auto i = static_cast<std::int16_t>(word_bc(w));
        r[a] = integer(i, i);
        break;
    }
    case Op::LoadPrim: r[a] = scalar(b == 0 ? kNil : b == 1 ? kFalse : kTrue); break;
    case Op::LoadCapture:
        r[a] = call.self.inside && b < call.self.inside->captures.size() ? call.self.inside->captures[b]
                                                                         : anything(kUnknown, 0);
        break;
    case Op::LoadSelf: r[a] = call.self; break;
    case Op::LoadSibling:
        state.cost += call.proto->capture_count;
        r[a] = abstract_function(&proto_of_constant(*call.proto, word_bc(w)),
                                 call.self.inside ? call.self.inside->captures : std::vector<AbstractValue>());
        break;
    case Op::LoadGlobal: r[a] = global(constant_text(call, word_bc(w))); break;
    case Op::LoadData: r[a] = data(constant_text(call, word_bc(w))); break;
    case Op::LoadAllData: r[a] = anything(kUnknown, origin("the whole context")); break;
    case Op::LoadHistory: r[a] = anything(kUnknown, origin("an earlier result")); break;
    case Op::Define: define(constant_text(call, word_bc(w)), r[a]); break;
    case Op::Add:
    case Op::AddK:
    case Op::AddToK: calculate(at, sum_bound(r[b], right_operand(call, state, w)), state, a); break;
    case Op::Sub:
    case Op::SubK: calculate(at, difference_bound(r[b], right_operand(call, state, w)), state, a); break;
    case Op::Mul:
    case Op::MulK:
    case Op::MulWithK: calculate(at, arithmetic_bound(r[b], right_operand(call, state, w), true), state, a); break;
    case Op::Inc: calculate(at, sum_bound(r[b], integer(1, 1)), state, a); break;
    case Op::Dec: calculate(at, difference_bound(r[b], integer(1, 1)), state, a); break;
    case Op::Neg: calculate(at, difference_bound(integer(0, 0), r[b]), state, a); break;
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge:
    case Op::Eq:
    case Op::Ne:
        state.cost += comparison_cost(r[b], r[c]);
        r[a] = abstract_boolean(relation(op, r[b], r[c]));
        break;
    case Op::Not: r[a] = abstract_boolean(opposite(truth_of(r[b]))); break;
    case Op::Test: r[a] = abstract_boolean(predicate(static_cast<Predicate>(c), r[b])); break;
    case Op::CallNative: {
        const std::vector<AbstractValue> arguments(r.begin() + a, r.begin() + a + b);
        state.cost += builtin_at(ip[1]).cost;
        static_cast<void>(run_native(at, ip[1], arguments, state.cost, r[a]));
        break;
    }
    case Op::Tool: stop(at, "how much the tool `" + constant_text(call, word_bc(w)) + "` answers is not known"); break;
    case Op::Fuel: state.cost += charge_of(w); break;
    default: collection_step(call, at, ip, state); break;
    }
}

void FuelSearch::collection_step(Activation& call, std::uint32_t at, const Word* ip, FuelState& state) {
    const Word w = *ip;
    std::vector<AbstractValue>& r = state.registers;
    const std::uint32_t a = word_a(w), b = word_b(w), c = word_c(w);
    switch (word_op(w)) {
    case Op::MakeClosure: {
        const FunctionProto& made = proto_of_constant(*call.proto, word_bc(w));
        r[a] = abstract_function(&made, {r.begin() + a, r.begin() + a + made.capture_count});
        break;
    }
    case Op::MakeRecord: make_record(a, b, state, constant_keys(call, ip[1])); break;
    case Op::Elem:
    case Op::ElemLast: {
        take_apart(at, AbstractValue(r[b]), c, state, a); // may be the result register
        break;
    }
    case Op::AssocField: {
        const AbstractValue arguments[] = {r[a], constant(call, ip[1] & 0xFFFF), r[b]};
        native_step(at, "assoc", arguments, state, a);
        break;
    }
    case Op::TakeKey: {
        const AbstractValue arguments[] = {r[a], constant(call, ip[1] & 0xFFFF)};
        native_step(at, "get", arguments, state, c);
        break;
    }
    case Op::IterInit:
    case Op::IterPairs: {
        const AbstractValue items = r[a];
        state.cost += sequence_cost(items);
        if (!(state.cost < kMaxFuelBound)) {
            return stop_at_size(at, caller_name(at, constant_text(call, word_bc(w))) + " goes through", items);
        }
        r[a] = as_sequence(items);
        r[a + 1] = integer(0, 0);
        if (word_op(w) == Op::IterPairs) r[a + 2] = AbstractValue{};
        break;
    }
    case Op::Nop:
    case Op::ForgetKey:
    case Op::ForgetItem:
    case Op::Drop:
    case Op::Drop2: break;
    default: builtin_step(call, at, ip, state); break;
    }
}

// What a pattern takes of `whole`.
void FuelSearch::take_apart(std::uint32_t at, AbstractValue whole, std::uint32_t part, FuelState& state,
                            std::uint32_t result) {
    native_step(at, "first", std::span(&whole, 1), state, result);
    if (whole.least > part && whole.must_be(kVector)) state.registers[result] = item_at(whole, part);
}

// An instruction that does a builtin's work, as its row says: it costs and gives what a call with the same operands
// does.
void FuelSearch::builtin_step(Activation& call, std::uint32_t at, const Word* ip, FuelState& state) {
    const Word w = *ip;
    const OpInfo& info = op_info(word_op(w));
    if (info.builtin.empty()) return stop_at_instruction(at, ip);
    const std::uint32_t result = info.c == Operand::Dst ? word_c(w) : word_a(w);
    native_step(at, info.builtin, operands_of(call, ip, state), state, result);
}

// Registers that are read and constants, in their order; of a window, those that it takes and reads.
std::vector<AbstractValue> FuelSearch::operands_of(const Activation& call, const Word* ip, const FuelState& state) {
    const Word w = *ip;
    const OpInfo& info = op_info(word_op(w));
    const std::vector<AbstractValue>& r = state.registers;
    std::vector<AbstractValue> operands;
    if (info.window.exists()) {
        const std::uint32_t owned = info.window.taken | info.window.read;
        const std::uint32_t end = info.window.slots + (info.window.tail == Window::Tail::Values ? word_b(w) : 0u);
        for (std::uint32_t i = 0; i < end; ++i) {
            if (i >= info.window.slots || (owned >> i & 1) != 0) operands.push_back(r[word_a(w) + i]);
        }
        return operands;
    }
    const auto is_read = [](Operand kind) { return kind == Operand::Use || kind == Operand::Take; };
    if (info.a == Operand::Edit) operands.push_back(r[word_a(w)]);
    if (is_read(info.b)) operands.push_back(r[word_b(w)]);
    if (is_read(info.c) || info.c == Operand::Const) operands.push_back(right_operand(call, state, w));
    if (info.w == Operand::Value32) operands.push_back(constant(call, ip[1]));
    if (general_kind(info.w) == Operand::KeyCache32) operands.push_back(constant(call, ip[1] & 0xFFFF));
    return operands;
}

void FuelSearch::make_record(std::uint32_t window, std::uint32_t count, FuelState& state, AbstractValue key) {
    AbstractValue value;
    double walk_cost = 8;
    for (std::uint32_t i = 0; i < count; ++i) {
        const AbstractValue& item = state.registers[window + i];
        value = i == 0 ? item : join(value, item);
        walk_cost += 3 + key.walk_cost + item.walk_cost;
    }
    AbstractValue record = map_of(std::move(key), std::move(value), count, count);
    record.walk_cost = std::min(record.walk_cost, walk_cost + 16 + 8 * count);
    state.registers[window] = std::move(record);
}

void FuelSearch::calculate(std::uint32_t at, NativeBound result, FuelState& state, std::uint32_t result_register) {
    state.cost += result.cost;
    if (!(state.cost < kMaxFuelBound)) return stop_at_size(at, "this calculates with numbers from", result.result);
    state.registers[result_register] = std::move(result.result);
}

AbstractValue FuelSearch::constant(const Activation& call, std::uint32_t index) {
    const Bits bits = call.proto->constants[index];
    const auto known_constant = constants_.find(bits);
    if (known_constant != constants_.end()) return known_constant->second;
    const Value value = Value::adopt(bits); // frozen: never counted
    return constants_.emplace(bits, abstract_value_of(value)).first->second;
}

std::string FuelSearch::constant_text(const Activation& call, std::uint32_t index) {
    const Value name = Value::adopt(call.proto->constants[index]);
    return std::string(text_of(name));
}

AbstractValue FuelSearch::constant_keys(const Activation& call, std::uint32_t index) {
    const auto* shape = static_cast<const ShapeObject*>(bits::to_object(call.proto->constants[index]));
    AbstractValue keys;
    for (std::uint32_t i = 0; i < shape->count; ++i)
        keys = i == 0 ? abstract_value_of(shape->keys()[i]) : join(keys, abstract_value_of(shape->keys()[i]));
    return keys;
}

AbstractValue FuelSearch::right_operand(const Activation& call, const FuelState& state, Word w) {
    const bool is_constant = op_info(word_op(w)).c == Operand::Const;
    return is_constant ? constant(call, word_c(w)) : state.registers[word_c(w)];
}

void FuelSearch::count_definitions(const FunctionProto& proto) {
    for (std::size_t at = 0; at < proto.code.size(); at += op_info(word_op(proto.code[at])).words()) {
        if (word_op(proto.code[at]) != Op::Define) continue;
        const Value name = Value::adopt(proto.constants[word_bc(proto.code[at])]);
        ++definitions_[std::string(text_of(name))];
    }
}

void FuelSearch::define(const std::string& name, const AbstractValue& value) {
    const auto [place, is_new] = globals_.try_emplace(name, value);
    if (!is_new) place->second = join(place->second, value);
    place->second.is_chained = false;
}

AbstractValue FuelSearch::global(const std::string& name) {
    const auto defined = globals_.find(name);
    return defined != globals_.end() ? defined->second : anything(kUnknown, origin(quoted(name)));
}

AbstractValue FuelSearch::data(const std::string& name) {
    const auto given = data_.find(normalized(name));
    return given != data_.end() ? given->second : anything(kUnknown, origin("`data/" + name + "`"));
}

std::uint16_t FuelSearch::origin(const std::string& what) {
    for (std::size_t i = origin_numbers_.size(); i < origins_.size(); ++i)
        origin_numbers_.try_emplace(origins_[i], static_cast<std::uint16_t>(i));
    if (const auto known = origin_numbers_.find(what); known != origin_numbers_.end()) return known->second;
    if (origins_.size() > UINT16_MAX) return 0;
    origins_.push_back(what);
    return static_cast<std::uint16_t>(origins_.size() - 1);
}

} // namespace ptc
