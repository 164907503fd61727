// Keys and data names that a run did not find: nil came of them.
//
// KeySearch collects every key that could have been meant (those the run met, those of maps in the program, those of
// tools' results), then goes through the call that failed, through what is threaded into it and through what its names
// are bound to, and proposes the nearest known key for the first one that is unknown.
#include "compiler/check/near_key.h"
#include "compiler/repair/rules.h"
#include <algorithm>

namespace ptc::repair {
namespace {

/// Keys that maps in the program have.
void collect_keys(const Form& form, std::vector<std::string>& keys) {
    if (!has_items(form)) return;
    const FormSpan items = form.items();
    for (std::size_t i = 0; form.is(FormKind::Map) && i < items.size(); i += 2) {
        const bool option = items[i].is(FormKind::Keyword) && (items[i].text() == "keys" || items[i].text() == "or" ||
                                                               items[i].text() == "as" || items[i].text() == "strs");
        if (!option && (items[i].is(FormKind::Keyword) || items[i].is(FormKind::String)))
            keys.emplace_back(items[i].text());
    }
    if (calls(form, "assoc")) {
        for (std::size_t i = 1; i < items.size(); ++i) {
            if (items[i].is(FormKind::Keyword) || items[i].is(FormKind::String)) keys.emplace_back(items[i].text());
        }
    }
    for (const Form& item : items)
        collect_keys(item, keys);
}

/// Keys that a tool's results have, going by its signature.
void collect_keys(const Type& type, std::vector<std::string>& keys, int depth) {
    if (depth == 0) return;
    for (const Field& field : type.fields) {
        keys.push_back(field.name);
        collect_keys(field.type, keys, depth - 1);
    }
    for (const Type& part : type.items)
        collect_keys(part, keys, depth - 1);
}

std::string key_like(std::string_view name, const std::vector<std::string>& keys) {
    const std::vector<std::string_view> candidates(keys.begin(), keys.end());
    return near_key(name, candidates);
}

class KeySearch {
public:
    KeySearch(const Code& code) : code_(code), keys_(code.surroundings().keys) {
        for (const Form& form : code.top_level())
            collect_keys(form, keys_);
        constexpr int kDepth = 8;
        for (const ToolInfo& tool : code.surroundings().tools) {
            if (tool.signature) collect_keys(tool.signature->returns, keys_, kDepth);
        }
        std::sort(keys_.begin(), keys_.end());
        keys_.erase(std::unique(keys_.begin(), keys_.end()), keys_.end());
        for (const std::string& key : keys_)
            known_.push_back(spelled(key));
        std::sort(known_.begin(), known_.end());
    }

    Proposal in(const Form& form) {
        if (form.is(FormKind::Symbol)) return data_name(form);
        if (!has_items(form)) return std::nullopt;
        const FormSpan items = form.items();
        if (is_call(form)) {
            if (Proposal found = lookups(items)) return found;
        }
        if (form.is(FormKind::Map)) {
            if (Proposal found = pattern(form)) return found;
        }
        for (const Form& item : items) {
            if (Proposal found = in(item)) return found;
        }
        return std::nullopt;
    }
    /// The keys that the call of these items reads.
    Proposal lookups(FormSpan items) {
        const Form& head = items[0];
        if (head.is(FormKind::Keyword)) {
            if (Proposal found = key(head)) return found;
        }
        const bool gets = head.is_symbol("get") || head.is_symbol("update");
        const std::string_view function = code_.core_function(head);
        for (std::size_t i = 1; i < items.size(); ++i) {
            const Form& item = items[i];
            if (item.is(FormKind::Keyword) && !function.empty() && function != "assoc" && function != "hash-map") {
                if (Proposal found = key(item)) return found;
            }
            if (item.is(FormKind::String) && gets && i == 2) {
                if (Proposal found = key(item)) return found;
            }
            if (item.is(FormKind::Vector) && function.ends_with("-in")) {
                for (const Form& part : item.items()) {
                    if (!part.is(FormKind::Keyword) && !part.is(FormKind::String)) continue;
                    if (Proposal found = key(part)) return found;
                }
            }
        }
        return std::nullopt;
    }
    /// `name` bound by {:keys [name]} around `place`.
    Proposal bound(const Place& place, std::string_view name) {
        for (std::size_t i = 1; i < place.forms.size(); ++i) {
            const Form& form = *place.forms[i];
            if (!is_call(form)) continue;
            for (const Form& part : form.items()) {
                if (!part.is(FormKind::Vector)) continue;
                for (const Form& item : part.items()) {
                    if (!mentions(item, name)) continue;
                    if (item.is(FormKind::Map)) return pattern(item);
                    if (item.is_symbol(name) && &item + 1 < part.items().data() + part.size &&
                        (calls(form, "let") || calls(form, "loop"))) {
                        if (Proposal found = in(*(&item + 1))) return found;
                    }
                    if (item.is(FormKind::Symbol)) continue;
                }
            }
        }
        return std::nullopt;
    }

private:
    /// As a look-up reads it: hyphens match underscores.
    static std::string spelled(std::string_view name) {
        std::string out(name);
        std::replace(out.begin(), out.end(), '-', '_');
        return out;
    }
    [[nodiscard]] bool is_known(std::string_view name) const {
        return std::binary_search(known_.begin(), known_.end(), spelled(name));
    }

    Proposal key(const Form& form, bool as_symbol = false) {
        if (is_known(form.text())) return std::nullopt;
        const std::string near = key_like(form.text(), keys_);
        if (near.empty() || near == form.text()) return std::nullopt;
        const bool plain =
            near.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-?!") == near.npos;
        if (!plain) return form.is(FormKind::String) ? Proposal(replace(form, "\"" + near + "\"")) : std::nullopt;
        const std::string text = as_symbol ? near : form.is(FormKind::Keyword) ? ":" + near : "\"" + near + "\"";
        return replace(form, text, "The data have no such key; the nearest is `" + near + "`.");
    }

    /// {:keys [prices qty]}: the name in the pattern changes, and so do its uses.
    Proposal pattern(const Form& map) {
        const FormSpan items = map.items();
        for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
            const bool names =
                items[i].is(FormKind::Keyword) && (items[i].text() == "keys" || items[i].text() == "strs");
            if (items[i].is(FormKind::Symbol) && items[i + 1].is(FormKind::Keyword)) {
                if (Proposal found = key(items[i + 1])) return found;
            }
            if (!names || !items[i + 1].is(FormKind::Vector)) continue;
            for (const Form& name : items[i + 1].items()) {
                if (!name.is(FormKind::Symbol) || is_known(name.text())) continue;
                const std::string near = key_like(name.text(), keys_);
                if (near.empty()) continue;
                Repair repair;
                repair.edits = {removal(code_, name),
                                insertion(map.span.begin + 1,
                                          std::string(name.text()) +
                                              (items[i].text() == "strs" ? " \"" + near + "\" " : " :" + near + " "))};
                repair.edits = in_order(std::move(repair.edits));
                repair.hint = "The data have no such key; the nearest is `" + near + "`.";
                return repair;
            }
        }
        return std::nullopt;
    }

    Proposal data_name(const Form& form) {
        const auto& names = code_.surroundings().data_names;
        const std::size_t slash = form.text().find('/');
        if (!names || slash == std::string_view::npos) return std::nullopt;
        const std::string_view space = form.text().substr(0, slash);
        const std::string_view name = form.text().substr(slash + 1);
        if (space != "data" && space != "ctx") return std::nullopt;
        for (const std::string& known : *names) {
            if (normal_key(known) == normal_key(name) && known.size() == name.size() &&
                (known == name || normal_key(known) != known))
                return std::nullopt;
        }
        if (const std::size_t dot = name.find('.'); dot != name.npos) {
            const std::string base(name.substr(0, dot));
            if (std::find(names->begin(), names->end(), base) != names->end()) {
                Place place;
                place.forms = {&form};
                const Subject subject{code_, place, std::nullopt};
                return dotted_name(subject);
            }
        }
        const std::string near = key_like(name, *names);
        if (near.empty() || near == name) return std::nullopt;
        return replace(form, std::string(space) + "/" + near,
                       "The context has no such value; the nearest is `" + near + "`.");
    }

    const Code& code_;
    std::vector<std::string> keys_;
    std::vector<std::string> known_;
};

} // namespace

Proposal misspelt_data(const Code& code, const Place& place) { return KeySearch(code).in(place.form()); }

Proposal misspelt_key(const Code& code, const Place& place) {
    KeySearch search(code);
    const Form& list = place.form();
    if (calls(list, "update")) {
        if (Proposal found = search.lookups(list.items())) return found;
    }
    if (is_call(list)) {
        for (const Form& argument : list.items().subspan(1)) {
            if (Proposal found = search.in(argument)) return found;
            if (!argument.is(FormKind::Symbol)) continue;
            if (Proposal found = search.bound(place, argument.text())) return found;
        }
    }
    // What is threaded in, or bound further out.
    for (std::size_t i = 1; i < place.forms.size(); ++i) {
        const bool threads = is_call(*place.forms[i]) && place.forms[i]->items()[0].is(FormKind::Symbol) &&
                             is_threading(place.forms[i]->items()[0].text());
        if (!threads && i + 1 < place.forms.size()) continue;
        if (Proposal found = search.in(*place.forms[i])) return found;
    }
    return std::nullopt;
}

} // namespace ptc::repair
