// Types are walked by places: all records that one value may be (alternatives) are one, as a program reads its field by
// one name whatever the value is. First the keys are found that share a name somewhere, and get numbers for the whole
// schema; then each place gives those to its fields that share a name there.
#include "runtime/signature/field_names.h"
#include <algorithm>
#include <set>

namespace ptc {
namespace {

constexpr std::size_t kMaxWrittenName = 200; ///< bytes of a parameter's name that gets another one

bool is_first_of_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_in_name(char c) { return is_first_of_name(c) || (c >= '0' && c <= '9') || c == '-'; }

/// "a_b" of "a_b_2" and "a_b2".
std::string without_number(const std::string& name) {
    std::string stem = name.substr(0, name.find_last_not_of("0123456789") + 1);
    if (stem.ends_with('_')) stem.pop_back();
    return stem;
}

/// By the name that they share, those of the keys of one object that share one.
using Sharing = std::map<std::string, std::vector<std::string_view>>;
Sharing sharing_keys(std::span<const std::string> keys, bool are_parameters) {
    Sharing sharing;
    for (const std::string& key : keys)
        if (are_parameters || can_be_written(key)) sharing[name_in_programs(key)].push_back(key);
    sharing.erase("");
    std::erase_if(sharing, [](const auto& one) { return one.second.size() < 2; });
    return sharing;
}

/// The types that a value may be of at one place, and what is found of their fields.
class Place {
public:
    void add(Type& type) {
        if (type.is(TypeKind::Union)) {
            for (Type& item : type.items)
                add(item);
        } else if (type.is(TypeKind::List) || type.is(TypeKind::Record)) {
            types_.push_back(&type);
        }
    }
    [[nodiscard]] Place items() const {
        Place place;
        for (Type* type : types_)
            if (type->is(TypeKind::List)) place.add(type->items.front());
        return place;
    }
    [[nodiscard]] std::map<std::string, Place> entries() const {
        std::map<std::string, Place> places;
        for (Type* type : types_)
            for (Field& field : type->fields)
                places[field.name].add(field.type);
        return places;
    }
    [[nodiscard]] bool is_empty() const { return types_.empty(); }
    void rename(const OtherNames& names) const {
        for (Type* type : types_) {
            for (Field& field : type->fields)
                if (const auto other = names.find(field.name); other != names.end()) field.name = other->second;
        }
    }

private:
    std::vector<Type*> types_;
};

std::vector<std::string> keys_of(const std::map<std::string, Place>& entries) {
    std::vector<std::string> keys;
    for (const auto& [key, place] : entries)
        keys.push_back(key);
    return keys;
}

class Naming {
public:
    explicit Naming(bool has_parameters) : has_parameters_(has_parameters) {}

    FieldNames name(Type& type) {
        Place whole;
        whole.add(type);
        find(whole, has_parameters_);
        if (!shared_.empty()) number();
        rename(whole, "", "", has_parameters_);
        return std::move(found_);
    }

private:
    void find(const Place& place, bool are_parameters) {
        if (place.is_empty()) return;
        find(place.items(), false);
        const std::map<std::string, Place> entries = place.entries();
        const std::vector<std::string> keys = keys_of(entries);
        for (const std::string& key : keys)
            if (are_parameters || can_be_written(key)) all_.emplace(key, name_in_programs(key));
        for (const auto& [name, sharing] : sharing_keys(keys, are_parameters)) {
            shared_.insert(name);
            twins_.insert(sharing.begin(), sharing.end());
        }
        for (const auto& [key, inner] : entries)
            find(inner, false);
    }
    void number() {
        for (const auto& [key, name] : all_)
            if (shared_.contains(name) || shared_.contains(without_number(name))) twins_.insert(key);
        for (auto& [key, name] : names_apart({twins_.begin(), twins_.end()}))
            apart_.emplace(std::move(key), std::move(name));
        for (const std::string& key : twins_) {
            const auto other = apart_.find(key);
            const std::string own = can_be_written(key) ? key : written_parameter_name(key);
            found_.apart.push_back({other == apart_.end() ? own : other->second, key});
        }
    }
    void rename(const Place& place, const std::string& path, const std::string& path_now, bool are_parameters) {
        if (place.is_empty()) return;
        if (path != path_now) found_.paths.emplace(path, path_now);
        rename(place.items(), path + "[]", path_now + "[]", false);
        const std::map<std::string, Place> entries = place.entries();
        const OtherNames names = names_of_object(keys_of(entries), apart_, are_parameters);
        place.rename(names);
        for (const auto& [key, name] : names)
            if (!twins_.contains(key)) found_.written.push_back({name, key});
        const auto below = [](const std::string& above, const std::string& key) {
            return above.empty() ? key : above + "." + key;
        };
        for (const auto& [key, inner] : entries) {
            const auto other = names.find(key);
            rename(inner, below(path, key), below(path_now, other == names.end() ? key : other->second), false);
        }
    }

    bool has_parameters_;
    std::map<std::string, std::string> all_; ///< keys and their names
    std::set<std::string> shared_, twins_;   ///< names that keys share, and the keys of FieldNames::apart
    OtherNames apart_;
    FieldNames found_;
};

} // namespace

bool can_be_written(std::string_view name) {
    return !name.empty() && is_first_of_name(name.front()) && std::ranges::all_of(name, is_in_name);
}

std::string name_in_programs(std::string_view in_schema) {
    return normalized_name(can_be_written(in_schema) ? std::string(in_schema) : written_parameter_name(in_schema));
}

std::string written_parameter_name(std::string_view name) {
    if (name.size() > kMaxWrittenName) return "";
    std::string out;
    for (const char c : name) {
        if (is_in_name(c) && c != '-')
            out += c;
        else if (!out.empty() && out.back() != '-')
            out += '-';
    }
    while (out.ends_with('-'))
        out.pop_back();
    return out.empty() || is_first_of_name(out.front()) ? out : "_" + out;
}

std::vector<std::pair<std::string, std::string>> names_apart(std::vector<std::string> keys, std::size_t* tried) {
    struct Key {
        std::string name;
        int rank; ///< who comes first keeps the name: the one with underscores, then those that can be written
        std::string key;
        auto operator<=>(const Key&) const = default;
    };
    std::vector<Key> all;
    std::set<std::string> taken;
    for (std::string& key : keys) {
        std::string name = name_in_programs(key);
        if (name.empty()) continue;
        taken.insert(name);
        const int rank = name == key ? 0 : can_be_written(key) ? 1 : 2;
        all.push_back({std::move(name), rank, std::move(key)});
    }
    std::ranges::sort(all);
    std::vector<std::pair<std::string, std::string>> apart;
    std::size_t number = 1; // the last one behind this name: each is tried once, so that many names cost what they are
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool is_first = i == 0 || all[i - 1].name != all[i].name;
        if (is_first) {
            number = 1;
            continue;
        }
        std::string name;
        do {
            name = all[i].name + "_" + std::to_string(++number);
            if (tried) ++*tried;
        } while (!taken.insert(name).second);
        apart.emplace_back(std::move(all[i].key), std::move(name));
    }
    return apart;
}

OtherNames names_of_object(std::span<const std::string> keys, const OtherNames& apart, bool are_parameters) {
    OtherNames names;
    if (!apart.empty()) {
        for (const auto& [name, sharing] : sharing_keys(keys, are_parameters)) {
            for (const std::string_view key : sharing)
                if (const auto other = apart.find(key); other != apart.end()) names.emplace(key, other->second);
        }
    }
    for (const std::string& key : are_parameters ? keys : std::span<const std::string>()) {
        if (can_be_written(key) || names.contains(key)) continue;
        if (std::string name = written_parameter_name(key); !name.empty()) names.emplace(key, std::move(name));
    }
    return names;
}

FieldNames name_fields(Type& type, bool has_parameters) { return Naming(has_parameters).name(type); }

std::map<std::string, std::string> twin_arguments(std::span<const std::string> other_arguments) {
    const auto apart = names_apart({other_arguments.begin(), other_arguments.end()});
    return {apart.begin(), apart.end()};
}

} // namespace ptc
