// What instructions do when the fast path in interpreter.cpp does not apply.
//
// Each step decodes its own instruction, which keeps the loop small. Ownership is the delicate part: an operand that
// the row calls Use is borrowed (Borrowed looks at its bits without counting) and released by `write` when the take
// mask says that it dies; one that is Take, or stands in a window, is moved out of its register by `take`, which leaves
// nil behind, so that a failure in between releases it once. Results are written last. Calls of values end here too:
// prepare_call chooses the arity, packs a rest parameter and makes room for the frame, or does the whole call when the
// callee is no function of a program.
#include "vm/slow_paths.h"
#include "frontend/try.h"
#include "runtime/access.h"
#include "runtime/exceptions.h"
#include "runtime/hash_table.h"
#include "runtime/number.h"
#include "runtime/overlay_vector.h"
#include "runtime/runtime_errors.h"
#include "runtime/seq.h"
#include "runtime/set.h"
#include "runtime/string.h"
#include "runtime/view_edits.h"
#include "vm/frames.h"
#include "vm/slow_operands.h"
#include "vm/vm_errors.h"
#include <algorithm>
#include <cstring>

namespace ptc {
namespace {

// The truth of a predicate, which is that of the builtin of its name; NeedsCollection says of an operand that it is not
// defined for.
enum class PredicateTruth : std::uint8_t { No, Yes, NeedsCollection };
PredicateTruth truth(bool b) { return b ? PredicateTruth::Yes : PredicateTruth::No; }
PredicateTruth opposite(PredicateTruth t) {
    return t == PredicateTruth::NeedsCollection ? t : truth(t == PredicateTruth::No);
}
PredicateTruth evaluate(Predicate predicate, const Value& v) {
    switch (predicate) {
    case Predicate::IsNil: return truth(v.is_nil());
    case Predicate::IsSome: return truth(!v.is_nil());
    case Predicate::IsTrue: return truth(v.is_true());
    case Predicate::IsFalse: return truth(v.raw() == bits::kFalse);
    case Predicate::IsString: return truth(v.is_string());
    case Predicate::IsKeyword: return truth(v.is_keyword());
    case Predicate::IsNumber: return truth(v.is_number());
    case Predicate::IsMap: return truth(v.is_map());
    case Predicate::IsVector: return truth(v.is_vector());
    case Predicate::IsSet: return truth(v.is_set());
    case Predicate::IsEmpty: {
        if (v.is_nil()) return PredicateTruth::Yes;
        if (v.is_string()) return truth(as_string(v).size == 0);
        if (v.is_vector()) return truth(vector_length(v) == 0);
        if (v.is_map()) return truth(map_count(v) == 0);
        if (v.is_set()) return truth(set_count(v) == 0);
        return PredicateTruth::NeedsCollection;
    }
    case Predicate::IsZero: return truth(is_zero_number(v));
    case Predicate::IsPositive: return truth(is_positive_number(v));
    case Predicate::IsNegative: return truth(is_negative_number(v));
    case Predicate::IsEven: return truth(is_even_number(v));
    case Predicate::IsOdd: return truth(is_odd_number(v));
    case Predicate::IsWhole: return truth(need_kind(v) == NeedKind::None);
    case Predicate::IsReduced: return truth(is_reduced(v));
    case Predicate::HasItems: return opposite(evaluate(Predicate::IsEmpty, v));
    }
    return PredicateTruth::No;
}

bool evaluate_or_fail(Vm& vm, Predicate predicate, const Value& v, bool* failed) {
    const PredicateTruth t = evaluate(predicate, v);
    if (t == PredicateTruth::Yes || t == PredicateTruth::No) [[likely]]
        return t == PredicateTruth::Yes;
    const char* name = kPredicateNames[static_cast<std::size_t>(predicate)].data();
    *failed = true;
    const int position = predicate == Predicate::HasItems ? 1 : 0; // as the builtin has it
    SlowPaths::fail(vm, wrong_type(name, "a collection", v, position));
    return false;
}

// Moves `n` values out of registers.
Result<Value> make_vector_from(Heap& heap, Value* items, std::size_t n) {
    if (n == 0) return empty_vector();
    return ptc::make_vector(heap, std::span<Value>(items, n));
}

Value key_constant(const Bits* k, Word w) { return Value::adopt(k[w & 0xFFFF]); }

} // namespace

bool SlowPaths::fail(Vm& vm, ErrorPtr error) {
    vm.set_error(std::move(error));
    return false;
}

void SlowPaths::drop_taken(Vm&, Bits* r, const Word* ip) {
    const std::uint8_t mask = take_mask(r, ip);
    if (mask & kTakeB) bits::release(r[word_b(*ip)]);
    if (mask & kTakeC) bits::release(r[word_c(*ip)]);
}

bool SlowPaths::test(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    const Word w = *ip;
    Borrowed b(r[word_b(w)]);
    if (word_op(w) == Op::Not) return write(r, ip, Value::boolean(!b->is_truthy()));
    bool failed = false;
    const bool holds = evaluate_or_fail(vm, static_cast<Predicate>(word_c(w)), b, &failed);
    if (failed) return false;
    return write(r, ip, Value::boolean(holds));
}

bool SlowPaths::test_holds(Vm& vm, const Bits* r, const Word* ip, bool* failed) {
    Borrowed b(r[word_b(*ip)]);
    return evaluate_or_fail(vm, static_cast<Predicate>(word_c(*ip)), b, failed);
}

// A name that will be looked up: hashing it costs, as names can be as long as a program.
static std::string_view name_of(Vm& vm, Bits var) {
    const std::string_view name = text_of(Borrowed(var));
    vm.heap.meter.charge_unchecked(static_cast<std::int64_t>(name.size() / 8));
    return name;
}

// Whether an instruction may keep what its name means. Which ones have lost that again depends on what else ran and on
// snapshots, so looking it up is free; of a name that is too long for that it is paid each time.
static bool may_be_kept(Bits name) { return text_of(Borrowed(name)).size() <= kFreeBytes; }

template <> bool SlowPaths::step<Op::LoadGlobal>(Vm& vm, Bits* r, const Bits* k, const Word* ip) {
    const Bits key = k[word_bc(*ip)];
    const std::string_view name = may_be_kept(key) ? text_of(Borrowed(key)) : name_of(vm, key);
    Result<std::uint32_t> found = vm.find_bound(name);
    if (!found.ok()) return fail(vm, found.take_error());
    const std::uint32_t slot = found.value();
    if (slot == Namespace::kNone) return fail(vm, not_bound_yet(name));
    if (may_be_kept(key)) vm.caches_->at(ip[1]) = {&vm.names, key, slot};
    r[word_a(*ip)] = vm.names.slot(slot).value.copy().give_up();
    return true;
}

bool SlowPaths::bound(Vm& vm, const Bits* k, const Word* ip) { return vm.is_bound(name_of(vm, k[word_bc(*ip)])); }

bool SlowPaths::load_callee(Vm& vm, const Bits* k, const Word* ip, Bits* out) {
    Result<std::uint32_t> slot = vm.find_bound(name_of(vm, k[ip[1] >> 16]));
    if (!slot.ok()) return fail(vm, slot.take_error());
    *out = slot.value() == Namespace::kNone ? bits::kHole : vm.names.slot(slot.value()).value.copy().give_up();
    return true;
}

template <> bool SlowPaths::step<Op::LoadData>(Vm& vm, Bits* r, const Bits* k, const Word* ip) {
    static constinit const Bits nil_value = bits::kNil;
    const Bits key = k[word_bc(*ip)];
    const Value* found = nullptr;
    for (const Value& map : vm.data) {
        found = map_find_flexible(vm.heap, map, Borrowed(key));
        if (found) break;
    }
    if (!found) found = reinterpret_cast<const Value*>(&nil_value);
    if (may_be_kept(key)) vm.caches_->at(ip[1]) = {&vm.data, key, reinterpret_cast<std::uint64_t>(found)};
    r[word_a(*ip)] = found->copy().give_up();
    return true;
}

template <> bool SlowPaths::step<Op::LoadAllData>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    Value all = vm.data.empty() ? empty_map() : vm.data.back().copy();
    for (std::size_t i = vm.data.size(); i-- > 1;) {
        Result<Value> merged = map_merge(vm.heap, std::move(all), vm.data[i - 1]);
        if (!merged.ok()) return fail(vm, merged.take_error());
        all = std::move(merged).value();
    }
    r[word_a(*ip)] = all.give_up();
    return true;
}

template <> bool SlowPaths::step<Op::LoadHistory>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    Result<Value> result = vm.past_result(word_b(*ip));
    if (!result.ok()) return fail(vm, result.take_error());
    r[word_a(*ip)] = std::move(result).value().give_up();
    return true;
}

template <> bool SlowPaths::step<Op::Define>(Vm& vm, Bits* r, const Bits* k, const Word* ip) {
    const std::string_view name = name_of(vm, k[word_bc(*ip)]);
    Result<std::uint32_t> made = vm.make_slot(name);
    if (!made.ok()) return fail(vm, made.take_error());
    const std::uint32_t slot = made.value();
    const Value* old = &vm.names.slot(slot).value;
    if (old->is_hole() && vm.outer_ && vm.outer_->names.is_bound(name)) {
        old = &vm.outer_->names.slot(vm.outer_->names.find(name)).value;
    }
    // Code compiled earlier may call the old function directly (CallFunction); from now on it looks names up.
    if (old->is_static_function()) vm.rebound_ = true;
    vm.names.define(slot, take(r[word_a(*ip)]));
    return true;
}

// ---- Atoms
//
// An atom is a var with a name that no program can write, so what it holds is a name of the session: a failed run is
// undone, a snapshot has it, and the heap stays without circles although an atom may hold what holds the atom. It ends
// with its run (Namespace::drop_atoms). No two atoms of a session have one name: what outlives its atom finds nothing.

static constexpr std::uint32_t kMaxAtoms = 100'000; ///< of a run: each takes a name's place
static constexpr std::int64_t kAtomCost = 40;

template <> bool SlowPaths::step<Op::NewAtom>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    if (vm.atoms_ >= kMaxAtoms) return fail(vm, too_many_atoms(kMaxAtoms));
    if (!vm.heap.meter.charge(kAtomCost)) return fail(vm, vm.heap.meter.error());
    ++vm.atoms_;
    const std::string_view space = vm.outer_ ? "." : ""; // what a branch gives back is none of the run's
    std::string name;
    do
        name = std::string(kAtomPrefix).append(space).append(std::to_string(++vm.newest_atom_));
    while (vm.names.find(name) != Namespace::kNone || (vm.outer_ && vm.outer_->names.find(name) != Namespace::kNone));
    Result<Value> atom = make_var(vm.heap, name);
    if (!atom.ok()) return fail(vm, atom.take_error());
    Bits& held = r[word_a(*ip)];
    vm.names.define(vm.names.intern(name), take(held));
    held = std::move(atom).value().give_up();
    return true;
}

static bool is_atom(const Value& v) {
    if (!v.is(ObjectType::Var)) return false;
    const std::string_view name = text_of(v);
    return name.size() > kAtomPrefix.size() && equal_bytes(name.data(), kAtomPrefix.data(), kAtomPrefix.size());
}

std::size_t SlowPaths::hint_of_var(const Vm& vm, const Object* var) {
    return reinterpret_cast<std::uintptr_t>(var) / 16 % vm.var_slots_.size();
}

// The slot of the name, of a var that is often the same one: its name is hashed when another took the hint's place.
std::uint32_t SlowPaths::slot_of_var(Vm& vm, const Value& var) {
    std::uint32_t& hint = vm.var_slots_[hint_of_var(vm, var.object())];
    const std::string_view name = text_of(var);
    if (hint < vm.names.size()) {
        const std::string& hinted = vm.names.slot(hint).name;
        if (hinted.size() == name.size() && equal_bytes(hinted.data(), name.data(), name.size())) return hint;
    }
    const std::uint32_t found = vm.names.find(name);
    if (found != Namespace::kNone) hint = found;
    return found;
}

Bits SlowPaths::held_at_once(const Vm& vm, Bits from) {
    if (!bits::is_object(from) || bits::to_object(from)->type != ObjectType::Var) return bits::kHole;
    const auto& var = *static_cast<const StringObject*>(bits::to_object(from));
    const std::uint32_t hint = vm.var_slots_[hint_of_var(vm, &var)];
    if (hint >= vm.names.size()) return bits::kHole;
    const Namespace::Slot& hinted = vm.names.slot(hint);
    const bool is_same = hinted.name.size() == var.size && equal_bytes(hinted.name.data(), var.bytes, var.size);
    return is_same ? hinted.value.raw() : bits::kHole;
}

template <> bool SlowPaths::step<Op::Deref>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    const Borrowed from(r[word_b(*ip)]);
    if (!from->is(ObjectType::Var)) return fail(vm, wrong_type("deref", "an atom", from));
    std::uint32_t slot = slot_of_var(vm, from);
    if (slot == Namespace::kNone || vm.names.slot(slot).value.is_hole()) {
        Result<std::uint32_t> outer = vm.find_bound(text_of(from));
        if (!outer.ok()) return fail(vm, outer.take_error());
        slot = outer.value();
    }
    if (slot == Namespace::kNone) return fail(vm, is_atom(from) ? atom_without_value() : not_bound_yet(text_of(from)));
    const Bits held = vm.names.slot(slot).value.copy().give_up();
    drop_taken(vm, r, ip);
    r[word_a(*ip)] = held;
    return true;
}

// In a run that has a try the value stays where it is as well: the function that is to change it may fail, and then the
// atom holds what it held.
template <> bool SlowPaths::step<Op::TakeAtom>(Vm& vm, Bits* r, const Bits* k, const Word* ip) {
    const Borrowed from(r[word_b(*ip)]);
    if (!is_atom(from)) return fail(vm, wrong_type("swap!", "an atom", from, 1));
    const std::uint32_t slot = slot_of_var(vm, from);
    const bool is_own = slot != Namespace::kNone && !vm.names.slot(slot).value.is_hole();
    if (!is_own || vm.has_try_) return step<Op::Deref>(vm, r, k, ip);
    Value held = vm.names.take_out(slot);
    drop_taken(vm, r, ip);
    r[word_a(*ip)] = held.give_up();
    return true;
}

template <> bool SlowPaths::step<Op::ResetAtom>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    Bits* window = r + word_a(*ip);
    const Borrowed atom(window[0]);
    if (!is_atom(atom)) return fail(vm, wrong_type("reset!", "an atom", atom, 1));
    if (vm.outer_ && vm.outer_->is_bound(text_of(atom))) return fail(vm, atom_of_another_branch());
    const std::uint32_t slot = slot_of_var(vm, atom);
    if (slot == Namespace::kNone) return fail(vm, atom_without_value());
    vm.names.define(slot, Borrowed(window[1])->copy());
    bits::release(window[0]);
    window[0] = std::exchange(window[1], bits::kNil);
    return true;
}

template <> bool SlowPaths::step<Op::Tool>(Vm& vm, Bits* r, const Bits* k, const Word* ip) {
    if (!vm.heap.meter.charge(0)) return fail(vm, vm.heap.meter.error());
    if (vm.tool_calls_ >= vm.limits_.max_tool_calls) return fail(vm, too_many_tool_calls(vm.limits_.max_tool_calls));
    Borrowed arguments(r[word_a(*ip)]);
    if (!arguments->is_map()) return fail(vm, tool_arguments_not_a_map(text_of(Borrowed(k[word_bc(*ip)])), arguments));
    ++vm.tool_calls_;
    vm.tool_name_ = text_of(Borrowed(k[word_bc(*ip)]));
    vm.tool_arguments_ = take(r[word_a(*ip)]);
    return true;
}

namespace {

// Every column of a Fork as a vector; `*count` becomes the length of the shortest.
Result<Value> read_columns(Heap& heap, const Value& columns, ForkKind kind, std::size_t* count) {
    if (!columns.is_vector() || vector_length(columns) == 0)
        return wrong_type(fork_name(kind), "a collection", columns);
    VectorBuilder vectors(heap);
    *count = SIZE_MAX;
    for (std::size_t i = 0; i < vector_length(columns); ++i) {
        Value column = PTC_TRY(to_vector(heap, vector_get(columns, i), fork_name(kind)));
        *count = std::min(*count, vector_length(column));
        if (!vectors.push(std::move(column))) break;
    }
    return vectors.finish();
}

} // namespace

template <> bool SlowPaths::step<Op::Fork>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    if (!vm.heap.meter.charge(0)) return fail(vm, vm.heap.meter.error());
    Bits* window = r + word_a(*ip);
    ForkRequest request;
    request.kind = static_cast<ForkKind>(word_b(*ip));
    Result<Value> columns = read_columns(vm.heap, Borrowed(window[1]), request.kind, &request.count);
    if (!columns.ok()) return fail(vm, columns.take_error());
    if (!vm.heap.meter.charge(static_cast<std::int64_t>(request.count))) return fail(vm, vm.heap.meter.error());
    request.columns = std::move(columns).value();
    bits::release(std::exchange(window[1], bits::kNil));
    request.callee = take(window[0]);
    vm.forking_ = std::move(request);
    return true;
}

namespace {
// (get coll key); nil when there is nothing.
Result<Value> get_value(Heap& heap, const Value& coll, const Value& key) {
    Value found;
    if (!PTC_TRY(lookup(heap, coll, key, &found))) return Value();
    return found;
}

// What `get` finds in a map, borrowed. A vector that is no key is a path (lookup), which is not followed here.
const Value* find_in_map(Heap& heap, const Value& map, const Value& key) {
    return key.is_vector() ? map_find(heap, map, key) : map_find_flexible(heap, map, key);
}

// What a path leads to; nil when there is nothing.
Result<Value> get_at_path(Heap& heap, const Value& coll, const Value& path) {
    Value found;
    if (!PTC_TRY(lookup_in(heap, coll, path, &found))) return Value();
    return found;
}

// Puts the value of a Result into register A, or reports its error.
bool deliver(Vm& vm, Bits* r, const Word* ip, Result<Value> result) {
    if (!result.ok()) return SlowPaths::fail(vm, result.take_error());
    return write(r, ip, std::move(result).value());
}
// The same for instructions whose operands are consumed already.
bool deliver_taken(Vm& vm, Bits& reg, Result<Value> result) {
    if (!result.ok()) return SlowPaths::fail(vm, result.take_error());
    reg = std::move(result).value().give_up();
    return true;
}
} // namespace

/// Another function over what `closure` captured. Null when the heap is full.
static ClosureObject* closure_like(Heap& heap, const ClosureObject& closure, const FunctionProto* function) {
    auto* made =
        heap.allocate<ClosureObject>(ObjectType::Closure, sizeof(ClosureObject) + closure.count * sizeof(Value));
    if (!made) return nullptr;
    heap.meter.charge_unchecked(closure.count);
    made->count = closure.count;
    made->function = function;
    for (std::uint32_t i = 0; i < closure.count; ++i)
        new (&made->captures()[i]) Value(closure.captures()[i].copy());
    return made;
}

/// A frame must name the code that it runs: another arity is a function value of its own, over the same captures.
static bool become_arity(Vm& vm, Bits& slot, const FunctionProto* f) {
    Borrowed callee(slot);
    if (callee->is_static_function()) {
        slot = Value::function(f).give_up();
        return true;
    }
    auto* closure = static_cast<ClosureObject*>(callee->object());
    if (closure->function == f) return true;
    if (callee->is_sole_owner()) {
        closure->function = f;
        return true;
    }
    ClosureObject* made = closure_like(vm.heap, *closure, f);
    if (!made) return SlowPaths::fail(vm, vm.heap.out_of_memory());
    bits::release(std::exchange(slot, vm.heap.value_of(made).give_up()));
    return true;
}

template <> bool SlowPaths::step<Op::MakeClosure>(Vm& vm, Bits* r, const Bits* k, const Word* ip) {
    const Word w = *ip;
    const FunctionProto* proto = proto_of(k[word_bc(w)]);
    const std::uint32_t n = proto->capture_count;
    auto* closure = vm.heap.allocate<ClosureObject>(ObjectType::Closure, sizeof(ClosureObject) + n * sizeof(Value));
    if (!closure) return fail(vm, vm.heap.out_of_memory());
    closure->count = n;
    closure->function = proto;
    Bits* window = r + word_a(w);
    auto* captured = reinterpret_cast<Bits*>(closure->captures());
    for (std::uint32_t i = 0; i < n; ++i)
        captured[i] = std::exchange(window[i], bits::kNil);
    window[0] = vm.heap.value_of(closure).give_up();
    return true;
}

template <> bool SlowPaths::step<Op::LoadSibling>(Vm& vm, Bits* r, const Bits* k, const Word* ip) {
    const auto* running = static_cast<const ClosureObject*>(bits::to_object(r[kFunctionSlot]));
    ClosureObject* made = closure_like(vm.heap, *running, proto_of(k[word_bc(*ip)]));
    if (!made) return fail(vm, vm.heap.out_of_memory());
    r[word_a(*ip)] = vm.heap.value_of(made).give_up();
    return true;
}

template <> bool SlowPaths::step<Op::MakeVector>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    Bits* const window = r + word_a(*ip);
    const std::uint32_t n = word_b(*ip);
    if (n == 0) return deliver_taken(vm, window[0], empty_vector());
    VectorObject* const vector = vector_of_words(vm.heap, window, n);
    if (!vector) return fail(vm, vm.heap.out_of_memory());
    window[0] = vm.heap.value_of(vector).give_up();
    return true;
}

// Members and keys that only turn out equal when run are one; of the values the last stays (DIV-06).
template <> bool SlowPaths::step<Op::MakeSet>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    Bits* window = r + word_a(*ip);
    Value set = empty_set();
    for (std::uint32_t i = 0; i < word_b(*ip); ++i) {
        Result<Value> next = set_conj(vm.heap, std::move(set), take(window[i]));
        if (!next.ok()) return fail(vm, next.take_error());
        set = std::move(next).value();
    }
    window[0] = set.give_up();
    return true;
}

template <> bool SlowPaths::step<Op::MakeMap>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    Bits* window = r + word_a(*ip);
    Value map = empty_map();
    for (std::uint32_t i = 0; i + 1 < word_b(*ip); i += 2) {
        Result<Value> next = map_assoc_exact(vm.heap, std::move(map), take(window[i]), take(window[i + 1]));
        if (!next.ok()) return fail(vm, next.take_error());
        map = std::move(next).value();
    }
    window[0] = map.give_up();
    return true;
}

template <> bool SlowPaths::step<Op::MakeRecord>(Vm& vm, Bits* r, const Bits* k, const Word* ip) {
    Bits* const window = r + word_a(*ip);
    RecordObject* const record = record_of_words(vm.heap, k[ip[1]], window, word_b(*ip));
    if (!record) return fail(vm, vm.heap.out_of_memory());
    window[0] = vm.heap.value_of(record).give_up();
    return true;
}

namespace {
/// Item `i` of a vector with changes; a hole: it has none.
Bits changed_item(const OverlayVectorObject& vector, std::int64_t i) {
    if (static_cast<std::uint64_t>(i) >= vector.length) return bits::kHole;
    Value number; // of a range: no object
    return overlay_element(vector, static_cast<std::size_t>(i), number).raw();
}

// The commonest lookup that is no field: an integer in a flat table or in a vector with changes. Hole: not this case.
Bits find_integer(Heap& heap, Bits coll, Bits key, Bits absent) {
    if (!bits::is_integer(key) || !bits::is_object(coll)) return bits::kHole;
    const Object* const object = bits::to_object(coll);
    if (object->type == ObjectType::OverlayVector)
        return changed_item(*static_cast<const OverlayVectorObject*>(object), bits::to_integer(key));
    if (!is_flat_table(object->type)) return bits::kHole;
    const auto& table = *static_cast<const HashTableObject*>(bits::to_object(coll));
    const std::uint32_t width = table.width();
    const std::uint32_t e =
        table_find_if(heap, table, width, hash_integer(key), [key](const Value& k) { return k.raw() == key; });
    return e == HashTableObject::kNone ? absent : table.entries[(e + 1) * width - 1].raw(); // a set's member
}
} // namespace

template <> bool SlowPaths::step<Op::Contains>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    const Bits coll = r[word_b(*ip)], key = r[word_c(*ip)];
    if (bits::is_integer(key) && bits::is_object(coll) && is_flat_table(bits::to_object(coll)->type)) {
        const Bits found = find_integer(vm.heap, coll, key, bits::kHole); // a value is none
        return write(r, ip, Value::boolean(found != bits::kHole));
    }
    static const Builtin& row = builtin_at(static_cast<std::uint32_t>(find_builtin("contains?")));
    Call call{vm.heap, vm.shapes, *vm.host_, row};
    Value arguments[] = {Borrowed(coll)->copy(), Borrowed(key)->copy()};
    return deliver(vm, r, ip, call.self.call(call, Args(arguments, 2)));
}

/// The field of a record that a keyword names, `absent` where there is none, by the caches that instructions with a
/// constant key have. Hole: no record, or no keyword whose address stays that of this one while a cache remembers it.
Bits SlowPaths::find_by_keyword(Vm& vm, const Value& coll, const Value& key, Bits absent) {
    if (!coll.is(ObjectType::Record) || !key.is_keyword() || !key.is_frozen()) return bits::kHole;
    const RecordObject& record = as_record(coll);
    const Word site = text_hash(as_string(key)) << 16;
    const InlineCache* cache = vm.find_field(site, record.shape, key.raw());
    const std::uint64_t slot = cache ? cache->slot : field_slot(vm, site, *record.shape, key);
    return slot == Vm::kAbsent ? absent : record.values()[slot].raw();
}

template <> bool SlowPaths::step<Op::Get>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    const Bits quick = find_integer(vm.heap, r[word_b(*ip)], r[word_c(*ip)], bits::kNil);
    if (quick != bits::kHole) return write(r, ip, Borrowed(quick)->copy());
    Borrowed coll(r[word_b(*ip)]), key(r[word_c(*ip)]);
    const Bits field = find_by_keyword(vm, coll, key, bits::kNil);
    if (field != bits::kHole) return write(r, ip, Borrowed(field)->copy());
    if (!coll->is_map()) return deliver(vm, r, ip, get_value(vm.heap, coll, key));
    if (const Value* found = find_in_map(vm.heap, coll, key)) return write(r, ip, found->copy());
    return key->is_vector() ? deliver(vm, r, ip, get_at_path(vm.heap, coll, key)) : write(r, ip, Value());
}

template <> bool SlowPaths::step<Op::GetOr>(Vm& vm, Bits* r, const Bits* k, const Word* ip) {
    const Bits absent = k[ip[1]];
    const Bits quick = find_integer(vm.heap, r[word_b(*ip)], r[word_c(*ip)], absent);
    if (quick != bits::kHole) return write(r, ip, Borrowed(quick)->copy());
    Borrowed coll(r[word_b(*ip)]), key(r[word_c(*ip)]);
    const Bits field = find_by_keyword(vm, coll, key, absent);
    if (field != bits::kHole) return write(r, ip, Borrowed(field)->copy());
    if (coll->is_map() && !key->is_vector()) {
        const Value* there = map_find_flexible(vm.heap, coll, key);
        return write(r, ip, there ? there->copy() : Borrowed(absent)->copy());
    }
    Value found;
    Result<bool> is_there = lookup(vm.heap, coll, key, &found);
    if (!is_there.ok()) return fail(vm, is_there.take_error());
    return write(r, ip, is_there.value() ? std::move(found) : Borrowed(absent)->copy());
}

/// The slot of the field that a read means, or a write with a keyword; Vm::kAbsent. Kept for the place in the program.
std::uint64_t SlowPaths::field_slot(Vm& vm, Word site, const ShapeObject& shape, const Value& key) {
    const std::uint32_t slot = shape_find_flexible(shape, key);
    InlineCache& cache = vm.caches_->of_field(site, &shape);
    cache = {&shape, key.raw(), slot == kNoSlot ? Vm::kAbsent : slot};
    vm.caches_->of_site(site) = cache;
    return cache.slot;
}

template <> bool SlowPaths::step<Op::Field>(Vm& vm, Bits* r, const Bits* k, const Word* ip) {
    const Word w = ip[1];
    Borrowed coll(r[word_b(*ip)]), key(k[w & 0xFFFF]);
    const bool is_text = key->is_keyword() || key->is_string();
    if (!coll->is(ObjectType::Record) || !is_text) return deliver(vm, r, ip, get_value(vm.heap, coll, key));
    const auto* record = static_cast<const RecordObject*>(coll->object());
    const std::uint64_t slot = field_slot(vm, w, *record->shape, key);
    return write(r, ip, slot == Vm::kAbsent ? Value() : record->values()[slot].copy());
}

// Where B is taken and not read, as in the forms for a last use, no mask says that it dies.
static bool deliver_last(Vm& vm, Bits* r, const Word* ip, bool is_last, Result<Value> result) {
    if (!result.ok()) return SlowPaths::fail(vm, result.take_error());
    if (is_last) bits::release(std::exchange(r[word_b(*ip)], bits::kNil));
    return write(r, ip, std::move(result).value());
}

static Result<Value> nth(Heap& heap, const Value& coll, const Value& index) {
    if (!index.is_number()) return wrong_type("nth", "a number", index, 2);
    Value found;
    (void)PTC_TRY(element_at(heap, coll, index_of_number(index), &found, "nth"));
    return found;
}

template <> bool SlowPaths::step<Op::Nth>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    const Borrowed coll(r[word_b(*ip)]), index(r[word_c(*ip)]);
    const bool is_last = word_op(*ip) == Op::NthLast;
    return deliver_last(vm, r, ip, is_last, nth(vm.heap, coll, index));
}

template <> bool SlowPaths::step<Op::NthLast>(Vm& vm, Bits* r, const Bits* k, const Word* ip) {
    return step<Op::Nth>(vm, r, k, ip);
}

static Result<Value> element(Heap& heap, const Value& coll, std::uint32_t index) {
    if (!coll.is_nil() && !coll.is_vector() && !coll.is_string()) return cannot_destructure(coll);
    Value found;
    (void)PTC_TRY(element_at(heap, coll, index, &found, "nth"));
    return found;
}

template <> bool SlowPaths::step<Op::Elem>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    const Borrowed coll(r[word_b(*ip)]);
    const bool is_last = word_op(*ip) == Op::ElemLast;
    return deliver_last(vm, r, ip, is_last, ptc::element(vm.heap, coll, word_c(*ip)));
}

template <> bool SlowPaths::step<Op::ElemLast>(Vm& vm, Bits* r, const Bits* k, const Word* ip) {
    return step<Op::Elem>(vm, r, k, ip);
}

template <> bool SlowPaths::step<Op::Tail>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    const Word w = *ip;
    Borrowed coll(r[word_b(w)]);
    if (!coll->is_nil() && !coll->is_vector() && !coll->is_string()) return fail(vm, cannot_destructure(coll));
    Result<Value> rest = rest_of(vm.heap, take(r[word_b(w)]), word_c(w), "&");
    if (!rest.ok()) return fail(vm, rest.take_error());
    const bool is_empty = vector_length(rest.value()) == 0;
    r[word_a(w)] = is_empty ? bits::kNil : std::move(rest).value().give_up();
    return true;
}

bool SlowPaths::extreme(Vm& vm, Bits* r, const Word* ip, std::uint32_t builtin) {
    return deliver(vm, r, ip, builtin_value(vm, builtin, Borrowed(r[word_b(*ip)]), Borrowed(r[word_c(*ip)])));
}

template <> bool SlowPaths::step<Op::Min>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    static const auto builtin = static_cast<std::uint32_t>(find_builtin("min"));
    return extreme(vm, r, ip, builtin);
}

template <> bool SlowPaths::step<Op::Max>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    static const auto builtin = static_cast<std::uint32_t>(find_builtin("max"));
    return extreme(vm, r, ip, builtin);
}

template <> bool SlowPaths::step<Op::Count>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    Borrowed coll(r[word_b(*ip)]);
    Result<std::size_t> n = count_of(vm.heap, coll, "count");
    if (!n.ok()) return fail(vm, n.take_error());
    return write(r, ip, Value::small_integer(static_cast<std::int64_t>(n.value())));
}

template <> bool SlowPaths::step<Op::First>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    Borrowed coll(r[word_b(*ip)]);
    return deliver(vm, r, ip, first_of(vm.heap, coll, "first"));
}

template <> bool SlowPaths::step<Op::Rest>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    const Word w = *ip;
    return deliver_taken(vm, r[word_a(w)], rest_of(vm.heap, take(r[word_b(w)]), 1, "rest"));
}

template <> bool SlowPaths::step<Op::Conj>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    const Word w = *ip;
    Value coll = take(r[word_b(w)]);
    Value item = take(r[word_c(w)]);
    if (coll.is_vector()) [[likely]]
        return deliver_taken(vm, r[word_a(w)], vector_conj(vm.heap, std::move(coll), std::move(item)));
    return deliver_taken(vm, r[word_a(w)], conj_to(vm.heap, std::move(coll), std::move(item), "conj"));
}

template <> bool SlowPaths::step<Op::Assoc>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    Bits& target = r[word_a(*ip)];
    const bool key_dies = (take_mask(r, ip) & kTakeB) != 0;
    // The sole owner of a flat table: the accumulator of a loop.
    if (bits::is_counted(target) && bits::to_object(target)->type == ObjectType::HashMap &&
        bits::to_object(target)->refs == 1) [[likely]] {
        auto& table = *static_cast<HashTableObject*>(bits::to_object(target));
        Bits& key_bits = r[word_b(*ip)];
        const auto& key = reinterpret_cast<const Value&>(key_bits);
        const std::uint32_t hash = key_hash(vm.heap, key);
        const std::uint32_t e = table_find(vm.heap, table, 2, hash, key);
        Value* value = e != HashTableObject::kNone ? &table.entries[e * 2 + 1] : nullptr;
        if (!value) { // the table is the loop's own
            if (const Value* other = keyed_find_other_spelling(vm.heap, Borrowed(target), key))
                value = const_cast<Value*>(&other[1]);
        }
        if (value) {
            *value = take(r[word_c(*ip)]);
            if (key_dies) bits::release(std::exchange(key_bits, bits::kNil));
            return true;
        }
        if (table.flags & HashTableObject::kArranged) return fail(vm, no_place_for_key(Borrowed(target)));
        Value* entry = append_entry(vm.heap, table, 2, hash);
        if (!entry) return fail(vm, vm.heap.out_of_memory());
        std::construct_at(entry, key_dies ? take(key_bits) : key.copy());
        std::construct_at(entry + 1, take(r[word_c(*ip)]));
        view_add(vm.heap, table, entry);
        return true;
    }
    Value key = key_dies ? take(r[word_b(*ip)]) : Borrowed(r[word_b(*ip)])->copy();
    Value coll = take(target);
    return deliver_taken(vm, target, assoc_to(vm.heap, std::move(coll), std::move(key), take(r[word_c(*ip)]), "assoc"));
}

template <> bool SlowPaths::step<Op::AssocField>(Vm& vm, Bits* r, const Bits* k, const Word* ip) {
    Bits& target = r[word_a(*ip)];
    Bits& item = r[word_b(*ip)];
    Value coll = take(target);
    Value key = key_constant(k, ip[1]);
    if (coll.is(ObjectType::Record) && key.is_keyword()) {
        const ShapeObject* shape = static_cast<const RecordObject*>(coll.object())->shape;
        const InlineCache* cache = vm.find_field(ip[1], shape, key.raw());
        const std::uint64_t slot = cache ? cache->slot : field_slot(vm, ip[1], *shape, key);
        if (slot != Vm::kAbsent) {
            const auto field = static_cast<std::uint32_t>(slot);
            return deliver_taken(vm, target, record_replace(vm.heap, std::move(coll), field, take(item)));
        }
    }
    return deliver_taken(vm, target, assoc_to(vm.heap, std::move(coll), std::move(key), take(item), "assoc"));
}

/// What an update takes out of `coll`, as TakeField does.
bool SlowPaths::take_out(Vm& vm, Value& coll, const Value& key, Bits* out) {
    if (coll.is_map()) {
        bool found = false;
        *out = map_take(vm.heap, coll, key, &found).give_up();
        return true;
    }
    if (coll.is_vector() && key.is_small_integer() && key.small_integer() >= 0 &&
        static_cast<std::size_t>(key.small_integer()) < vector_length(coll)) {
        *out = vector_take(coll, static_cast<std::size_t>(key.small_integer())).give_up();
        return true;
    }
    if (coll.is_nil() || coll.is_vector()) {
        *out = bits::kNil;
        return true;
    }
    return fail(vm, wrong_type("update", "a map or a vector", coll, 1));
}

template <> bool SlowPaths::step<Op::TakeField>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    Bits out = bits::kNil;
    const Borrowed key(r[word_b(*ip)]);
    if (!take_out(vm, reinterpret_cast<Value&>(r[word_a(*ip)]), key, &out)) return false;
    if (take_mask(r, ip) & kTakeB) bits::release(key->raw());
    r[word_c(*ip)] = out;
    return true;
}

template <> bool SlowPaths::step<Op::TakeKey>(Vm& vm, Bits* r, const Bits* k, const Word* ip) {
    auto& coll = reinterpret_cast<Value&>(r[word_a(*ip)]);
    Borrowed key(k[ip[1] & 0xFFFF]);
    if (coll.is(ObjectType::Record) && key->is_keyword()) // finds it for the next time
        static_cast<void>(field_slot(vm, ip[1], *static_cast<const RecordObject*>(coll.object())->shape, key));
    return take_out(vm, coll, key, &r[word_c(*ip)]);
}

template <> bool SlowPaths::step<Op::ForgetKey>(Vm& vm, Bits* r, const Bits* k, const Word* ip) {
    RecordObject& record = as_record(Borrowed(r[word_a(*ip)]));
    const std::uint32_t slot = shape_find(*record.shape, Borrowed(k[ip[1]]));
    cache_of_forget(vm, ip[1], record.shape) = {record.shape, mark_of_forget(k[ip[1]]),
                                                slot == kNoSlot ? Vm::kAbsent : slot};
    if (slot != kNoSlot) record.values()[slot] = Value();
    return true;
}

template <> bool SlowPaths::step<Op::ForgetItem>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    auto& coll = reinterpret_cast<Value&>(r[word_a(*ip)]);
    const Borrowed at(r[word_b(*ip)]);
    bool found = false;
    if (coll.is_map())
        (void)map_take(vm.heap, coll, at, &found);
    else if (coll.is_vector() && at->is_small_integer() && at->small_integer() >= 0 &&
             static_cast<std::size_t>(at->small_integer()) < vector_length(coll))
        (void)vector_take(coll, static_cast<std::size_t>(at->small_integer()));
    return true;
}

template <> bool SlowPaths::step<Op::GroupAppend>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    Bits* window = r + word_a(*ip);
    Value map = take(window[0]);
    Value key = take(window[1]);
    return deliver_taken(vm, window[0], map_append_at(vm.heap, std::move(map), std::move(key), take(window[2])));
}

template <> bool SlowPaths::step<Op::IterInit>(Vm& vm, Bits* r, const Bits* k, const Word* ip) {
    Bits* window = r + word_a(*ip);
    window[1] = bits::kIntegerBase;
    if (Borrowed(window[0])->is_vector()) [[likely]]
        return true;
    Borrowed who(k[word_bc(*ip)]);
    const std::string name(text_of(who));
    Result<Value> items = to_vector(vm.heap, take(window[0]), name.c_str());
    if (!items.ok()) return fail(vm, items.take_error());
    window[0] = std::move(items).value().give_up();
    return true;
}

template <> bool SlowPaths::step<Op::IterPairs>(Vm& vm, Bits* r, const Bits* k, const Word* ip) {
    Bits* window = r + word_a(*ip);
    const Borrowed coll(window[0]);
    if (!coll->is_map()) {
        if (!step<Op::IterInit>(vm, r, k, ip)) return false;
        window[2] = bits::kNil;
        return true;
    }
    window[1] = bits::kIntegerBase;
    if (coll->is(ObjectType::Record)) {
        window[2] = std::exchange(window[0], empty_vector().give_up());
        return true;
    }
    Result<Value> keys = map_keys(vm.heap, coll);
    if (!keys.ok()) return fail(vm, keys.take_error());
    Result<Value> values = map_values(vm.heap, coll);
    if (!values.ok()) return fail(vm, values.take_error());
    bits::release(window[0]);
    window[0] = std::move(keys).value().give_up();
    window[2] = std::move(values).value().give_up();
    return true;
}

SlowPaths::Pair SlowPaths::next_pair(Vm& vm, Bits* window) {
    const Borrowed items(window[0]), values(window[2]);
    const auto i = static_cast<std::size_t>(bits::to_integer(window[1]));
    if (i >= vector_length(items)) return Pair::End;
    const Value item = vector_get(items, i);
    if (values->is_vector() && i < vector_length(values)) {
        window[3] = item.copy().give_up();
        window[4] = vector_get(values, i).give_up();
        return Pair::Found;
    }
    Result<Value> first = ptc::element(vm.heap, item, 0);
    Result<Value> second = first.ok() ? ptc::element(vm.heap, item, 1) : Result<Value>(first.take_error());
    if (!second.ok()) {
        fail(vm, second.take_error());
        return Pair::Error;
    }
    window[3] = std::move(first).value().give_up();
    window[4] = std::move(second).value().give_up();
    return Pair::Found;
}

bool SlowPaths::next_zipped(Bits* window) {
    const Borrowed first(window[0]), second(window[2]);
    const auto i = static_cast<std::size_t>(bits::to_integer(window[1]));
    if (!second->is_vector() || i >= vector_length(first) || i >= vector_length(second)) return false;
    window[3] = vector_get(first, i).give_up();
    window[4] = vector_get(second, i).give_up();
    return true;
}

Bits SlowPaths::element(const Bits* r, const Word* ip) {
    Borrowed vector(r[word_a(*ip)]);
    const auto i = static_cast<std::size_t>(bits::to_integer(r[word_a(*ip) + 1]));
    return i < vector_length(vector) ? vector_get(vector, i).give_up() : bits::kHole;
}

template <> bool SlowPaths::step<Op::CallNative>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    return run_native(vm, r + word_a(*ip), word_b(*ip), ip[1]);
}

// Apart, so that a call of a builtin needs no room for an error.
[[gnu::noinline]] static bool out_of_fuel(Vm& vm) { return SlowPaths::fail(vm, vm.heap.meter.error()); }

bool SlowPaths::run_native(Vm& vm, Bits* args, std::uint32_t n, std::uint32_t index) {
    const Builtin& builtin = *vm.builtins_[index];
    if (!vm.heap.meter.charge(builtin.cost)) [[unlikely]]
        return out_of_fuel(vm);
    Call call{vm.heap, vm.shapes, *vm.host_, builtin};
    auto* values = reinterpret_cast<Value*>(args);
    Result<Value> result = builtin.call(call, Args(values, n));
    if (!result.ok()) [[unlikely]]
        return fail(vm, result.take_error());
    for (std::uint32_t i = 0; i < n; ++i)
        bits::release(args[i]);
    args[0] = std::move(result).value().give_up();
    return true;
}

void SlowPaths::throw_value(Vm& vm, Bits exception) {
    const Borrowed thrown(exception);
    Error error = error_of_thrown(vm.heap, thrown);
    if (vm.caught_ && is_same_failure(error, *vm.caught_))
        vm.set_error(std::move(vm.caught_)); // where it failed, not where it goes through a try
    else
        fail(vm, std::move(error));
    if (thrown->is_map()) vm.thrown_ = thrown->copy();
}

void SlowPaths::depth_exceeded(Vm& vm) { fail(vm, too_deep(vm.limits_.max_depth)); }

bool SlowPaths::loop_limit(Vm& vm, Word word) {
    if (!vm.limits_.max_loop_iterations) return true;
    const Op op = word_op(word);
    const bool is_loop = op == Op::Loop || (op >= Op::JumpLt && op <= Op::JumpNotTest && word_a(word) > 0);
    if (!is_loop || ++vm.loop_iterations_ <= *vm.limits_.max_loop_iterations) return true;
    return fail(vm, too_many_iterations(*vm.limits_.max_loop_iterations));
}

// The language's callable values that are no functions: keyword, string key, map, set, vector.
static Result<Value> call_collection(Heap& heap, const Value& callee, std::span<Value> args) {
    const Value* key = &callee;
    const Value* coll = args.empty() ? nullptr : &args[0];
    if (!callee.is_keyword()) std::swap(key, coll);
    if (callee.is_keyword() && (args.empty() || args.size() > 2)) return bad_keyword_call(callee, args.size());
    if (!callee.is_keyword() && (args.empty() || args.size() > 2 || (callee.is_vector() && args.size() != 1) ||
                                 (callee.is_set() && args.size() != 1))) {
        return bad_collection_call(callee, args.size());
    }
    if (coll->is_map()) {
        Value found;
        if (PTC_TRY(lookup(heap, *coll, *key, &found))) return found;
    } else if (coll->is_set()) {
        const Value* found = set_find(heap, *coll, *key);
        if (found) return found->copy();
    } else if (callee.is_vector()) {
        Value found;
        if (!key->is_integer() || !PTC_TRY(lookup(heap, *coll, *key, &found))) return bad_vector_call(callee, *key);
        return found;
    }
    return args.size() == 2 ? std::move(args[1]) : Value();
}

/// What a builtin takes, read off its usage once: calls of values ask each time.
static Arity arity_at(std::uint32_t index) {
    static const std::vector<Arity> arities = [] {
        std::vector<Arity> all;
        for (const Builtin* row : all_builtins())
            all.push_back(row->arity());
        return all;
    }();
    return arities[index];
}

CallKind SlowPaths::prepare_call(Vm& vm, Bits** window, std::uint32_t n, const FunctionProto** proto) {
    Bits* w = *window;
    if (Borrowed(w[0])->is(ObjectType::Var)) { // #'f is called as f is
        const std::uint32_t slot = vm.names.find(text_of(Borrowed(w[0])));
        if (slot != Namespace::kNone && !vm.names.slot(slot).value.is_hole()) {
            Value target = vm.names.slot(slot).value.copy();
            bits::release(std::exchange(w[0], target.give_up()));
        }
    }
    Borrowed callee(w[0]);
    auto* args = reinterpret_cast<Value*>(w + kFrameLink);
    if (callee->is_static_function() || callee->is(ObjectType::Closure)) {
        const FunctionProto* f = choose_arity(proto_of(callee->raw()), n);
        if (!f) {
            fail(vm, wrong_argument_count(*proto_of(callee->raw()), n));
            return CallKind::Error;
        }
        if (vm.fiber_.depth + 1 > vm.limits_.max_depth) {
            depth_exceeded(vm);
            return CallKind::Error;
        }
        const std::size_t offset = static_cast<std::size_t>(w - vm.fiber_.stack);
        if (offset + kFrameLink + f->frame_size > vm.fiber_.stack_size) {
            if (!vm.grow_stack(offset + kFrameLink + f->frame_size)) return CallKind::Error;
            w = *window = vm.fiber_.stack + offset;
            args = reinterpret_cast<Value*>(w + kFrameLink);
        }
        if (!become_arity(vm, w[0], f)) return CallKind::Error;
        if (f->variadic) {
            const std::uint32_t fixed = f->param_count - 1u;
            Value rest;
            if (n > fixed) {
                Result<Value> packed = make_vector_from(vm.heap, args + fixed, n - fixed);
                if (!packed.ok()) {
                    fail(vm, packed.take_error());
                    return CallKind::Error;
                }
                rest = std::move(packed).value();
            }
            w[kFrameLink + fixed] = rest.give_up();
        }
        *proto = f;
        return CallKind::Enter;
    }
    if (callee->is_builtin()) {
        if (!arity_at(callee->builtin_index()).accepts(n)) {
            fail(vm, wrong_builtin_argument_count(builtin_at(callee->builtin_index()), n));
            return CallKind::Error;
        }
        Bits none[1] = {bits::kNil};
        Bits* native_args = n > 0 ? w + kFrameLink : none;
        if (!run_native(vm, native_args, n, callee->builtin_index())) return CallKind::Error;
        w[0] = native_args[0];
        return CallKind::Done;
    }
    if (callee->is_keyword() || callee->is_map() || callee->is_set() || callee->is_vector()) {
        Result<Value> v = call_collection(vm.heap, callee, {args, n});
        if (!v.ok()) {
            fail(vm, v.take_error());
            return CallKind::Error;
        }
        for (std::uint32_t i = 0; i < n; ++i)
            bits::release(w[kFrameLink + i]);
        const Bits old = w[0];
        w[0] = std::move(v).value().give_up();
        bits::release(old);
        return CallKind::Done;
    }
    fail(vm, not_callable(callee));
    return CallKind::Error;
}

/// What a value that is no function gives for one argument: a field, an item, a member. False: it is none of these.
bool SlowPaths::look_up(Vm& vm, const Value& callee, const Value& argument, Result<Value>* found) {
    if (!callee.is_keyword() && !callee.is_collection()) return false;
    if (const Bits quick = find_integer(vm.heap, callee.raw(), argument.raw(), bits::kNil); quick != bits::kHole) {
        *found = Borrowed(quick)->copy();
        return true;
    }
    const bool is_named = callee.is_keyword(); // (:key record) or (record :key)
    const Bits field = find_by_keyword(vm, is_named ? argument : callee, is_named ? callee : argument, bits::kNil);
    if (field != bits::kHole) {
        *found = Borrowed(field)->copy();
        return true;
    }
    if (callee.is_set() || callee.is_map()) { // a filter, or a table of words
        const Value* there =
            callee.is_set() ? set_find(vm.heap, callee, argument) : find_in_map(vm.heap, callee, argument);
        if (there)
            *found = there->copy();
        else
            *found = callee.is_map() && argument.is_vector() ? get_at_path(vm.heap, callee, argument) : Value();
        return true;
    }
    *found = call_collection(vm.heap, callee, {const_cast<Value*>(&argument), 1}); // which leaves one argument alone
    return true;
}

CallKind SlowPaths::call_one(Vm& vm, const Word* ip, const FunctionProto** proto) {
    const Word mask = ip[1];
    const auto reg = [&](std::uint32_t i) -> Bits& { return vm.fiber_.base[i]; };
    Result<Value> found{Value()};
    if (look_up(vm, Borrowed(reg(word_b(*ip))), Borrowed(reg(word_c(*ip))), &found)) {
        if (!found.ok()) {
            fail(vm, found.take_error());
            return CallKind::Error;
        }
        if (mask & kTakeB) bits::release(reg(word_b(*ip)));
        if (mask & kTakeC) bits::release(reg(word_c(*ip)));
        reg(word_a(*ip)) = std::move(found).value().give_up();
        return CallKind::Done;
    }
    const auto owned = [](Bits bits_in, bool dies) { return dies ? bits_in : Borrowed(bits_in)->copy().give_up(); };
    // The operands may stand inside of the window when they die here.
    const Bits function = owned(reg(word_b(*ip)), (mask & kTakeB) != 0);
    const Bits argument = owned(reg(word_c(*ip)), (mask & kTakeC) != 0);
    Bits* window = &reg(word_a(*ip));
    window[0] = function;
    window[kFrameLink] = argument;
    const CallKind kind = prepare_call(vm, &window, 1, proto);
    return kind == CallKind::Error ? give_back(vm, ip, window[0], window[kFrameLink]) : kind;
}

/// After a failure each operand that dies in the instruction is in its register again, for the unwinder; what was
/// copied goes.
CallKind SlowPaths::give_back(Vm& vm, const Word* ip, Bits function, Bits argument) {
    const auto put = [&](Bits value, std::uint32_t reg, bool dies) {
        if (dies)
            vm.fiber_.base[reg] = value;
        else
            bits::release(value);
    };
    put(function, word_b(*ip), (ip[1] & kTakeB) != 0);
    put(argument, word_c(*ip), (ip[1] & kTakeC) != 0);
    return CallKind::Error;
}

/// Puts the items of a vector into the registers from `to` on, moved where nobody else has them. False, with nothing
/// put there, when the run ends in between: millions of them take long.
static bool spread(Meter& meter, const Value& items, Bits* to) {
    constexpr std::size_t kAtOnce = std::size_t{1} << 16;
    const std::size_t n = vector_length(items);
    if (vector_slot_in_place(items, 0) && !as_flat(items).owner) {
        VectorObject& vector = as_mutable_flat(items);
        if (!meter.in_pieces(n, kAtOnce, [&](std::size_t begin, std::size_t end) {
                std::memcpy(to + begin, vector.data + begin, (end - begin) * sizeof(Bits));
            }))
            return false;
        vector.length = 0;
        return true;
    }
    std::size_t put = 0;
    const VectorReader reader(items);
    if (meter.in_pieces(n, kAtOnce, [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i)
                to[i] = reader.at(i).give_up();
            put = end;
        }))
        return true;
    for (std::size_t i = 0; i < put; ++i)
        bits::release(to[i]);
    return false;
}

CallKind SlowPaths::prepare_apply(Vm& vm, Bits** window, std::uint32_t n, const FunctionProto** proto) {
    Bits* w = *window;
    Bits* first = w + kFrameLink;
    std::size_t total = n - 1;
    {
        Result<Value> made = to_vector(vm.heap, take(first[n - 1]), "apply");
        if (!made.ok()) {
            fail(vm, made.take_error());
            return CallKind::Error;
        }
        const Value items = std::move(made).value();
        total += vector_length(items);
        vm.heap.meter.charge_unchecked(static_cast<std::int64_t>(vector_length(items)));
        if (total > 10'000'000) {
            fail(vm, Error(Reason::LimitExceeded, "`apply` with more than 10,000,000 arguments."));
            return CallKind::Error;
        }
        const std::size_t offset = static_cast<std::size_t>(w - vm.fiber_.stack);
        if (offset + kFrameLink + total + 256 > vm.fiber_.stack_size) {
            if (!vm.grow_stack(offset + kFrameLink + total + 256)) return CallKind::Error;
            w = *window = vm.fiber_.stack + offset;
            first = w + kFrameLink;
        }
        if (!spread(vm.heap.meter, items, first + n - 1)) {
            first[n - 1] = bits::kNil; // the unwinder knows of it
            fail(vm, vm.heap.meter.error());
            return CallKind::Error;
        }
    }
    const CallKind kind = prepare_call(vm, window, static_cast<std::uint32_t>(total), proto);
    if (kind == CallKind::Error) {
        // The unwinder only knows of the first n argument registers.
        w = *window;
        for (std::size_t i = n; i < total; ++i)
            bits::release(w[kFrameLink + i]);
    }
    return kind;
}

} // namespace ptc
