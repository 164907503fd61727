// Data sets that missions share. What is known of a set (what is firewalled in it, its names) is worked out once and
// kept with the set, so a mission over it costs what its programs cost; so does the first one, where the JSON text of
// the set had no firewalled name. A prompt gets trees of those names alone that
// its template names, and a snapshot has names and digests, by which a resume says what is missing or different.
#include "subagent/agent/shared_data.h"
#include "frontend/quoted.h"
#include "frontend/try.h"
#include "frontend/work.h"
#include "ptc/template.h"
#include "runtime/map.h"
#include "runtime/set.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include "subagent/engine/convert.h"
#include "subagent/engine/data_set_impl.h"
#include "subagent/engine/invalid_request.h"
#include "subagent/engine/template_node.h"
#include <algorithm>
#include <map>

namespace ptc {
namespace {

/// Learns what is below firewalled keys of a value without making a tree of the rest. A value that cannot be looked at
/// may hold anything.
class SecretSearch {
public:
    SecretSearch(Heap& heap, Secrets& secrets) : heap_(heap), secrets_(secrets) {}
    // A level of the C++ stack for a level of the data, which are at most as deep as JSON may be.
    void look_at(const Value& value) {
        if (secrets_.is_full || !work::charge(1)) return;
        if (value.is_vector()) return look_at_items(value);
        if (value.is_map()) return look_at_entries(value);
        if (!value.is_set()) return;
        const Result<Value> items = set_items(heap_, value);
        if (items.ok())
            look_at_items(items.value());
        else
            secrets_.is_full = true;
    }

private:
    void look_at_items(const Value& vector) {
        const VectorReader items(vector);
        for (std::size_t i = 0; i < items.size(); ++i)
            look_at(items.at(i));
    }
    void look_at_entries(const Value& map) {
        const Result<MapView> view = MapView::of(heap_, map);
        if (!view.ok()) {
            secrets_.is_full = true;
            return;
        }
        for (std::size_t i = 0; i < view.value().size(); ++i) {
            const Value& key = view.value().key(i);
            const bool is_name = key.is_string() || key.is_keyword();
            if (is_name && is_firewalled(text_of(key)))
                learn_entry(text_of(key), view.value().value(i));
            else
                look_at(view.value().value(i));
        }
    }
    void learn_entry(std::string_view key, const Value& value) {
        Result<Datum> tree = to_datum(heap_, value);
        if (tree.ok())
            learn_secrets(secrets_, Datum(Datum::Map{{Datum(key), std::move(tree).value()}}));
        else
            secrets_.is_full = true;
    }

    Heap& heap_;
    Secrets& secrets_;
};

bool is_named(const std::set<std::string, std::less<>>& names, std::string_view name) {
    return std::ranges::any_of(names, [&](const std::string& one) { return names_match(one, name); });
}

} // namespace

std::shared_ptr<const Secrets> secrets_of(const DataSet& set) {
    if (!impl_of(set).may_have_firewalled_names) return std::make_shared<Secrets>();
    const auto known = impl_of(set).derived.get_in_time<Secrets>("secrets", [&]() -> std::shared_ptr<Secrets> {
        auto secrets = std::make_shared<Secrets>();
        Heap heap; // frozen maps keep their own views
        heap.meter.start_in_scope(Meter::kUnlimited);
        SecretSearch(heap, *secrets).look_at(Value::adopt(impl_of(set).root));
        return work::is_over() ? nullptr : secrets;
    });
    if (known) return known;
    auto anything = std::make_shared<Secrets>();
    anything->is_full = true;
    return anything;
}

std::vector<std::pair<std::string, const DataSet*>> names_in(const DataSets& sets) {
    std::vector<std::pair<std::string, const DataSet*>> all;
    std::set<std::string, std::less<>> seen;
    for (const auto& set : sets) {
        for (std::string& name : set->names()) {
            if (seen.insert(name).second) all.emplace_back(std::move(name), set.get());
        }
    }
    return all;
}

Result<Datum> context_shown_by(const Template& prompt, const Datum& context, const DataSets& sets) {
    const std::set<std::string, std::less<>> names = names_used(prompt);
    Datum::Map shown;
    for (const auto& [key, value] : *context.map()) {
        if (is_named(names, key_name(key))) shown.emplace_back(key, value);
    }
    Heap heap; // frozen maps keep their own views
    for (const auto& [name, set] : names_in(sets)) {
        const bool is_hidden = std::ranges::any_of(shown, [&](const auto& one) { return key_name(one.first) == name; });
        if (is_hidden || !is_named(names, name)) continue;
        shown.emplace_back(Datum(name), PTC_TRY(to_datum(heap, *impl_of(*set).find(name))));
    }
    return Datum(std::move(shown));
}

void write_data_sets(ByteWriter& out, const DataSets& sets) {
    out.size(sets.size());
    for (const auto& set : sets) {
        const std::vector<std::string> names = set->names();
        out.size(names.size());
        for (const std::string& name : names) {
            out.text(name);
            out.text(set->digest(name));
        }
    }
}

Result<void> check_data_sets(ByteReader& in, const DataSets& sets) {
    std::map<std::string, std::string, std::less<>> given;
    for (const auto& [name, set] : names_in(sets))
        given.emplace(name, set->digest(name));
    std::vector<std::vector<std::string>> written;
    std::string problems;
    std::set<std::string, std::less<>> known;
    for (std::size_t n = in.count(); n > 0 && in.ok(); --n) {
        auto& names = written.emplace_back();
        for (std::size_t m = in.count(2); m > 0 && in.ok(); --m) {
            const std::string name(in.text()), digest(in.text());
            names.push_back(name);
            if (!known.insert(name).second) continue; // hidden by the one before
            const auto found = given.find(name);
            if (found == given.end())
                problems += " It reads data/" + name + " (digest " + digest + "), which is missing.";
            else if (found->second != digest)
                problems +=
                    " data/" + name + " is different: its digest was " + digest + " and is " + found->second + ".";
        }
    }
    for (const auto& [name, digest] : given) {
        if (!known.contains(name)) problems += " It began without data/" + name + ".";
    }
    const auto has_names = [](const auto& set, const auto& names) { return set->names() == names; };
    if (in.ok() && problems.empty() && !std::ranges::equal(sets, written, has_names))
        problems = " They are given in another order, or in other sets.";
    if (problems.empty() || !in.ok()) return {}; // bytes that are cut short are found by whoever reads on
    return invalid_request("The mission goes on with the data sets that it began with." + problems);
}

} // namespace ptc
