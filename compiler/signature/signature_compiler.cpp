// Types to validators. A type becomes an ordinary program of check instructions: straight code for the fields of a
// record, a loop for a list of records, a trial for each of several map alternatives, a call where a type is deeper
// than a frame has registers. Each place of the value gets a Check (runtime/signature/checks.h), which knows its
// parent, so that a path is built only when something is wrong there. The verifier sees the result like any other
// program.
#include "compiler/signature/signature_compiler.h"
#include "frontend/try.h"

#include "runtime/function.h"
#include "runtime/signature/scalar_check.h"
#include "runtime/signature/type_rules.h"
#include "vm/verifier.h"
#include <algorithm>

namespace ptc {
namespace {

/// Registers of one function; deeper types go on in another.
constexpr std::uint32_t kMaxRegisters = 240;

/// Thrown away with its emitter when a type is too large.
Error too_many_parts() {
    return Error(Reason::LimitExceeded,
                 "The signature has more than " + std::to_string(Check::kMaxChecks) + " fields and elements.")
        .with_hint("Use `:map` or `:any` for what need not be checked.");
}

/// A forward jump's place, to be patched.
struct Jumps {
    std::vector<std::uint32_t> sources; ///< words behind the jump instructions
};

/// Emits one function; functions for deeper levels are made by it.
class ValidatorEmitter {
public:
    ValidatorEmitter(Program& program, CheckTable& table) : program_(program), table_(table), proto_(new_function()) {}

    /// The program's main function.
    bool emit_main() {
        const std::uint32_t value = fresh();
        word(Op::Subject, value);
        emit_place(table_.type, add_check({.type = &table_.type}), value);
        return finish(value);
    }

private:
    /// A function of one parameter for the place of `check`; what it returns takes that place.
    bool emit_function(const Type& type, std::uint16_t check) {
        proto_.param_count = proto_.exact_arity = proto_.min_arity = proto_.max_arity = 1;
        const std::uint32_t value = fresh();
        emit_place(type, add_check({.step = Check::Step::WholeInCall, .parent = check, .type = &type}), value);
        return finish(value);
    }

    FunctionProto& new_function() {
        auto proto = std::make_unique<FunctionProto>();
        proto->program = &program_;
        proto->index = static_cast<std::uint32_t>(program_.functions.size());
        proto->name_text = "validator";
        program_.functions.push_back(std::move(proto));
        return *program_.functions.back();
    }

    bool finish(std::uint32_t value) {
        word(Op::Return, 0, value);
        proto_.name = proto_.name_text.c_str();
        proto_.frame_size = max_register_ + 1;
        proto_.entry_cost = static_cast<std::uint32_t>(cost_ + 1);
        proto_.takes.resize(proto_.code.size());
        proto_.spans.resize(proto_.code.size());
        return !failed_;
    }

    // ---- Words

    std::uint32_t fresh() {
        max_register_ = std::max(max_register_, top_);
        return top_++;
    }
    [[nodiscard]] std::uint32_t here() const { return static_cast<std::uint32_t>(proto_.code.size()); }
    void word(Op op, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0) {
        proto_.code.push_back(make_word(op, a, b, c));
        ++cost_;
    }
    void word16(Op op, std::uint32_t a, std::uint32_t bc) { word(op, a, bc & 0xFF, bc >> 8); }
    void second(std::uint32_t w) { proto_.code.push_back(w); }
    void jump(Jumps& jumps) {
        second(0);
        jumps.sources.push_back(here());
    }
    void land(const Jumps& jumps) {
        for (const std::uint32_t source : jumps.sources)
            proto_.code[source - 1] = here() - source;
    }
    void jump_back(std::uint32_t target) {
        second(static_cast<Word>(static_cast<std::int32_t>(target) - static_cast<std::int32_t>(here() + 1)));
    }
    /// What the cost field of an instruction cannot hold is charged by instructions of its own.
    std::uint32_t charge_rest(std::int64_t cost) {
        constexpr std::int64_t kMaxInField = 255, kMaxInFuel = 0xFFFF;
        for (std::int64_t rest = cost - kMaxInField; rest > 0; rest -= kMaxInFuel)
            word16(Op::Fuel, 0, static_cast<std::uint32_t>(std::min(rest, kMaxInFuel)));
        return static_cast<std::uint32_t>(std::min(cost, kMaxInField));
    }

    std::uint16_t add_check(Check check) {
        if (table_.checks.size() >= Check::kMaxChecks) {
            failed_ = true;
            return 0;
        }
        table_.checks.push_back(check);
        return static_cast<std::uint16_t>(table_.checks.size() - 1);
    }

    // ---- Types

    /// Checks the value in register `value`, which is at the place of `check`.
    void emit_place(const Type& type, std::uint16_t check, std::uint32_t value) {
        if (failed_) return;
        if (is_scalar(type)) {
            word16(Op::CheckValue, value, accepted_kinds(type, table_.coerces));
            second(check);
            return;
        }
        if (top_ >= kMaxRegisters) {
            emit_call(type, check, value);
            return;
        }
        const std::uint32_t mark = top_;
        if (type.is(TypeKind::Record))
            emit_record(type, check, value);
        else if (type.is(TypeKind::List))
            emit_list(type, check, value);
        else
            emit_union(type, check, value);
        top_ = mark;
    }

    void emit_record(const Type& type, std::uint16_t check, std::uint32_t map) {
        Jumps end;
        word16(Op::CheckMap, map, check);
        jump(end);
        for (const Field& field : type.fields)
            emit_field(field, check, map);
        word(Op::CheckExtras, map);
        second(check);
        land(end);
    }

    void emit_field(const Field& field, std::uint16_t parent, std::uint32_t map) {
        const std::uint16_t check =
            add_check({.step = Check::Step::Field, .parent = parent, .type = &field.type, .field = &field});
        if (is_scalar(field.type)) {
            word16(Op::CheckField, map, accepted_kinds(field.type, table_.coerces));
            second(check);
            return;
        }
        const std::uint32_t mark = top_;
        const std::uint32_t part = fresh();
        word(Op::GetPart, part, map);
        second(check);
        emit_place(field.type, check, part);
        word(Op::PutPart, map, part);
        second(check);
        top_ = mark;
    }

    void emit_list(const Type& type, std::uint16_t check, std::uint32_t list) {
        const Type& element = type.element();
        if (is_scalar(element)) {
            const std::uint16_t item = add_check({.step = Check::Step::Item, .parent = check, .type = &element});
            word16(Op::CheckItems, list, accepted_kinds(element, table_.coerces));
            second(item);
            return;
        }
        Jumps end;
        word16(Op::CheckList, list, check);
        jump(end);
        emit_loop(element, check, list);
        land(end);
    }

    /// The list is where the loop needs it, in front of its position, only if it is the newest register.
    void emit_loop(const Type& element, std::uint16_t check, std::uint32_t list) {
        const bool is_in_place = list + 1 == top_;
        const std::uint32_t source = is_in_place ? list : fresh();
        if (!is_in_place) word(Op::Move, source, list);
        const std::uint32_t position = fresh();
        const std::uint32_t item = fresh();
        word16(Op::LoadInt, position, 0);
        Jumps next;
        word(Op::Jump);
        jump(next);
        const std::int64_t outside = cost_;
        cost_ = 0;
        const std::uint32_t body = here();
        const std::uint16_t item_check = add_check({.step = Check::Step::Item,
                                                    .position = static_cast<std::uint8_t>(position),
                                                    .parent = check,
                                                    .type = &element});
        emit_place(element, item_check, item);
        word(Op::PutItem, source, item);
        const std::uint32_t cost = charge_rest(cost_ + 1);
        land(next);
        word(Op::NextItem, source, item, cost);
        jump_back(body);
        cost_ = outside + 1;
        word(Op::Drop, position);
        if (!is_in_place) word(Op::Move, list, source);
    }

    /// The kind of a value picks the alternative; among several that take maps, or several that take lists, each is
    /// tried.
    void emit_union(const Type& type, std::uint16_t check, std::uint32_t value) {
        Jumps end;
        emit_alternatives(type, TypeKind::Record, Predicate::IsMap, check, value, end);
        emit_alternatives(type, TypeKind::List, Predicate::IsVector, check, value, end);
        word16(Op::CheckValue, value, accepted_kinds(type, table_.coerces));
        second(check);
        land(end);
    }

    void emit_alternatives(const Type& type, TypeKind kind, Predicate predicate, std::uint16_t check,
                           std::uint32_t value, Jumps& end) {
        const bool is_of_maps = kind == TypeKind::Record;
        std::vector<const Type*> alternatives;
        for (const Type& item : type.items) {
            if (item.is(kind) || item.is(TypeKind::Any) || (is_of_maps && item.is(TypeKind::Map)))
                alternatives.push_back(&item);
        }
        if (std::ranges::none_of(alternatives, [&](const Type* item) { return item->is(kind); })) return;
        Jumps other;
        word(Op::JumpNotTest, 0, value, static_cast<std::uint32_t>(predicate));
        jump(other);
        if (alternatives.size() == 1) {
            emit_place(*alternatives[0], add_check({.parent = check, .type = alternatives[0]}), value);
        } else {
            emit_trial(alternatives, check, value, end);
        }
        word(Op::Jump);
        jump(end);
        land(other);
    }

    void emit_trial(const std::vector<const Type*>& alternatives, std::uint16_t check, std::uint32_t value,
                    Jumps& end) {
        word(Op::BeginTrial);
        const std::uint32_t again = here();
        const std::int64_t outside = cost_;
        cost_ = 0;
        for (const Type* alternative : alternatives) {
            const std::uint32_t mark = top_;
            const std::uint32_t tried = fresh();
            word(Op::Copy, tried, value);
            emit_place(*alternative, add_check({.parent = check, .type = alternative}), tried);
            word(Op::EndTrial, value, tried);
            jump(end);
            top_ = mark;
        }
        const std::int64_t round = cost_;
        const std::uint32_t cost = charge_rest(round + 1);
        word(Op::RetryTrial, cost);
        jump_back(again);
        cost_ += outside;
        word(Op::FailTrial, value);
        second(check);
    }

    /// Goes on in a function of its own.
    void emit_call(const Type& type, std::uint16_t check, std::uint32_t value) {
        ValidatorEmitter callee(program_, table_);
        const std::uint32_t constant = function_constant(callee.proto_);
        const std::uint32_t mark = top_;
        const std::uint32_t window = fresh();
        for (unsigned i = 0; i < kFrameLink; ++i)
            (void)fresh();
        if (!callee.emit_function(type, check)) failed_ = true;
        word(Op::Move, window + kFrameLink, value);
        word(Op::CallFunction, window, 1);
        second(constant | name_constant() << 16);
        word(Op::Move, value, window);
        top_ = mark;
    }

    std::uint32_t function_constant(const FunctionProto& function) {
        proto_.constants.push_back(Value::function(&function).raw());
        return static_cast<std::uint32_t>(proto_.constants.size() - 1);
    }

    /// Calls name their function, for programs that define it anew; nothing can here.
    std::uint32_t name_constant() {
        Result<Value> name = make_var(program_.heap, "validator");
        if (!name.ok()) {
            failed_ = true;
            return 0;
        }
        proto_.constants.push_back(std::move(name).value().give_up());
        return static_cast<std::uint32_t>(proto_.constants.size() - 1);
    }

    Program& program_;
    CheckTable& table_;
    FunctionProto& proto_;
    std::uint32_t top_ = 0;
    std::uint32_t max_register_ = 0;
    std::int64_t cost_ = 0;
    bool failed_ = false;
};

} // namespace

Result<std::unique_ptr<const Program>> compile_validator(Type type, Direction direction) {
    auto program = std::make_unique<Program>();
    auto table = std::make_unique<CheckTable>(CheckTable{std::move(type), direction == Direction::Input, {}});
    if (!ValidatorEmitter(*program, *table).emit_main()) return too_many_parts();
    program->validation = std::move(table);
    PTC_CHECK(verify(*program));
    return std::unique_ptr<const Program>(std::move(program));
}

Type argument_type(const Signature& signature) {
    const std::vector<Field>& params = signature.params;
    if (params.size() == 1 && params[0].name.empty()) {
        const Type& only = params[0].type;
        if (only.is(TypeKind::Map) || only.is(TypeKind::Any)) return only;
    }
    return Type::record(named_params(signature));
}

Result<SignaturePtr> compile_signature(Signature signature) {
    auto compiled = std::make_shared<CompiledSignature>();
    compiled->arguments = PTC_TRY(compile_validator(argument_type(signature), Direction::Input));
    compiled->result = PTC_TRY(compile_validator(signature.returns, Direction::Output));
    compiled->signature = std::move(signature);
    return SignaturePtr(std::move(compiled));
}

} // namespace ptc
