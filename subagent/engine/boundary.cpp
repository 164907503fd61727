// Values checked where they cross between host and program. A signature is compiled to two validators, small programs
// that check and coerce (arguments, result). They run in the VM that has the value, so checking is metered like the
// program; for values that only a host has, `validate` takes a VM of its own.
#include "subagent/engine/boundary.h"
#include "frontend/try.h"

#include "runtime/signature/malli.h"
#include "runtime/silent_host.h"
#include "subagent/engine/convert.h"
#include "vm/vm.h"
#include <algorithm>
#include <array>

namespace ptc {
namespace {

constexpr std::array<std::pair<ValidationMode, std::string_view>, 4> kModes = {{
    {ValidationMode::Enabled, "enabled"},
    {ValidationMode::WarnOnly, "warn_only"},
    {ValidationMode::Disabled, "disabled"},
    {ValidationMode::Strict, "strict"},
}};

std::string faults_text(std::string_view header, const std::vector<Fault>& faults, std::size_t more) {
    std::string text(header);
    for (const Fault& fault : faults)
        text += "\n- " + fault_text(fault);
    if (more > 0) text += "\n- and " + std::to_string(more) + " more";
    return text;
}

/// A checker's own VM prints nothing and has no clock.
const Program& validator_of(const CompiledSignature& signature, Direction direction) {
    return direction == Direction::Input ? *signature.arguments : *signature.result;
}

/// What of a report counts in this mode.
void settle(CheckReport& report, ValidationMode mode) {
    if (mode != ValidationMode::WarnOnly) return;
    std::ranges::move(report.faults, std::back_inserter(report.warnings));
    report.faults.clear();
    report.more_faults = 0;
}

} // namespace

Result<SignaturePtr> compile_signature(std::string_view text) {
    return compile_signature(PTC_TRY(parse_signature(text)));
}

Result<SignaturePtr> compile_malli(const Datum& schema) {
    Heap heap;
    ShapeTable shapes(heap);
    const Value value = PTC_TRY(from_datum(heap, schema));
    return compile_signature(PTC_TRY(malli_signature(value)));
}

Datum malli_datum(const Signature& signature) {
    Heap heap;
    ShapeTable shapes(heap);
    const Result<Value> value = malli_value(heap, shapes, signature);
    PTC_ASSERT(value.ok()); // what malli_text writes can be read
    return to_datum(heap, value.value()).value_or(Datum());
}

const Signature& signature_of(const CompiledSignature& compiled) { return compiled.signature; }

std::optional<ValidationMode> validation_mode(std::string_view name) {
    for (const auto& [mode, mode_name] : kModes) {
        if (mode_name == name) return mode;
    }
    return std::nullopt;
}

std::string fault_text(const Fault& fault) {
    return fault.path.empty() ? fault.message : fault.path + ": " + fault.message;
}

std::string validation_errors_text(const std::vector<Fault>& errors, std::size_t more) {
    return faults_text("Tool validation errors:", errors, more);
}

std::string validation_warnings_text(const std::vector<Fault>& warnings) {
    return faults_text("Tool validation warnings:", warnings, 0);
}

Result<Value> run_check(const CheckRunner& run, const CompiledSignature& signature, Direction direction, Value value,
                        const ValidationOptions& options, CheckReport& report) {
    if (options.mode == ValidationMode::Disabled) return value;
    const CheckOptions checks{.reject_extra_fields = options.mode == ValidationMode::Strict,
                              .is_json_text = options.is_json_text,
                              .keeps_keys = options.keeps_keys};
    Value checked = PTC_TRY(run(validator_of(signature, direction), std::move(value), checks, report));
    settle(report, options.mode);
    return checked;
}

Result<CheckedValue> check_value(const CheckRunner& run, const CompiledSignature& signature, Direction direction,
                                 Value value, const ValidationOptions& options, std::string_view what) {
    CheckReport report;
    CheckedValue checked;
    checked.value = PTC_TRY(run_check(run, signature, direction, std::move(value), options, report));
    checked.warnings = std::move(report.warnings);
    if (report.ok()) return checked;
    checked.error =
        Error(Reason::ValidationError, std::string(what) + " `" + signature_text(signature.signature) + "`.\n" +
                                           validation_errors_text(report.faults, report.more_faults));
    return checked;
}

/// `value` with underscores in the keys that `type` declares, and the others as they are.
static Datum with_declared_names(const Type& type, const Datum& value) {
    if (value.list() && type.is(TypeKind::List)) {
        Datum::List items;
        for (const Datum& item : value.items())
            items.push_back(with_declared_names(type.element(), item));
        return Datum(std::move(items));
    }
    if (!value.map() || !(type.is(TypeKind::Record) || type.is(TypeKind::Union))) return value;
    Datum::Map entries;
    for (const auto& [key, item] : value.entries()) {
        const Field* field = key.text() ? declared_field(type, *key.text()) : nullptr;
        entries.emplace_back(field ? Datum(normalized_name(*key.text())) : key,
                             field ? with_declared_names(field->type, item) : item);
    }
    std::ranges::sort(entries, {}, [](const auto& entry) -> const std::string& { return *entry.first.text(); });
    return Datum(std::move(entries));
}

const Field* declared_field(const Type& type, std::string_view name) {
    for (const Field& field : type.fields)
        if (names_match(field.name, name)) return &field;
    for (const Type& item : type.items) {
        const Field* field = item.is(TypeKind::Record) ? declared_field(item, name) : nullptr;
        if (field) return field;
    }
    return nullptr;
}

Result<Datum> with_free_keys(Heap& heap, const Value& value, const CompiledSignature& compiled, Direction direction) {
    const Signature& signature = compiled.signature;
    const Datum given = PTC_TRY(to_datum(heap, value, KeyStyle::Input));
    return with_declared_names(direction == Direction::Input ? Type::record(signature.params) : signature.returns,
                               given);
}

namespace {

/// `value` in a VM whose meter runs, checked.
Result<Value> checked_in(Vm& vm, const CompiledSignature& signature, Direction direction, const Datum& value,
                         const ValidationOptions& options, CheckReport& report) {
    vm.heap.meter.join_scope();
    const CheckRunner run = [&vm](const Program& validator, Value v, const CheckOptions& checks, CheckReport& found) {
        return vm.check(validator, std::move(v), checks, found);
    };
    return run_check(run, signature, direction, PTC_TRY(from_datum(vm.heap, value)), options, report);
}

} // namespace

Result<bool> fits_in_time(const CompiledSignature& signature, Direction direction, const Datum& value,
                          const ValidationOptions& options, const CheckTerms& terms) {
    if (options.mode == ValidationMode::Disabled || options.mode == ValidationMode::WarnOnly) return true;
    SilentHost services;
    Vm vm(services);
    Limits limits = options.limits;
    limits.heap_bytes = UINT64_MAX / 4; // the host has the value: that bounds it
    vm.bound_heap(limits);
    vm.heap.meter.start(*terms.fuel, terms.deadline, terms.interrupt);
    CheckReport report;
    const Result<Value> checked = checked_in(vm, signature, direction, value, options, report);
    *terms.fuel = std::max<std::int64_t>(*terms.fuel - vm.heap.meter.used(), 0);
    if (!checked.ok()) return checked.error();
    return report.ok();
}

Result<Validation> validate(const CompiledSignature& signature, Direction direction, const Datum& value,
                            const ValidationOptions& options) {
    SilentHost services;
    Vm vm(services);
    vm.bound_heap(options.limits);
    vm.heap.meter.start(options.limits.fuel, Meter::Clock::now() + options.limits.timeout, nullptr);
    CheckReport report;
    Value checked = PTC_TRY(checked_in(vm, signature, direction, value, options, report));
    Validation validation;
    validation.ok = report.ok();
    validation.errors = std::move(report.faults);
    validation.warnings = std::move(report.warnings);
    validation.more_errors = report.more_faults;
    if (!validation.ok) return validation;
    Result<Datum> data = options.keeps_keys ? with_free_keys(vm.heap, checked, signature, direction)
                                            : to_datum(vm.heap, checked, KeyStyle::Normal);
    if (!data.ok() && data.error().reason == Reason::InvalidToolArgs) {
        validation.ok = false;
        validation.errors.push_back({"", data.error().message});
        return validation;
    }
    validation.data = PTC_TRY(std::move(data));
    return validation;
}

} // namespace ptc
