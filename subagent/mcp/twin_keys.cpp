// A result is walked beside its type, twice: first the keys are found that share a name with others, so that a key has
// one name in all rows, then all are named. What a tool's keys were called is remembered, and bounded: keys come from
// servers.
#include "subagent/mcp/twin_keys.h"
#include "frontend/work.h"
#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

namespace ptc::mcp {
namespace {

constexpr std::size_t kMostKeyDepth = 64;
constexpr std::size_t kMostKept = 1000;  ///< names of a tool's keys
constexpr std::size_t kWorkOfValue = 10; ///< of work::Scope: looked at, copied, and gone

/// The types that a value may be of: none where its keys are not declared.
using Types = std::vector<const Type*>;

void add_types(const Type& type, Types& types) {
    if (type.is(TypeKind::Union)) {
        for (const Type& item : type.items)
            add_types(item, types);
    } else if (type.is(TypeKind::List) || type.is(TypeKind::Record)) {
        types.push_back(&type);
    }
}

void add_names(const Type& type, std::set<std::string>& names) {
    for (const Type& item : type.items)
        add_names(item, names);
    for (const Field& field : type.fields) {
        names.insert(normalized_name(field.name));
        add_names(field.type, names);
    }
}

Types items_of(const Types& types) {
    Types items;
    for (const Type* type : types)
        if (type->is(TypeKind::List)) add_types(type->element(), items);
    return items;
}

bool may_have_hyphens(const Datum& value, std::size_t depth) {
    if (depth > kMostKeyDepth || !work::charge(1)) return false;
    const auto of_item = [depth](const Datum& item) { return may_have_hyphens(item, depth + 1); };
    if (value.list()) return std::ranges::any_of(value.items(), of_item);
    return std::ranges::any_of(value.entries(), [&](const auto& entry) {
        return (entry.first.text() && entry.first.text()->find('-') != std::string::npos) || of_item(entry.second);
    });
}

} // namespace

class Renaming {
public:
    Renaming(TwinKeys& keys, const Type& type, std::span<const RenamedParameter> names) : keys_(keys) {
        for (const RenamedParameter& one : names)
            fields_.emplace(one.in_schema, one.name), renamed_.insert(one.name);
        add_names(type, declared_);
        const std::scoped_lock lock(keys_.mutex_);
        others_ = keys_.names_;
        given_ = keys_.given_;
    }

    void find(const Types& types, const Datum& value, std::size_t depth) {
        if (!is_looked_at(value, depth)) return;
        if (value.list()) {
            const Types items = items_of(types);
            for (const Datum& item : value.items())
                find(items, item, depth + 1);
            return;
        }
        find_twins(types, value);
        for (const auto& [key, item] : value.entries())
            find(types_of(types, key), item, depth + 1);
    }
    /// Gives names to what was found, unless another call has done so meanwhile.
    void number() {
        const std::scoped_lock lock(keys_.mutex_);
        std::map<std::string, std::size_t> numbers;
        for (const std::string& key : twins_) {
            if (const auto kept = keys_.names_.find(key); kept != keys_.names_.end()) {
                others_.insert(*kept);
                continue;
            }
            const std::string plain = normalized_name(key);
            std::size_t& number = numbers.emplace(plain, 1).first->second;
            std::string name;
            do {
                name = plain + "_" + std::to_string(++number);
            } while (declared_.contains(name) || plain_.contains(name) || keys_.given_.contains(name));
            plain_.insert(name);
            others_.emplace(key, name);
            if (keys_.names_.size() >= kMostKept) continue;
            keys_.names_.emplace(key, name);
            keys_.given_.insert(std::move(name));
        }
    }
    [[nodiscard]] Datum named(const Types& types, const Datum& value, std::size_t depth) const {
        if (!is_looked_at(value, depth)) return value;
        if (value.list()) {
            const Types inner = items_of(types);
            Datum::List items;
            for (const Datum& item : value.items())
                items.push_back(named(inner, item, depth + 1));
            return Datum(std::move(items));
        }
        Datum::Map entries;
        for (const auto& [key, item] : value.entries()) {
            const std::string* name = key.text() ? name_of(types, *key.text()) : nullptr;
            entries.emplace_back(name ? Datum(*name) : key, named(types_of(types, key), item, depth + 1));
        }
        return Datum(std::move(entries));
    }

private:
    static bool is_looked_at(const Datum& value, std::size_t depth) {
        return work::charge(kWorkOfValue) && depth <= kMostKeyDepth && (value.list() || value.map());
    }
    /// What the field is called in a type that has it; null for another key.
    [[nodiscard]] const std::string* field_in(const Type& type, const std::string& key) const {
        const auto has = [&](const std::string& name) {
            return std::ranges::find(type.fields, name, &Field::name) != type.fields.end();
        };
        const auto other = fields_.find(key);
        if (other != fields_.end() && has(other->second)) return &other->second;
        const bool is_name_of_another = other == fields_.end() && renamed_.contains(key);
        return has(key) && !is_name_of_another ? &key : nullptr;
    }
    [[nodiscard]] const std::string* field_of(const Types& types, const std::string& key) const {
        const std::string* own = nullptr;
        for (const Type* type : types) {
            const std::string* name = field_in(*type, key);
            if (name && name != &key) return name;
            if (name) own = name;
        }
        return own;
    }
    [[nodiscard]] Types types_of(const Types& types, const Datum& key) const {
        Types inner;
        for (const Type* type : key.text() ? types : Types()) {
            const std::string* name = field_in(*type, *key.text());
            if (name) add_types(std::ranges::find(type->fields, *name, &Field::name)->type, inner);
        }
        return inner;
    }
    /// Null where it has its own.
    [[nodiscard]] const std::string* name_of(const Types& types, const std::string& key) const {
        if (const std::string* field = field_of(types, key)) return field == &key ? nullptr : field;
        const auto other = others_.find(key);
        return other == others_.end() ? nullptr : &other->second;
    }
    /// Of the keys of one map, those that are no fields and share a name: the one with underscores keeps it.
    void find_twins(const Types& types, const Datum& map) {
        std::vector<std::pair<std::string, const std::string*>> keys; // by the names that they have so far
        for (const auto& [key, item] : map.entries()) {
            if (!key.text() || field_of(types, *key.text()) || others_.contains(*key.text())) continue;
            keys.emplace_back(normalized_name(*key.text()), key.text());
            plain_.insert(keys.back().first);
        }
        std::ranges::sort(keys, {}, [](const auto& one) {
            return std::tuple(std::string_view(one.first), one.first != *one.second, std::string_view(*one.second));
        });
        const std::string* before = nullptr;
        for (const auto& [plain, key] : keys) {
            const bool is_taken = (before && *before == plain) || given_.contains(plain) || has_field(types, plain);
            if (is_taken) twins_.insert(*key);
            before = &plain;
        }
    }
    static bool has_field(const Types& types, const std::string& plain) {
        return std::ranges::any_of(types, [&](const Type* type) {
            return std::ranges::any_of(type->fields,
                                       [&](const Field& field) { return names_match(field.name, plain); });
        });
    }

    TwinKeys& keys_;
    std::map<std::string, std::string, std::less<>> fields_; ///< names of declared fields that have others
    std::set<std::string> renamed_;                          ///< these names
    std::set<std::string> declared_, plain_;                 ///< names of fields, and of other keys, normalized
    std::set<std::string> twins_;                            ///< keys that get other names
    TwinKeys::Names others_;                                 ///< these, and those that had one before
    std::set<std::string, std::less<>> given_;               ///< names that were given before
};

bool has_hyphens(const Datum& value) { return may_have_hyphens(value, 0); }

Result<Datum> TwinKeys::with_names_apart(Datum value, const Type& type, std::span<const RenamedParameter> names) {
    Renaming renaming(*this, type, names);
    Types types;
    add_types(type, types);
    renaming.find(types, value, 0);
    if (!work::is_over()) renaming.number();
    Datum named = renaming.named(types, value, 0);
    if (work::is_over())
        return Error(Reason::Timeout, "Naming the fields of the result took longer than there is time.");
    return named;
}

} // namespace ptc::mcp
