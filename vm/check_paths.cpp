// The slow paths of check instructions: finding fields in any spelling, coercing values, noting what is wrong.
//
// A validator goes through a value without keeping the path to where it is. A check knows its parent (Check::parent)
// and positions in lists stand in registers, so path_of reads the path off the frame, and off those of its callers,
// when something is wrong: that is rare, and valid values pay nothing for it. A fault never ends the run; it goes to
// the report, and the next check follows. Coerced values are put back where they came from, into registers that own
// them.
#include "runtime/equality.h"
#include "runtime/keyed.h"
#include "runtime/print.h"
#include "runtime/signature/scalar_check.h"
#include "runtime/string.h"
#include "vm/frames.h"
#include "vm/slow_paths.h"
#include <algorithm>
#include <array>
#include <functional>

namespace ptc {
namespace {

constexpr std::size_t kMaxFaultCost = 64; ///< fuel for building a path and a message, which are bounded

/// The stack slot of a register, as the value that it owns.
Value& owned(Bits& reg) { return reinterpret_cast<Value&>(reg); }

bool out_of(Vm& vm) { return SlowPaths::fail(vm, vm.heap.meter.error()); }

/// Puts what an operation on `reg`'s value gave into `reg`, which is nil if it failed.
bool replace(Vm& vm, Bits& reg, Result<Value> result) {
    if (!result.ok()) return SlowPaths::fail(vm, result.take_error());
    reg = std::move(result).value().give_up();
    return true;
}

Value take(Bits& reg) { return Value::adopt(std::exchange(reg, bits::kNil)); }

// ---- Paths

std::string step_text(const Check& check, const Bits* frame) {
    if (check.step == Check::Step::Field) return check.field->name;
    if (check.step == Check::Step::Item) return "[" + std::to_string(bits::to_integer(frame[check.position]) - 1) + "]";
    return {};
}

/// The frame of the function that called the one of `frame`.
const Bits* caller_of(const Bits* frame) { return caller_base(frame, return_address(frame)); }

/// The path of the place that `check` is about. `item` replaces the index of its last step.
std::string path_of(const CheckTable& table, const Check* check, const Bits* frame, const std::string* item = nullptr) {
    std::vector<std::string> steps;
    for (; check; check = check->parent == Check::kNone ? nullptr : &table.checks[check->parent]) {
        std::string step = item && steps.empty() ? *item : step_text(*check, frame);
        if (!step.empty()) steps.push_back(std::move(step));
        if (check->step == Check::Step::WholeInCall) frame = caller_of(frame);
    }
    std::string path;
    for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
        if (!path.empty() && !step->starts_with('[')) path += '.';
        path += *step;
    }
    return path;
}

// ---- The report

bool note(Vm& vm, std::vector<Fault>& list, std::size_t& more, std::size_t limit, const std::function<Fault()>& make) {
    if (!vm.heap.meter.charge(kMaxFaultCost)) return out_of(vm);
    if (list.size() < limit) {
        list.push_back(make());
    } else {
        ++more;
    }
    return true;
}

struct CheckSite {
    Vm& vm;
    CheckRun& run;
    const Check& check;
    const Bits* frame;
    const std::string* item = nullptr;

    [[nodiscard]] std::string path() const { return path_of(run.table, &check, frame, item); }
    bool fault(const std::string& message) const {
        return note(vm, run.report.faults, run.report.more_faults, run.options.max_faults, [&] {
            return Fault{path(), message};
        });
    }
    bool warn(const std::string& message) const {
        if (message.empty()) return true;
        return note(vm, run.report.warnings, run.report.more_warnings, run.options.max_faults, [&] {
            return Fault{path(), message};
        });
    }
    /// Checks a value that the mask did not let pass. `*changed` and `*value` are set when another one takes its place.
    bool check_value(const Value& given, bool* changed, Value* value) const {
        const ScalarCheckOptions options{run.table.coerces, run.coerces, run.options.is_json_text};
        ScalarCheck checked = check_scalar(vm.heap, *check.type, given, options);
        switch (checked.fit) {
        case ScalarFit::Fits: return true;
        case ScalarFit::Mismatch: return fault(describe_mismatch(*check.type, given));
        case ScalarFit::Failed: return SlowPaths::fail(vm, std::move(checked.error));
        case ScalarFit::Changed: break;
        }
        *changed = true;
        *value = std::move(checked.value);
        return warn(checked.warning);
    }
};

CheckSite site_of(Vm& vm, CheckRun& run, const Bits* r, std::uint32_t check) {
    return {vm, run, run.table.checks[check], r};
}

// ---- Fields

std::string_view key_text(const Value& key) {
    return key.is_string() || key.is_keyword() ? text_of(key) : std::string_view();
}

/// The slot of the field called `name`, whatever the spelling of the key.
std::uint32_t find_slot(const ShapeObject& shape, std::string_view name) {
    for (std::uint32_t i = 0; i < shape.count; ++i) {
        if (names_match(key_text(shape.keys()[i]), name)) return i;
    }
    return kNoSlot;
}

std::string with_mark(std::string_view name, char from, char to) {
    std::string text(name);
    std::ranges::replace(text, from, to);
    return text;
}

struct Entry {
    const Value* key = nullptr;
    const Value* value = nullptr; ///< null when absent
};

Entry find_exactly(Heap& heap, const Value& map, ObjectType type, std::string_view text) {
    const Value* key = map_key_of_text(heap, map, type, text);
    return key ? Entry{key, key + 1} : Entry{};
}

/// In a map that is no record. The usual spellings are looked up; a name with several marks may be spelled with a
/// mixture.
Result<Entry> find_in_table(Heap& heap, const Value& map, std::string_view name) {
    const std::array<std::string, 2> spellings = {with_mark(name, '-', '_'), with_mark(name, '_', '-')};
    for (const std::string& spelling : spellings) {
        for (const ObjectType type : {ObjectType::String, ObjectType::Keyword}) {
            const Entry found = find_exactly(heap, map, type, spelling);
            if (found.value) return found;
        }
    }
    if (std::ranges::count(spellings[0], '_') < 2) return Entry{};
    if (!heap.meter.charge(static_cast<std::int64_t>(map_count(map)))) return heap.meter.error();
    Entry found;
    for_each_entry(heap, map, [&](const Value* entry, std::uint32_t) {
        if (!found.value && names_match(key_text(*entry), name)) found = {entry, entry + 1};
    });
    return found;
}

// ---- Two keys with one name

/// The first two keys that are one name at the boundary.
struct Clash {
    std::string first, second;
    explicit operator bool() const { return !first.empty() || !second.empty(); }
};

std::string shown_key(const Value& key) {
    constexpr std::size_t kMaxBytes = 60;
    return scalar_to_string(key).substr(0, kMaxBytes);
}

/// Of which names there may be no two: of all, or of those that a type declares.
using Watched = std::function<bool(std::string_view)>;

Clash clash_of_shape(const ShapeObject& shape, const Watched& is_watched) {
    for (std::uint32_t i = 0; i < shape.count; ++i) {
        if (!is_watched(key_text(shape.keys()[i]))) continue;
        for (std::uint32_t j = i + 1; j < shape.count; ++j) {
            if (names_match(key_text(shape.keys()[i]), key_text(shape.keys()[j])))
                return {shown_key(shape.keys()[i]), shown_key(shape.keys()[j])};
        }
    }
    return {};
}

/// Keys of one type and without hyphens cannot clash.
bool may_clash(Heap& heap, const Value& map) {
    bool has_hyphen = false, has_text = false, has_keyword = false;
    for_each_entry(heap, map, [&](const Value* entry, std::uint32_t) {
        has_text = has_text || entry->is_string();
        has_keyword = has_keyword || entry->is_keyword();
        has_hyphen = has_hyphen || key_text(*entry).find('-') != std::string_view::npos;
    });
    return has_hyphen || (has_text && has_keyword);
}

/// In a map that is no record.
Clash clash_in_table(Heap& heap, const Value& map, const Watched& is_watched) {
    if (!may_clash(heap, map)) return {};
    std::vector<std::pair<std::string, const Value*>> names;
    for_each_entry(heap, map, [&](const Value* entry, std::uint32_t) {
        if ((entry->is_string() || entry->is_keyword()) && is_watched(text_of(*entry)))
            names.emplace_back(normalized_name(text_of(*entry)), entry);
    });
    std::ranges::sort(names, {},
                      [](const auto& name) { return std::pair(std::string_view(name.first), text_of(*name.second)); });
    const auto same =
        std::ranges::adjacent_find(names, {}, [](const auto& name) -> const std::string& { return name.first; });
    if (same == names.end()) return {};
    return {shown_key(*same->second), shown_key(*(same + 1)->second)};
}

std::string clash_message(const Clash& clash) {
    return "the keys " + clash.first + " and " + clash.second +
           " are one field: keys become text, and hyphens underscores; keep one of them";
}

} // namespace

// ---- Instructions

template <> bool SlowPaths::step<Op::CheckValue>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    const CheckSite site = site_of(vm, *vm.check_run_, r, ip[1]);
    Bits& reg = r[word_a(*ip)];
    bool changed = false;
    Value value;
    if (!site.check_value(owned(reg), &changed, &value)) return false;
    if (changed) owned(reg) = std::move(value);
    return true;
}

namespace {

/// The field of map `reg` that `check` is about; notes its slot for the next record of this shape.
template <class Cache> Result<Entry> find_field(Vm& vm, const Value& map, const Check& check, Cache cache) {
    if (!map.is_map()) return Entry{};
    if (!map.is(ObjectType::Record)) return find_in_table(vm.heap, map, check.field->name);
    const RecordObject& record = as_record(map);
    const std::uint32_t slot = find_slot(*record.shape, check.field->name);
    cache(record.shape, slot);
    if (slot == kNoSlot) return Entry{};
    return Entry{&record.shape->keys()[slot], record.values() + slot};
}

} // namespace

template <> bool SlowPaths::step<Op::CheckField>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    const CheckSite site = site_of(vm, *vm.check_run_, r, ip[1]);
    Bits& reg = r[word_a(*ip)];
    const auto remember = [&](const ShapeObject* shape, std::uint32_t slot) {
        vm.caches_->at(ip[1]) = {shape, reinterpret_cast<Bits>(ip), slot == kNoSlot ? Vm::kAbsent : slot};
    };
    Result<Entry> entry = find_field(vm, owned(reg), site.check, remember);
    if (!entry.ok()) return fail(vm, entry.take_error());
    const Value absent = Value::hole();
    const Value& given = entry.value().value ? *entry.value().value : absent;
    if (is_in(static_cast<KindMask>(word_bc(*ip)), given.raw())) return true;
    bool changed = false;
    Value value;
    if (!site.check_value(given, &changed, &value)) return false;
    if (!changed) return true;
    Value key = entry.value().key->copy();
    return replace(vm, reg, map_assoc(vm.heap, take(reg), std::move(key), std::move(value)));
}

template <> bool SlowPaths::step<Op::GetPart>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    const Check& check = vm.check_run_->table.checks[ip[1]];
    InlineCache& cache = vm.caches_->at(ip[1]);
    const Borrowed map(r[word_b(*ip)]);
    if (map->is(ObjectType::Record) && cache.shape == as_record(map).shape && cache.key == reinterpret_cast<Bits>(ip)) {
        r[word_a(*ip)] = cache.slot == Vm::kAbsent ? bits::kHole : as_record(map).values()[cache.slot].copy().give_up();
        return true;
    }
    const auto remember = [&](const ShapeObject* shape, std::uint32_t slot) {
        cache = {shape, reinterpret_cast<Bits>(ip), slot == kNoSlot ? Vm::kAbsent : slot};
    };
    Result<Entry> entry = find_field(vm, map, check, remember);
    if (!entry.ok()) return fail(vm, entry.take_error());
    const Value* value = entry.value().value;
    r[word_a(*ip)] = value ? value->copy().give_up() : bits::kHole;
    return true;
}

template <> bool SlowPaths::step<Op::PutPart>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    const Check& check = vm.check_run_->table.checks[ip[1]];
    Bits& map = r[word_a(*ip)];
    Value part = take(r[word_b(*ip)]);
    if (part.is_hole()) return true;
    Result<Entry> entry = find_field(vm, owned(map), check, [](const ShapeObject*, std::uint32_t) {});
    if (!entry.ok()) return fail(vm, entry.take_error());
    if (!entry.value().value || entry.value().value->raw() == part.raw()) return true;
    Value key = entry.value().key->copy();
    return replace(vm, map, map_assoc(vm.heap, take(map), std::move(key), std::move(part)));
}

template <> bool SlowPaths::step<Op::PutItem>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    Bits& list = r[word_a(*ip)];
    Value item = take(r[word_b(*ip)]);
    const auto i = static_cast<std::uint64_t>(bits::to_integer(r[word_a(*ip) + 1]) - 1);
    if (!owned(list).is_vector() || i >= vector_length(owned(list))) return true;
    Value temporary;
    if (vector_element(owned(list), i, temporary).raw() == item.raw()) return true;
    return replace(vm, list, vector_assoc(vm.heap, take(list), i, std::move(item)));
}

Bits SlowPaths::item(const Bits* r, const Word* ip) {
    const Borrowed list(r[word_a(*ip)]);
    const auto i = static_cast<std::uint64_t>(bits::to_integer(r[word_a(*ip) + 1]));
    if (!list->is_vector() || i >= vector_length(list)) return bits::kHole;
    return vector_get(list, i).give_up();
}

namespace {

/// The check of the list that an element's check belongs to.
CheckSite list_site(const CheckSite& item) {
    return {item.vm, item.run, item.run.table.checks[item.check.parent], item.frame};
}

} // namespace

template <> bool SlowPaths::step<Op::CheckItems>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    CheckRun& run = *vm.check_run_;
    CheckSite site = site_of(vm, run, r, ip[1]);
    Bits& reg = r[word_a(*ip)];
    const auto mask = static_cast<KindMask>(word_bc(*ip));
    if (!owned(reg).is_vector()) {
        const CheckSite list = list_site(site);
        const bool is_absent = owned(reg).is_nil() || owned(reg).is_hole();
        return (is_absent && list.check.type->is_optional) ||
               list.fault(describe_mismatch(*list.check.type, owned(reg)));
    }
    const std::size_t size = vector_length(owned(reg));
    if (!vm.heap.meter.charge(static_cast<std::int64_t>(size))) return out_of(vm);
    for (std::size_t i = 0; i < size; ++i) {
        Value temporary;
        const Value& given = vector_element(owned(reg), i, temporary);
        if (is_in(mask, given.raw())) continue;
        const std::string index = "[" + std::to_string(i) + "]";
        site.item = &index;
        bool changed = false;
        Value value;
        if (!site.check_value(given, &changed, &value)) return false;
        if (changed && !replace(vm, reg, vector_assoc(vm.heap, take(reg), i, std::move(value)))) return false;
    }
    return true;
}

bool SlowPaths::check_collection(Vm& vm, const Bits* r, const Word* ip, bool* is_absent) {
    const CheckSite site = site_of(vm, *vm.check_run_, r, word_bc(*ip));
    const Borrowed value(r[word_a(*ip)]);
    const bool is_there = word_op(*ip) == Op::CheckMap ? value->is_map() : value->is_vector();
    if (!is_there) {
        *is_absent = true;
        if (site.check.type->is_optional && (value->is_nil() || value->is_hole())) return true;
        return site.fault(describe_mismatch(*site.check.type, value));
    }
    if (value->is_vector()) return true;
    const bool keeps_keys = vm.check_run_->options.keeps_keys;
    const Watched is_watched = [&](std::string_view name) {
        return !keeps_keys || std::ranges::any_of(site.check.type->fields,
                                                  [&](const Field& field) { return names_match(field.name, name); });
    };
    Clash clash;
    if (value->is(ObjectType::Record)) {
        clash = clash_of_shape(*as_record(value).shape, is_watched);
        if (!clash && !keeps_keys)
            vm.caches_->at(word_bc(*ip)) = {as_record(value).shape, reinterpret_cast<Bits>(ip), 0};
    } else {
        if (!vm.heap.meter.charge(static_cast<std::int64_t>(map_count(value)))) return out_of(vm);
        clash = clash_in_table(vm.heap, value, is_watched);
    }
    return !clash || site.fault(clash_message(clash));
}

template <> bool SlowPaths::step<Op::CheckExtras>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    CheckSite site = site_of(vm, *vm.check_run_, r, ip[1]);
    const Borrowed value(r[word_a(*ip)]);
    if (!value->is_map()) return true;
    const std::vector<Field>& fields = site.check.type->fields;
    Result<MapView> view = MapView::of(vm.heap, value);
    if (!view.ok()) return fail(vm, view.take_error());
    const std::size_t work = view.value().size() * (fields.size() + 1);
    if (!vm.heap.meter.charge(static_cast<std::int64_t>(work))) return out_of(vm);
    const std::string path = site.path();
    for (std::size_t i = 0; i < view.value().size(); ++i) {
        const Value& key = view.value().key(i);
        const bool is_text = key.is_string() || key.is_keyword();
        if (is_text && std::ranges::any_of(fields, [&](const Field& f) { return names_match(f.name, text_of(key)); }))
            continue;
        const std::string name = is_text ? normalized_name(text_of(key).substr(0, 200)) : shown_key(key);
        const bool noted =
            note(vm, site.run.report.faults, site.run.report.more_faults, site.run.options.max_faults, [&] {
                return Fault{path.empty() ? name : path + "." + name, "unexpected field"};
            });
        if (!noted) return false;
    }
    return true;
}

// ---- Unions whose alternatives have to be tried

template <> bool SlowPaths::step<Op::BeginTrial>(Vm& vm, Bits*, const Bits*, const Word*) {
    CheckRun& run = *vm.check_run_;
    const CheckReport& report = run.report;
    run.trials.push_back(
        {report.faults.size(), report.warnings.size(), report.more_faults, report.more_warnings, run.coerces});
    run.coerces = false;
    return true;
}

bool SlowPaths::end_trial(Vm& vm, Bits* r, const Word* ip) {
    CheckRun& run = *vm.check_run_;
    CheckReport& report = run.report;
    const CheckRun::Trial& trial = run.trials.back();
    Value tried = take(r[word_b(*ip)]);
    if (report.faults.size() == trial.faults && report.more_faults == trial.more_faults) {
        owned(r[word_a(*ip)]) = std::move(tried);
        run.coerces = trial.coerces;
        run.trials.pop_back();
        return true;
    }
    report.faults.resize(trial.faults);
    report.warnings.resize(trial.warnings);
    report.more_faults = trial.more_faults;
    report.more_warnings = trial.more_warnings;
    return false;
}

bool SlowPaths::retry_trial(Vm& vm) {
    CheckRun& run = *vm.check_run_;
    if (run.coerces || !run.trials.back().coerces) return false;
    run.coerces = true;
    return true;
}

template <> bool SlowPaths::step<Op::FailTrial>(Vm& vm, Bits* r, const Bits*, const Word* ip) {
    CheckRun& run = *vm.check_run_;
    run.coerces = run.trials.back().coerces;
    run.trials.pop_back();
    const CheckSite site = site_of(vm, run, r, ip[1]);
    return site.fault(describe_mismatch(*site.check.type, Borrowed(r[word_a(*ip)])));
}

} // namespace ptc
