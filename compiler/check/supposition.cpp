// The ways from a value to what may have been meant by it, found in what is known of the value: its fields, the fields
// of its items, its values. They are tried from the nearest one on (suppose.cpp), and written as the edits that they
// are.
#include "compiler/check/supposition.h"
#include "compiler/check/near_key.h"
#include "compiler/language/form_questions.h"
#include <algorithm>

namespace ptc {
namespace {

bool is_record(const Fact& fact) { return fact.kind == FactKind::Record; }
bool is_rows(const Fact& fact) { return fact.kind == FactKind::List && is_record(*fact.item); }

/// What the fields of a record have in common.
const Fact* value_of(Facts& facts, const Fact* record) { return facts.element_of(facts.item_of(record), 1); }

const Fact* fact_behind(Facts& facts, const Fact* fact, const WayStep& step) {
    const auto field_of = [&](const Fact& record) {
        const FactPart* part = is_record(record) ? Facts::find(record, step.name) : nullptr;
        return part ? part->fact : Facts::any();
    };
    switch (step.kind) {
    case WayStep::Field: return field_of(*fact);
    case WayStep::Values: return is_record(*fact) ? facts.list(value_of(facts, fact)) : Facts::any();
    case WayStep::Groups: return is_record(*fact) ? facts.list(facts.item_of(value_of(facts, fact))) : Facts::any();
    case WayStep::Keyed: {
        const Fact* value = is_record(*fact) ? value_of(facts, fact) : Facts::any();
        return facts.list(facts.with_field(value, step.name, Facts::of(FactKind::String, true)));
    }
    case WayStep::EachField: return fact->kind == FactKind::List ? facts.list(field_of(*fact->item)) : Facts::any();
    case WayStep::EachRows:
        return fact->kind == FactKind::List ? facts.list(facts.item_of(field_of(*fact->item))) : Facts::any();
    case WayStep::Flat: return fact->kind == FactKind::List ? facts.list(facts.item_of(fact->item)) : Facts::any();
    case WayStep::Argument: break;
    }
    return Facts::any();
}

/// Whether the fields of `record` hold maps, or rows, all with the same fields: their names are keys of data.
bool are_alike(const Fact& record) {
    if (record.parts.size() < 2) return false;
    const auto row_of = [](const FactPart& part) { return is_rows(*part.fact) ? part.fact->item : part.fact; };
    const Fact& first = *row_of(record.parts[0]);
    return std::ranges::all_of(record.parts, [&](const FactPart& part) {
        const Fact& row = *row_of(part);
        return is_record(row) && row.parts.size() == first.parts.size() &&
               part.fact->kind == record.parts[0].fact->kind &&
               std::ranges::all_of(row.parts, [&](const FactPart& field) { return Facts::find(first, field.name); });
    });
}

class WaySearch {
public:
    WaySearch(Facts& facts, std::span<const std::string_view> keys) : facts_(facts), keys_(keys) {}

    void look_in(const Fact* fact, std::uint32_t distance) {
        if (way_.size() == kMaxSteps || ways_.size() >= kMaxWays) return;
        if (is_record(*fact)) {
            const bool is_dictionary = are_alike(*fact);
            for (const FactPart& part : fact->parts) {
                if (is_dictionary) break;
                if (is_record(*part.fact) || part.fact->kind == FactKind::List)
                    go({WayStep::Field, part.name}, fact, distance + 2);
            }
            if (fact->parts.size() > 1) look_at_values(fact, distance);
        } else if (is_rows(*fact)) {
            for (const FactPart& part : fact->item->parts) {
                if (is_record(*part.fact)) go({WayStep::EachField, part.name}, fact, distance + 3);
                if (is_rows(*part.fact)) go({WayStep::EachRows, part.name}, fact, distance + 4);
            }
        } else if (fact->kind == FactKind::List && is_rows(*fact->item)) {
            go({WayStep::Flat, {}}, fact, distance + 3);
        }
    }
    std::vector<Way> take() { return std::move(ways_); }

private:
    static constexpr std::size_t kMaxSteps = 3;
    static constexpr std::size_t kMaxWays = 24;

    void look_at_values(const Fact* record, std::uint32_t distance) {
        const Fact& value = *value_of(facts_, record);
        if (is_rows(value)) return go({WayStep::Groups, {}}, record, distance + 5);
        const bool is_known = is_record(value) || value.kind == FactKind::Numeric || value.kind == FactKind::String;
        if (!is_known) return;
        go({WayStep::Values, {}}, record, distance + 3);
        for (const std::string_view key : keys_) {
            const std::vector<std::string> words = words_of_key(key);
            if (is_record(value) && is_one_of(words.back(), {"id", "key", "name", "code", "slug", "sku"}) &&
                !Facts::find(value, key))
                go({WayStep::Keyed, key}, record, distance + 7);
        }
    }
    void go(WayStep step, const Fact* from, std::uint32_t distance) {
        way_.push_back(step);
        ways_.push_back({way_, distance});
        look_in(fact_behind(facts_, from, step), distance);
        way_.pop_back();
    }

    Facts& facts_;
    std::span<const std::string_view> keys_;
    WaySteps way_;
    std::vector<Way> ways_;
};

bool is_keyword_name(std::string_view name) {
    const auto is_plain = [](char c) { return is_plain_name({&c, 1}); };
    return !name.empty() && std::ranges::all_of(name, is_plain) && (name.front() < '0' || name.front() > '9');
}

} // namespace

const Fact* fact_behind(Facts& facts, const Fact* fact, std::span<const WayStep> steps) {
    for (const WayStep& step : steps)
        fact = fact_behind(facts, fact, step);
    return fact;
}

std::vector<Way> ways_from(Facts& facts, const Fact* fact, std::span<const std::string_view> keys) {
    WaySearch search(facts, keys);
    search.look_in(fact, 0);
    std::vector<Way> ways = search.take();
    std::ranges::stable_sort(ways, {}, &Way::distance);
    return ways;
}

CodeAround code_of(std::span<const WayStep> steps) {
    CodeAround code;
    const auto put = [&](std::string_view before, std::string_view behind) {
        code.before.insert(0, before);
        code.behind += behind;
    };
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const std::string name(steps[i].name);
        const bool is_plain = is_keyword_name(name);
        const std::string key = is_plain ? ":" + name : "\"" + name + "\"";
        const std::string reader = is_plain ? key : "(fn [m] (get m " + key + "))";
        switch (steps[i].kind) {
        case WayStep::Field: {
            std::string path = key;
            while (i + 1 < steps.size() && steps[i + 1].kind == WayStep::Field) {
                const std::string_view next = steps[++i].name;
                path += is_keyword_name(next) ? " :" + std::string(next) : " \"" + std::string(next) + "\"";
            }
            if (path != key)
                put("(get-in ", " [" + path + "])");
            else if (is_plain)
                put("(" + key + " ", ")");
            else
                put("(get ", " " + key + ")");
            break;
        }
        case WayStep::Values: put("(vals ", ")"); break;
        case WayStep::Groups: put("(apply concat (vals ", "))"); break;
        case WayStep::Keyed: put("(map (fn [[k v]] (assoc v " + key + " k)) ", ")"); break;
        case WayStep::EachField: put("(map " + reader + " ", ")"); break;
        case WayStep::EachRows: put("(mapcat " + reader + " ", ")"); break;
        case WayStep::Flat: put("(apply concat ", ")"); break;
        case WayStep::Argument: break;
        }
    }
    return code;
}

} // namespace ptc
