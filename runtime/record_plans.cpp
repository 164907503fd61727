// Plans for records that are made of others: worked out from shapes, remembered by the questions they answer.
#include "runtime/record_plans.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include <algorithm>
#include <vector>

namespace ptc {

/// A field of the record that is made: its key, borrowed, and where its value comes from.
struct RecordPlans::Field {
    const Value* key;
    std::uint8_t source;
};

class RecordPlans::Fields {
public:
    [[nodiscard]] std::span<const Field> all() const { return {fields_.data(), count_}; }
    /// False: there is no room.
    bool add(Field field) {
        if (count_ == fields_.size()) return false;
        fields_[count_++] = field;
        return true;
    }
    void sort() {
        std::sort(fields_.begin(), fields_.begin() + count_,
                  [](const Field& a, const Field& b) { return is_field_before(*a.key, *b.key); });
    }

private:
    std::array<Field, ShapeObject::kMaxFields> fields_;
    std::size_t count_ = 0;
};

namespace {

/// Whether two different keys may stand for one name.
bool may_be_one_name(const Value& a, const Value& b) {
    return std::ranges::equal(text_of(a), text_of(b), [](char x, char y) {
        return x == y || ((x == '-' || x == '_') && (y == '-' || y == '_'));
    });
}

} // namespace

RecordPlan RecordPlans::plan_of(const Fields& fields, const Value* type) {
    RecordPlan plan;
    if (fields.all().empty() || shapes_.is_crowded()) return plan;
    std::vector<Value> keys;
    for (const Field& field : fields.all()) {
        plan.sources[keys.size()] = field.source;
        keys.push_back(field.key->copy());
    }
    plan.to = shapes_.intern(keys, type);
    if (plan.to) bits::release(plan.to); // the table has it until it is swept, and so are the plans
    return plan;
}

template <class Make> const RecordPlan* RecordPlans::remembered(const Question& question, Make make) {
    Entry& entry = place(question);
    if (!(entry.question == question)) entry = {question, make()};
    return entry.plan.to ? &entry.plan : nullptr;
}

const RecordPlan* RecordPlans::merged(const ShapeObject& into, const ShapeObject& from) {
    return remembered({&into, &from, into.hash, from.hash}, [&] {
        Fields fields;
        for (std::uint32_t i = 0; i < into.count; ++i) {
            const std::uint32_t slot = shape_find(from, into.keys()[i]);
            fields.add({&into.keys()[i], static_cast<std::uint8_t>(slot == kNoSlot ? i : RecordPlan::kOther + slot)});
        }
        for (std::uint32_t i = 0; i < from.count; ++i) {
            const Value& key = from.keys()[i];
            if (shape_find_other_spelling(from, key) != kNoSlot) return RecordPlan{};
            if (shape_find(into, key) != kNoSlot) continue;
            const bool has_room = shape_find_other_spelling(into, key) == kNoSlot &&
                                  fields.add({&key, static_cast<std::uint8_t>(RecordPlan::kOther + i)});
            if (!has_room) return RecordPlan{};
        }
        fields.sort();
        return plan_of(fields, into.record_type());
    });
}

const RecordPlan* RecordPlans::selected(const ShapeObject& from, const Value& keys) {
    const std::span<const Value> wanted(as_flat(keys).data, vector_length(keys));
    if (wanted.empty() || !std::ranges::all_of(wanted, is_field_key)) return nullptr;
    const std::uint32_t keys_hash = text_hash(as_string(wanted.front())) ^ static_cast<std::uint32_t>(wanted.size());
    return remembered({&from, keys.object(), from.hash, keys_hash}, [&] {
        Fields fields;
        for (const Value& key : wanted) {
            const std::uint32_t slot = shape_find_flexible(from, key);
            if (slot == kNoSlot) continue;
            const auto same =
                std::ranges::find_if(fields.all(), [&](const Field& f) { return may_be_one_name(*f.key, key); });
            if (same != fields.all().end()) {
                if (!is_same_field(*same->key, key)) return RecordPlan{};
            } else if (!fields.add({&key, static_cast<std::uint8_t>(slot)})) {
                return RecordPlan{};
            }
        }
        fields.sort();
        return plan_of(fields, nullptr);
    });
}

} // namespace ptc
