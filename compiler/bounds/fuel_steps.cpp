// The search for a bound of fuel: single instructions, operands and names.
#include "compiler/bounds/fuel_search.h"

#include "runtime/builtin.h"
#include "runtime/string.h"
#include <algorithm>

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
        data_.emplace(normalized(known_data.name), known_data.extent);
    for (const auto& function : program.functions)
        count_definitions(*function);
}

void FuelSearch::native_step(std::uint32_t at, const char* name, std::initializer_list<Extent> arguments,
                             FuelState& state, std::uint32_t result_register) {
    static_cast<void>(run_native(at, static_cast<std::uint32_t>(find_builtin(name)), arguments, state.cost,
                                 state.registers[result_register]));
}

void FuelSearch::step(Activation& call, std::uint32_t at, const Word* ip, FuelState& state) {
    const Word w = *ip;
    std::vector<Extent>& r = state.registers;
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
    case Op::LoadGlobal: r[a] = global(constant_text(call, word_bc(w))); break;
    case Op::LoadData: r[a] = data(constant_text(call, word_bc(w))); break;
    case Op::LoadAllData: r[a] = anything(kUnknown, origin("the whole context")); break;
    case Op::LoadHistory: r[a] = anything(kUnknown, origin("an earlier result")); break;
    case Op::Define: define(constant_text(call, word_bc(w)), r[a]); break;
    case Op::Add:
    case Op::AddK: calculate(at, sum_extent(r[b], right_operand(call, state, w)), state, a); break;
    case Op::Sub:
    case Op::SubK: calculate(at, difference_extent(r[b], right_operand(call, state, w)), state, a); break;
    case Op::Mul:
    case Op::MulK: calculate(at, arithmetic_extent(r[b], right_operand(call, state, w), true), state, a); break;
    case Op::Inc: calculate(at, sum_extent(r[b], integer(1, 1)), state, a); break;
    case Op::Dec: calculate(at, difference_extent(r[b], integer(1, 1)), state, a); break;
    case Op::Neg: calculate(at, difference_extent(integer(0, 0), r[b]), state, a); break;
    case Op::Div:
    case Op::DivK: native_step(at, "/", {r[b], right_operand(call, state, w)}, state, a); break;
    case Op::Quot:
    case Op::QuotK: native_step(at, "quot", {r[b], right_operand(call, state, w)}, state, a); break;
    case Op::Rem:
    case Op::RemK: native_step(at, "rem", {r[b], right_operand(call, state, w)}, state, a); break;
    case Op::Mod:
    case Op::ModK: native_step(at, "mod", {r[b], right_operand(call, state, w)}, state, a); break;
    case Op::Lt:
    case Op::Le:
    case Op::Gt:
    case Op::Ge:
    case Op::Eq:
    case Op::Ne:
        state.cost += comparison_cost(r[b], r[c]);
        r[a] = extent_of_truth(relation(op, r[b], r[c]));
        break;
    case Op::Not: r[a] = extent_of_truth(opposite(truth_of(r[b]))); break;
    case Op::Test: r[a] = extent_of_truth(predicate(static_cast<Predicate>(c), r[b])); break;
    case Op::CallNative: {
        const std::vector<Extent> arguments(r.begin() + a, r.begin() + a + b);
        state.cost += builtin_at(ip[1]).cost;
        static_cast<void>(run_native(at, ip[1], arguments, state.cost, r[a]));
        break;
    }
    case Op::Tool: stop(at, "how much the tool `" + constant_text(call, word_bc(w)) + "` answers is not known"); break;
    case Op::Fuel: state.cost += word_bc(w); break;
    default: collection_step(call, at, ip, state); break;
    }
}

void FuelSearch::collection_step(Activation& call, std::uint32_t at, const Word* ip, FuelState& state) {
    const Word w = *ip;
    std::vector<Extent>& r = state.registers;
    const std::uint32_t a = word_a(w), b = word_b(w), c = word_c(w);
    switch (word_op(w)) {
    case Op::MakeClosure: {
        const FunctionProto& made = proto_of_constant(*call.proto, word_bc(w));
        r[a] = function_extent(&made, {r.begin() + a, r.begin() + a + made.capture_count});
        break;
    }
    case Op::MakeVector: make(at, "vector", a, b, state); break;
    case Op::MakeSet: make(at, "hash-set", a, b, state); break;
    case Op::MakeMap: make(at, "hash-map", a, b, state); break;
    case Op::MakeRecord: make_record(a, b, state, constant_keys(call, ip[1])); break;
    case Op::Get: native_step(at, "get", {r[b], r[c]}, state, a); break;
    case Op::GetOr: native_step(at, "get", {r[b], r[c], constant(call, ip[1])}, state, a); break;
    case Op::Field: native_step(at, "get", {r[b], constant(call, ip[1] & 0xFFFF)}, state, a); break;
    case Op::Nth: native_step(at, "nth", {r[b], r[c]}, state, a); break;
    case Op::Elem: {
        Extent whole = r[b]; // may be the result register
        native_step(at, "first", {whole}, state, a);
        if (whole.least > c && whole.must_be(kVector)) r[a] = item_at(whole, c);
        break;
    }
    case Op::Tail: native_step(at, "rest", {r[b]}, state, a); break;
    case Op::Count: native_step(at, "count", {r[b]}, state, a); break;
    case Op::First: native_step(at, "first", {r[b]}, state, a); break;
    case Op::Rest: native_step(at, "rest", {r[b]}, state, a); break;
    case Op::Conj: native_step(at, "conj", {r[b], r[c]}, state, a); break;
    case Op::Assoc: native_step(at, "assoc", {r[a], r[a + 1], r[a + 2]}, state, a); break;
    case Op::AssocField: native_step(at, "assoc", {r[a], constant(call, ip[1] & 0xFFFF), r[a + 1]}, state, a); break;
    case Op::TakeField: native_step(at, "get", {r[a], r[a + 1]}, state, a + 2); break;
    case Op::GroupAppend: native_step(at, "group-append%", {r[a], r[a + 1], r[a + 2]}, state, a); break;
    case Op::IterInit: {
        const Extent items = r[a];
        state.cost += sequence_cost(items);
        if (!(state.cost < kMaxFuelBound)) {
            return stop_at_size(at, caller_name(at, constant_text(call, word_bc(w))) + " goes through", items);
        }
        r[a] = as_sequence(items);
        r[a + 1] = integer(0, 0);
        break;
    }
    case Op::Nop:
    case Op::Drop: break;
    default: stop_at_instruction(at, ip); break;
    }
}

void FuelSearch::make(std::uint32_t at, const char* name, std::uint32_t window, std::uint32_t count, FuelState& state) {
    const std::vector<Extent> items(state.registers.begin() + window, state.registers.begin() + window + count);
    static_cast<void>(
        run_native(at, static_cast<std::uint32_t>(find_builtin(name)), items, state.cost, state.registers[window]));
}

void FuelSearch::make_record(std::uint32_t window, std::uint32_t count, FuelState& state, Extent key) {
    Extent value;
    double weight = 8;
    for (std::uint32_t i = 0; i < count; ++i) {
        const Extent& item = state.registers[window + i];
        value = i == 0 ? item : join(value, item);
        weight += 3 + key.weight + item.weight;
    }
    Extent record = map_of(std::move(key), std::move(value), count, count);
    record.weight = std::min(record.weight, weight + 16 + 8 * count);
    state.registers[window] = std::move(record);
}

void FuelSearch::calculate(std::uint32_t at, NativeExtent result, FuelState& state, std::uint32_t result_register) {
    state.cost += result.cost;
    if (!(state.cost < kMaxFuelBound)) return stop_at_size(at, "this calculates with numbers from", result.result);
    state.registers[result_register] = std::move(result.result);
}

Extent FuelSearch::constant(const Activation& call, std::uint32_t index) {
    const Bits bits = call.proto->constants[index];
    const auto known_constant = constants_.find(bits);
    if (known_constant != constants_.end()) return known_constant->second;
    const Value value = Value::adopt(bits); // frozen: never counted
    return constants_.emplace(bits, extent_of(value)).first->second;
}

std::string FuelSearch::constant_text(const Activation& call, std::uint32_t index) {
    const Value name = Value::adopt(call.proto->constants[index]);
    return std::string(text_of(name));
}

Extent FuelSearch::constant_keys(const Activation& call, std::uint32_t index) {
    const auto* shape = static_cast<const ShapeObject*>(bits::to_object(call.proto->constants[index]));
    Extent keys;
    for (std::uint32_t i = 0; i < shape->count; ++i)
        keys = i == 0 ? extent_of(shape->keys()[i]) : join(keys, extent_of(shape->keys()[i]));
    return keys;
}

Extent FuelSearch::right_operand(const Activation& call, const FuelState& state, Word w) {
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

void FuelSearch::define(const std::string& name, const Extent& value) {
    const auto [place, is_new] = globals_.try_emplace(name, value);
    if (!is_new) place->second = join(place->second, value);
    place->second.is_chained = false;
}

Extent FuelSearch::global(const std::string& name) {
    const auto defined = globals_.find(name);
    return defined != globals_.end() ? defined->second : anything(kUnknown, origin("`" + name + "`"));
}

Extent FuelSearch::data(const std::string& name) {
    const auto given = data_.find(normalized(name));
    return given != data_.end() ? given->second : anything(kUnknown, origin("`data/" + name + "`"));
}

std::uint16_t FuelSearch::origin(const std::string& what) {
    const auto index = static_cast<std::size_t>(std::find(origins_.begin(), origins_.end(), what) - origins_.begin());
    if (index > UINT16_MAX) return 0;
    if (index == origins_.size()) origins_.push_back(what);
    return static_cast<std::uint16_t>(index);
}

} // namespace ptc
