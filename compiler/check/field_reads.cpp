// Reads of fields: what they give, and what mends those that find nothing.
//
// A key that is nowhere may be misspelt; it may lie deeper, in a record of the record; the record may only wrap what is
// read ((:data (tool/users)), where the tool gives the users themselves); or the data have a level that the program
// does not know of: a map around the rows, or rows that are items of rows. Where one of these is the only one that
// fits, the warning has its edit, and otherwise it says which fields there are.
#include "compiler/check/check_warnings.h"
#include "compiler/check/lints.h"
#include "compiler/check/near_key.h"
#include "compiler/language/form_questions.h"
#include "frontend/json_writer.h"
#include <algorithm>

namespace ptc {
namespace {

using FormSpan = std::span<const Form>;
using Path = std::vector<std::string_view>;

bool is_record(const Fact& fact) { return fact.kind == FactKind::Record; }
/// Rows of records.
bool is_table(const Fact& fact) { return fact.kind == FactKind::List && is_record(*fact.item); }

/// A key as it can be written: a keyword where that can be, else a text.
std::string written(std::string_view name) {
    constexpr std::string_view kInKeywords = "?!.*+<>=";
    const bool is_plain = !name.empty() && std::ranges::all_of(name, [&](char c) {
        return is_plain_name({&c, 1}) || kInKeywords.find(c) != kInKeywords.npos;
    });
    const bool starts = is_plain && (name.front() < '0' || name.front() > '9');
    if (starts) return ":" + std::string(name);
    std::string text;
    append_json_string(text, name);
    return text;
}

/// Collects the ways to a field of this name, or of the words of the way (customer-name: of the customer, the name).
class WaySearch {
public:
    explicit WaySearch(std::string_view name) : wanted_(normal_key(name)), words_(words_of_key(name)) {}

    void look_in(const Fact& record) {
        if (path_.size() == kMaxDepth || looked_++ == kMaxLooks) return;
        for (const FactPart& part : record.parts) {
            path_.push_back(part.name);
            if (path_.size() > 1 && (normal_key(part.name) == wanted_ || words_of(path_) == words_))
                found_.push_back(path_);
            if (is_record(*part.fact)) look_in(*part.fact);
            path_.pop_back();
        }
    }
    /// The only one; empty for none and for several.
    [[nodiscard]] Path only() const { return found_.size() == 1 ? found_.front() : Path(); }

private:
    static constexpr std::size_t kMaxDepth = 4;
    static constexpr std::size_t kMaxLooks = 200;
    static std::vector<std::string> words_of(const Path& path) {
        std::vector<std::string> words;
        for (const std::string_view name : path) {
            for (std::string& word : words_of_key(name))
                words.push_back(std::move(word));
        }
        return words;
    }
    std::string wanted_;
    std::vector<std::string> words_;
    Path path_;
    std::vector<Path> found_;
    std::size_t looked_ = 0;
};

Path way_to(const Fact& record, std::string_view name) {
    WaySearch search(name);
    search.look_in(record);
    return search.only();
}

/// Words for what a result is wrapped in elsewhere.
bool is_wrapper(std::string_view name) {
    return is_one_of(name, {"result", "results", "data", "value", "values", "body", "response", "output", "content",
                            "items", "rows", "payload", "args", "arguments", "json", "records", "list"});
}

// ---- Edits

/// `names`: the vector that holds the name `key`. It goes away, and `replacement` stands behind the vector.
void replace_name(const Form& key, const Form& names, std::string replacement, Error& error) {
    if (names.span.end <= key.span.end) return;
    const FormSpan items = names.items();
    const auto at = static_cast<std::size_t>(
        std::ranges::find_if(items, [&](const Form& f) { return f.span == key.span; }) - items.begin());
    if (at == items.size()) return;
    const bool last = at + 1 == items.size();
    const std::uint32_t begin = at == 0 || !last ? key.span.begin : items[at - 1].span.end;
    const std::uint32_t end = last ? key.span.end : items[at + 1].span.begin;
    error.edits.push_back({{begin, end}, ""});
    error.edits.push_back({{names.span.end, names.span.end}, " " + std::move(replacement)});
}

/// All names of one pattern that are misspelt, at the first of them.
void replace_names(const Form& names, const std::vector<std::pair<const Form*, std::string>>& near, Error& error) {
    std::string taken;
    std::string kept;
    for (const Form& item : names.items()) {
        const auto found = std::ranges::find(near, &item, &std::pair<const Form*, std::string>::first);
        if (found == near.end())
            kept += (kept.empty() ? "" : " ") + std::string(item.text());
        else
            taken += " " + std::string(item.text()) + " " + written(found->second);
    }
    error.edits.push_back({names.span, "[" + kept + "]" + taken});
}

/// The key is read as this way instead: one key, or several from the outside to the inside.
void read_instead(const Form& key, const KeyRead& read, const Path& way, Error& error) {
    const std::string last =
        key.is(FormKind::String) && way.size() == 1 ? "\"" + std::string(way[0]) + "\"" : written(way.back());
    const bool all_keywords = std::ranges::all_of(way, [](std::string_view name) { return written(name)[0] == ':'; });
    std::string in_order;
    std::string from_inside;
    for (const std::string_view name : way)
        in_order += (in_order.empty() ? "" : " ") + written(name);
    for (std::size_t i = way.size(); i-- > 0;)
        from_inside += (from_inside.empty() ? "" : " ") + written(way[i]);
    const auto put = [&](std::string text) { error.edits.push_back({key.span, std::move(text)}); };
    switch (read.kind) {
    case KeyRead::Head: {
        if (!read.around || read.around->size < 2) return;
        const Span map = read.around->items()[1].span;
        if (!all_keywords) {
            if (way.size() > 1 || read.around->size > 2) return;
            put("get");
            error.edits.push_back({{map.end, map.end}, " " + last});
            return;
        }
        std::string before;
        for (std::size_t i = way.size() - 1; i-- > 0;)
            before += "(" + written(way[i]) + " ";
        put(last);
        if (before.empty()) return;
        error.edits.push_back({{map.begin, map.begin}, before});
        error.edits.push_back({{map.end, map.end}, std::string(way.size() - 1, ')')});
        return;
    }
    case KeyRead::Step:
        if (all_keywords) put(in_order);
        return;
    case KeyRead::Function:
        if (way.size() == 1 && all_keywords) return put(last);
        if (all_keywords)
            put("(comp " + from_inside + ")");
        else if (way.size() == 1)
            put("(fn [m] (get m " + last + "))");
        return;
    case KeyRead::Argument: return put(way.size() == 1 ? last : "[" + in_order + "]");
    case KeyRead::PathItem: return put(way.size() == 1 ? last : in_order);
    case KeyRead::Name: {
        std::string taken = std::string(key.text()) + " " + last;
        for (std::size_t i = way.size() - 1; i-- > 0;)
            taken = "{" + taken + "} " + written(way[i]);
        if (read.around) replace_name(key, *read.around, std::move(taken), error);
        return;
    }
    case KeyRead::Other:
        if (way.size() == 1) put(last);
        return;
    }
}

/// (:data x) as x.
void leave_out(const Form& key, const KeyRead& read, Error& error) {
    if (read.kind != KeyRead::Head || !read.around || read.around->size != 2) return;
    const Form& list = *read.around;
    const Span map = list.items()[1].span;
    if (key.span.begin != list.span.begin + 1 || map.begin < key.span.end) return; // #(:data %)
    error.edits.push_back({{list.span.begin, map.begin}, ""});
    error.edits.push_back({{map.end, list.span.end}, ""});
    error.hint = "It is that already: leave " + written(key.text()) + " out.";
}

/// Where the name stands in the program, when it stands there once.
void find_symbol(FormSpan forms, std::string_view name, std::vector<Span>& found) {
    for (const Form& form : forms) {
        if (form.is_symbol(name)) found.push_back(form.span);
        if (has_items(form)) find_symbol(form.items(), name, found);
    }
}

/// `in_map`: a symbol may stand for a key, as in {:keys [name]}.
bool mentions_key(FormSpan forms, std::string_view name, bool in_map = false) {
    return std::ranges::any_of(forms, [&](const Form& form) {
        if (form.is(FormKind::Keyword) || form.is(FormKind::String) || (in_map && form.is(FormKind::Symbol)))
            return normal_key(form.text()) == normal_key(name);
        const bool is_names = form.is(FormKind::Map) || (in_map && form.is(FormKind::Vector));
        return has_items(form) && mentions_key(form.items(), name, is_names);
    });
}

/// The only field of `record` that holds rows with a field `name`.
std::string_view rows_with(const Fact& record, std::string_view name) {
    std::string_view found;
    for (const FactPart& part : record.parts) {
        if (!is_table(*part.fact) || !Facts::find(*part.fact->item, name)) continue;
        if (!found.empty()) return {};
        found = part.name;
    }
    return found;
}

} // namespace

/// data/NAME, which stands in the program once, becomes `code` around it.
bool Lints::wrap_origin(std::string_view origin, std::string_view before, Error& error) {
    if (!origin.starts_with("data/")) return false;
    std::vector<Span> places;
    find_symbol(program_, origin, places);
    if (places.size() != 1) return false;
    const Span place = places[0];
    error.edits.push_back({{place.begin, place.begin}, std::string(before)});
    error.edits.push_back({{place.end, place.end}, ")"});
    error.hint = "Write `" + std::string(before) + std::string(origin) + ")`.";
    return true;
}

/// What the data of this name hold.
const Fact* Lints::fact_of_origin(std::string_view origin) {
    Form symbol;
    symbol.kind = FormKind::Symbol;
    symbol.chars = origin.data();
    symbol.size = static_cast<std::uint32_t>(origin.size());
    return origin.starts_with("data/") ? fact_of_name_(symbol) : Facts::any();
}

void Lints::check_updated(const Form& key, const Fact& map) {
    std::vector<std::string_view> fields;
    for (const FactPart& part : map.parts)
        fields.push_back(part.name);
    const std::string near = near_spelling(key.text(), fields);
    if (report_.is_full()) return;
    Error error = unknown_field(key, map);
    if (!near.empty()) {
        error.edits.push_back({key.span, written(near)});
        error.hint = "Did you mean `" + written(near) + "`?";
        return report_.warn(std::move(error));
    }
    const Path way = way_to(map, key.text());
    if (way.size() < 2) return;
    // #(update % :city f): the function stands two places in front of the key
    std::string path;
    for (const std::string_view name : way)
        path += (path.empty() ? "[" : " ") + written(name);
    const std::string_view before = source_.text().substr(0, key.span.begin);
    const std::size_t head = before.find_last_of("()");
    if (head == before.npos || !before.substr(head).starts_with("(update ")) return;
    const auto at = static_cast<std::uint32_t>(head + sizeof "(update" - 1);
    error.edits.push_back({{at, at}, "-in"});
    error.edits.push_back({key.span, path + "]"});
    error.hint = "It lies deeper: (update-in m " + path + "] f).";
    report_.warn(std::move(error));
}

/// A field that `record` does not have.
void Lints::mend_read(const Form& key, const KeyRead& read, const Fact& record, Error& error) {
    std::vector<std::string_view> fields;
    for (const FactPart& part : record.parts)
        fields.push_back(part.name);
    const auto mean = [&](const std::string& near) {
        read_instead(key, read, {near}, error);
        error.hint = "Did you mean `" + written(near) + "`?";
    };
    if (const std::string near = near_spelling(key.text(), fields); !near.empty()) {
        if (read.kind != KeyRead::Name || !read.around) return mean(near);
        std::vector<std::pair<const Form*, std::string>> all;
        for (const Form& name : read.around->items()) {
            std::string own = name.is(FormKind::Symbol) && !Facts::find(record, name.text())
                                  ? near_spelling(name.text(), fields)
                                  : std::string();
            if (!own.empty()) all.emplace_back(&name, std::move(own));
        }
        if (all.size() < 2) return mean(near);
        error.hint = "Did you mean `" + written(near) + "`?";
        if (all.front().first->span == key.span) replace_names(*read.around, all, error);
        return;
    }
    if (record.origin.is_seen) return; // it may be a field that was not there yet
    if (const Path way = way_to(record, key.text()); !way.empty()) {
        std::string path;
        for (const std::string_view name : way)
            path += (path.empty() ? "" : " ") + written(name);
        error.hint = "It lies deeper: (get-in m [" + path + "]).";
        read_instead(key, read, way, error);
        return;
    }
    if (const std::string near = near_key(key.text(), fields); !near.empty()) return mean(near);
    if (is_wrapper(key.text()) && !record.origin.empty()) {
        const auto holds_rows = [](const FactPart& part) { return is_table(*part.fact); };
        const auto found = std::ranges::find_if(record.parts, holds_rows);
        if (found != record.parts.end() && std::ranges::count_if(record.parts, holds_rows) == 1)
            return mean(std::string(found->name));
    }
    if (is_wrapper(key.text()) && std::ranges::none_of(record.parts, [](const FactPart& part) {
            return is_table(*part.fact) || is_record(*part.fact);
        }))
        leave_out(key, read, error);
    if (!error.edits.empty()) return;
    const std::string_view rows = rows_with(record, key.text());
    const Fact& whole = *fact_of_origin(record.origin);
    if (whole.kind == FactKind::List) error.bad_call.kind = OperandKind::Vector;
    if (rows.empty() || !is_table(whole) || whole.item->parts.data() != record.parts.data()) return;
    error.hint = "The items of " + written(rows) + " have it.";
    const Fact& item = *Facts::find(record, rows)->fact->item;
    const bool reads_others = std::ranges::any_of(record.parts, [&](const FactPart& part) {
        return part.name != rows && !Facts::find(item, part.name) && mentions_key(program_, part.name);
    });
    if (!reads_others && !mentions_key(program_, rows))
        wrap_origin(record.origin, "(mapcat " + written(rows) + " ", error);
}

/// (:key entry), {:keys [k v]}: parts of an entry, or of a row that is a vector.
bool Lints::mend_part_of_pair(const Form& key, const KeyRead& read, const Fact& value, Error& error) {
    const bool is_pair = value.kind == FactKind::Tuple && value.parts.size() == 2;
    const bool is_vector =
        value.kind == FactKind::List && value.item->kind >= FactKind::Bool && value.item->kind <= FactKind::Keyword;
    const bool is_key = is_one_of(key.text(), {"key", "k"});
    const bool is_value = is_one_of(key.text(), {"val", "value", "v"});
    if (read.kind == KeyRead::Name && read.around && (is_pair || value.kind == FactKind::List)) {
        const Form& names = *read.around;
        constexpr std::string_view kBefore = "{:keys ";
        constexpr auto before = static_cast<std::uint32_t>(kBefore.size());
        const std::string_view text = source_.text();
        if (names.span.begin < before || names.span.end >= text.size() || names.items()[0].span != key.span ||
            text[names.span.end] != '}' || text.substr(names.span.begin - before, before) != kBefore)
            return false;
        const bool is_whole = names.size == 1 && value.kind == FactKind::List && is_record(*value.item) &&
                              (is_wrapper(key.text()) || value.item->origin.ends_with(key.text()));
        if (is_whole) {
            error.edits.push_back({{names.span.begin - before, names.span.begin + 1}, ""});
            error.edits.push_back({{names.span.end - 1, names.span.end + 1}, ""});
            error.hint = "It is that already: bind it to the name.";
            return true;
        }
        const bool is_made = is_pair && !value.entry_of && !is_record(*value.parts[1].fact) &&
                             value.parts[1].fact->kind != FactKind::Any;
        const bool fits = is_vector ? names.size > 1 : names.size == 2 && (is_key || is_value || is_made);
        if (!fits) return false;
        error.edits.push_back({{names.span.begin - before, names.span.begin}, ""});
        error.edits.push_back({{names.span.end, names.span.end + 1}, ""});
        error.hint = "A vector is taken apart by its places: [a b].";
        return true;
    }
    if (!is_pair || (!is_key && !is_value) || !key.is(FormKind::Keyword) || read.kind > KeyRead::Step) return false;
    error.edits.push_back({key.span, is_key ? "first" : "second"});
    error.hint = "An entry is a vector of key and value.";
    return true;
}

/// A field is read in `value`, which has none.
void Lints::mend_read_of_other(const Form& key, const KeyRead& read, const Fact& value, Error& error) {
    if (mend_part_of_pair(key, read, value, error)) return;
    if (value.kind == FactKind::Tuple && value.entry_of) return; // of a map that is read in another way (suppose.h)
    if (mend_part_of_date(key, read, value, error)) return;
    if (is_wrapper(key.text())) leave_out(key, read, error);
}

const Fact* Lints::read_field(const Fact* map, const Form& key, bool has_default, const KeyRead& read) {
    switch (map->kind) {
    case FactKind::Record: break;
    case FactKind::Dict: return facts_.or_nil(map->item);
    case FactKind::Bool:
    case FactKind::Numeric:
    case FactKind::String:
    case FactKind::Keyword:
    case FactKind::List:
    case FactKind::Tuple:
        if (!report_.is_full() && !has_default) {
            Error error = no_fields(key, *map);
            mend_read_of_other(key, read, *map, error);
            report_.warn(std::move(error));
        }
        return Facts::any();
    default: return Facts::any();
    }
    const FactPart* field = Facts::find(*map, key.text());
    if (field) {
        report_.note_found(key.span);
        return map->non_nil ? field->fact : facts_.or_nil(field->fact);
    }
    // A default for a field of the program's own map shows that it may be absent; from outside it never comes, unless
    // what is known of it is what results have looked like.
    const bool may_come = map->origin.is_seen && (has_default || read.is_asked);
    const bool meant = may_come || (has_default && map->origin.empty());
    if (!meant && !report_.is_full()) {
        Error error = unknown_field(key, *map);
        mend_read(key, read, *map, error);
        report_.warn(std::move(error));
    }
    return Facts::any();
}

} // namespace ptc
