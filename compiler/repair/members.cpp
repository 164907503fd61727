// Members of objects: fields, indexes and methods, as other languages write them: o.price, xs[0], xs.map(f),
// Math.sqrt(x).
//
// A dotted name is cut into segments; what the first one is (a local, a value of the context, a module, nothing)
// decides whether the rest are fields or functions. A method is looked up in foreign.def, as "$1.name" when nothing is
// known of its object, then among the functions under the spellings of other languages; arguments are put into the
// order that the function's parameters ask for.
#include "compiler/repair/rules.h"
#include "frontend/reader/repairs.h"
#include <algorithm>

namespace ptc::repair {
namespace {

/// groupBy and group_by as group-by.
std::string kebab(std::string_view name) {
    std::string out;
    for (const char c : name) {
        if (c == '_') {
            out += '-';
        } else if ('A' <= c && c <= 'Z') {
            if (!out.empty()) out += '-';
            out += static_cast<char>(c + ('a' - 'A'));
        } else {
            out += c;
        }
    }
    return out;
}

bool is_function_name(const Code& code, std::string_view name) {
    const CoreName* entry = code.core_name(name);
    return entry && entry->special < 0 && name.front() != '.';
}

std::string template_of(std::string_view function, std::span<const std::size_t> order) {
    std::string text = "(" + std::string(function);
    for (const std::size_t index : order)
        text += " $" + std::to_string(index + 1);
    return text + ")";
}

/// The rewrite of a method with these arguments, the object first; "" when there is none.
std::string method_rewrite(const Code& code, std::string_view method, std::span<const Kinds> arguments) {
    const Foreign* own = find_foreign("$1." + std::string(method));
    if (!own) own = find_foreign("." + std::string(method));
    if (own && !own->asks_arguments()) return std::string(own->rewrite);
    for (const std::string& name : {std::string(method), kebab(method), kebab(method) + "?"}) {
        if (!is_function_name(code, name)) continue;
        const std::vector<std::string_view> parameters = parameters_of(code.usage(name), arguments.size());
        std::vector<Kinds> kinds(arguments.begin(), arguments.end());
        // The object of a function on sequences is the sequence.
        const bool takes_function = !parameters.empty() && (kinds_of_parameter(parameters[0]) & kFunctionKind) != 0 &&
                                    kinds_of_parameter(parameters[0]) != kAnyKind;
        if (takes_function && kinds[0] == kAnyKind) kinds[0] = kVectorKind;
        const std::vector<std::size_t> order = better_order(parameters, kinds);
        return order.empty() ? name : template_of(name, order);
    }
    if (const Foreign* plain = find_foreign(method); plain && !plain->asks_arguments())
        return std::string(plain->rewrite);
    return {};
}

/// Methods without arguments that could hardly be meant as fields.
bool is_plain_method(const Code& code, std::string_view member) {
    if (is_one_of(member,
                  {"name", "key",   "val", "type", "class",  "min",    "max",   "format", "list",   "find",  "int",
                   "str",  "range", "doc", "meta", "dir",    "source", "time",  "round",  "second", "set",   "map",
                   "sum",  "avg",   "rem", "mod",  "number", "string", "index", "group",  "filter", "trunc", "float"}))
        return false;
    const auto& keys = code.surroundings().keys;
    if (std::find(keys.begin(), keys.end(), member) != keys.end()) return false;
    return is_function_name(code, member) && parameters_of(code.usage(member), 1).size() == 1;
}

/// `called`: it stands where a function is called.
std::string member_text(const Code& code, const std::string& object, std::string_view member, bool called = false,
                        std::span<const std::string> arguments = {}, std::span<const Kinds> kinds = {}) {
    std::vector<std::string> all{object};
    all.insert(all.end(), arguments.begin(), arguments.end());
    std::vector<Kinds> all_kinds{kAnyKind};
    all_kinds.insert(all_kinds.end(), kinds.begin(), kinds.end());
    // A field may have the name of a function: o.name, but xs.length.
    const bool is_property = member == "length" || member == "size" || member == "count";
    if (arguments.empty() && !is_property && !(called && is_plain_method(code, member)) &&
        !find_foreign("." + std::string(member)) && !find_foreign(member))
        return "(:" + std::string(member) + " " + object + ")";
    const std::string rewrite = method_rewrite(code, member, all_kinds);
    std::string text = code_of(rewrite, all);
    if (text.empty() && arguments.empty()) text = "(:" + std::string(member) + " " + object + ")";
    return text;
}

constexpr std::size_t kMaxSegments = 64;

std::vector<std::string_view> segments(std::string_view name) {
    std::vector<std::string_view> parts;
    while (true) {
        const std::size_t dot = name.find('.');
        parts.push_back(name.substr(0, dot));
        if (dot == name.npos) return parts;
        name.remove_prefix(dot + 1);
    }
}

template <class Names> bool contains(const Names& names, std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

/// The code of what stands in front of the first dot; "" when that is no value.
std::string object_of(const Code& code, const Place& place, std::string_view name) {
    const bool is_parameter =
        name.front() == '%' && (name.size() == 1 || std::isdigit(static_cast<unsigned char>(name[1])) != 0);
    if (is_parameter || name.starts_with("data/") || name.starts_with("ctx/")) return std::string(name);
    if (contains(code.locals(place), name) || contains(code.definitions(), name) ||
        (code.surroundings().globals && code.surroundings().globals->has(name)))
        return std::string(name);
    const auto& data = code.surroundings().data_names;
    if (data && contains(*data, name)) return "data/" + std::string(name);
    return {};
}

bool is_module(std::string_view name) {
    return is_one_of(name, {"Math",   "clojure", "core",   "Collections", "Stream",    "lodash",   "str",    "string",
                            "String", "math",    "np",     "re",          "json",      "JSON",     "list",   "dict",
                            "_",      "R",       "Arrays", "itertools",   "functools", "operator", "Object", "Array"});
}

/// a.b.c as its parts, user?.name without its question mark; none when it is no such name.
std::vector<std::string_view> dotted_parts(std::string_view name) {
    if (name.front() == '.' || name.back() == '.' || name.find('.') == name.npos) return {};
    std::vector<std::string_view> parts = segments(name);
    if (parts.size() > kMaxSegments) return {}; // the code is written anew around each
    for (std::string_view& part : parts) {
        if (part.size() > 1 && part.ends_with('?') && &part != &parts.back()) part.remove_suffix(1);
    }
    const bool has_gap = std::ranges::any_of(parts, [](std::string_view part) { return part.empty(); });
    return has_gap ? std::vector<std::string_view>() : parts;
}

/// data.orders, tool.add, str.join: what is written with a slash here.
Proposal slash_for_dot(const Subject& subject, std::string_view space, std::string_view member) {
    const bool is_context = is_one_of(space, {"data", "ctx", "context"});
    if (is_context && !contains(subject.code.locals(subject.place), space))
        return replace(subject.symbol(), (space == "context" ? "data" : std::string(space)) + "/" + std::string(member),
                       "Values of the context are read as data/name.");
    if (space == "tool" || space == "tools")
        return replace(subject.symbol(), "tool/" + std::string(member), "Tools are called as tool/name.");
    const std::string slashed = std::string(space) + "/" + std::string(member);
    return subject.code.core_name(slashed) ? Proposal(replace(subject.symbol(), slashed)) : std::nullopt;
}

/// Math.sqrt, lodash.groupBy: a function of the language.
Proposal function_of_module(const Subject& subject, std::string_view member) {
    for (const std::string& name : {std::string(member), kebab(member)}) {
        if (is_function_name(subject.code, name)) return replace(subject.symbol(), name);
    }
    return std::nullopt;
}

/// (xs.map f), where `object` is the code of xs.
Proposal called_member(const Subject& subject, const std::string& object, std::string_view member) {
    const Form& call = *subject.call->whole;
    const FormSpan given = call.items().subspan(1);
    std::vector<std::string> arguments;
    std::vector<Kinds> kinds;
    for (std::size_t i = 0; i < given.size();) {
        std::size_t length = 1;
        const std::string function = arrow_function(subject.code, given, i, &length, false);
        arguments.push_back(function.empty() ? subject.code.copy(given[i]) : function);
        kinds.push_back(function.empty() ? kinds_of(subject.code, subject.place.outer().inner(given[i]))
                                         : kFunctionKind);
        i += function.empty() ? 1 : length;
    }
    const std::string text = member_text(subject.code, object, member, true, arguments, kinds);
    if (text.empty()) return std::nullopt;
    return replace(call, (call.is(FormKind::ShortFn) ? "#" : "") + text,
                   "The function comes first: (count xs), (map f xs).");
}

} // namespace

Proposal dotted_name(const Subject& subject) {
    std::vector<std::string_view> parts = dotted_parts(subject.name());
    if (parts.empty()) return std::nullopt;
    const Code& code = subject.code;
    const std::string_view first = parts[0];
    if (parts.size() == 2) {
        if (Proposal found = slash_for_dot(subject, first, parts[1])) return found;
    }
    std::string object = object_of(code, subject.place, first);
    const bool is_of_context = parts.size() > 2 && is_one_of(first, {"data", "ctx", "context"});
    if (object.empty() && is_of_context) { // data.orders.length
        object = (first == "ctx" ? "ctx/" : "data/") + std::string(parts[1]);
        parts.erase(parts.begin());
    }
    if (object.empty() && parts.size() == 2 && is_module(first)) {
        if (Proposal found = function_of_module(subject, parts[1])) return found;
        if (const Foreign* foreign = find_foreign(parts[1])) return rewrite_foreign(subject, *foreign);
    }
    if (object.empty() && !code.surroundings().data_names && !code.core_name(first))
        object = "data/" + std::string(first);
    if (object.empty()) return std::nullopt;
    const bool is_call = subject.call && subject.call->whole != &subject.symbol() && !subject.call->is_step();
    const std::size_t fields = parts.size() - (is_call ? 1 : 0);
    for (std::size_t i = 1; i < fields; ++i)
        object = member_text(code, object, parts[i]);
    if (is_call) return called_member(subject, object, parts.back());
    return replace(subject.symbol(), object, "A field of a map is read by (:key m).");
}

Proposal dotted_call(const Subject& subject) {
    const std::vector<std::string_view> parts = segments(subject.name());
    const std::string_view member = parts.back();
    if (!subject.call || subject.call->size() == 0 || !is_function_name(subject.code, member)) return std::nullopt;
    const auto shapes = parameters_of(subject.code.usage(member));
    const bool takes_function = !shapes.empty() && !shapes[0].empty() && kinds_of_parameter(shapes[0][0]) != kAnyKind &&
                                (kinds_of_parameter(shapes[0][0]) & kFunctionKind) != 0;
    return takes_function ? dotted_name(subject) : std::nullopt;
}

Proposal method_call(const Subject& subject) {
    if (Proposal found = touching_members(subject.code, subject.place)) return found;
    const std::string_view name = subject.name();
    if (!subject.call || subject.call->size() == 0 || name.size() < 2 || name.front() != '.') {
        if (name.size() > 1 && name.front() == '.' && !subject.call) {
            const Kinds any[] = {kAnyKind};
            const std::string rewrite = method_rewrite(subject.code, name.substr(1), any);
            if (!rewrite.empty()) return rewrite_value(subject.place, rewrite);
        }
        return std::nullopt;
    }
    if (name == ".add")
        return std::nullopt; // it adds numbers; Java's other one changes a collection, which nothing does
    if (const Foreign* own = find_foreign(name); own && own->asks_arguments()) return rewrite_foreign(subject, *own);
    if (name.starts_with(".-")) {
        Repair repair =
            replace(subject.symbol(), ":" + std::string(name.substr(2)), "A field of a map is read by (:key m).");
        return repair;
    }
    std::vector<Kinds> kinds;
    for (const Argument argument : subject.call->arguments) {
        const Place around = subject.call->whole->is(FormKind::Symbol) ? subject.place : subject.place.outer();
        kinds.push_back(argument ? kinds_of(subject.code, around.inner(*argument)) : kAnyKind);
    }
    std::string rewrite = method_rewrite(subject.code, name.substr(1), kinds);
    if (rewrite.empty()) {
        if (subject.code.core_name(name)) return std::nullopt; // it exists, for other receivers
        if (const Foreign* foreign = find_foreign(name.substr(1))) return rewrite_foreign(subject, *foreign);
        const std::string_view member = name.substr(1);
        const bool is_verb = member.starts_with("get") || member.starts_with("is") || member.starts_with("to") ||
                             std::ranges::any_of(member, [](char c) { return 'A' <= c && c <= 'Z'; });
        const bool is_map = (kinds[0] & kMapKind) != 0;
        if (subject.call->size() != 1 || is_verb || !is_map) return std::nullopt; // a method of Java, not a field
        rewrite = ":" + std::string(member);
    }
    return rewrite_call(subject.code, *subject.call, rewrite);
}

namespace {

/// (format "%s items" 5) for (.format "{} items" 5); nothing for other fields, {0} or {:.2f}.
Proposal python_format(const Code& code, const Form& list, Repair repair) {
    std::string text(code.text(list.items()[1]));
    for (std::size_t at = text.find('{'); at != text.npos; at = text.find('{', at)) {
        if (at + 1 >= text.size() || text[at + 1] != '}') return std::nullopt;
        text.replace(at, 2, "%s");
    }
    repair.edits = {{list.items()[0].span, "format"}};
    if (text != code.text(list.items()[1])) repair.edits.push_back({list.items()[1].span, text});
    return repair;
}

} // namespace

/// ("{} items".format n), "{} items".format(n)
Proposal formatted_text(const Code& code, const Place& place) {
    for (std::size_t level = 0; level < 2 && level < place.forms.size(); ++level) {
        const Place at = place.outer(level);
        const FormSpan items = at.siblings();
        const std::size_t index = at.index();
        const std::size_t first = index >= 2 && at.form().is(FormKind::List) ? index - 2 : index;
        const bool joins = first == index && first + 2 < items.size() && items[first + 1].is_symbol(".join");
        if (joins && items[first].is(FormKind::String) && Code::touch(items[first], items[first + 1])) // (", ".join xs)
            return Repair{{{{items[first].span.begin, items[first + 1].span.end}, "join " + code.copy(items[first])}},
                          "Texts are joined by (join \", \" coll).",
                          {}};
        if (first + 1 >= items.size() || !items[first].is(FormKind::String) || !items[first + 1].is_symbol(".format") ||
            !Code::touch(items[first], items[first + 1]))
            continue;
        std::string text(code.text(items[first]));
        for (std::size_t i = text.find("{}"); i != text.npos; i = text.find("{}"))
            text.replace(i, 2, "%s");
        if (text.find('{') != text.npos) return std::nullopt;
        Repair repair;
        repair.hint = "A text is made by (format \"%s items\" x).";
        if (first == index) { // the list is there already
            repair.edits = {{{items[first].span.begin, items[first + 1].span.end}, "format " + text}};
            return repair;
        }
        repair.edits = {{{items[first].span.begin, at.form().span.begin + 1}, "(format " + text + " "}};
        return repair;
    }
    return std::nullopt;
}

Proposal foreign_method_value(const Code& code, const Place& place) {
    const Form& list = place.form();
    if (!is_call(list) || !list.items()[0].is(FormKind::Symbol) || list.items()[0].text().front() != '.' ||
        list.items()[0].size < 2)
        return std::nullopt;
    const Place head = place.inner(list.items()[0]);
    Proposal found = method_call({code, head, call_of_head(head)});
    if (found && found->edits.size() == 1 && found->edits[0].text == list.items()[0].text()) return std::nullopt;
    if (found && list.items()[0].is_symbol(".format") && list.size > 1 && list.items()[1].is(FormKind::String))
        return python_format(code, list, std::move(*found));
    return found;
}

// ---- Indexes

namespace {

/// The run that begins at items[at]: x[0][1].name; its length in forms, 1 when it is none.
std::size_t run_length(const Code& code, const Form& around, std::size_t at) {
    const FormSpan items = around.items();
    std::size_t end = at + 1;
    bool can_begin = items[at].is(FormKind::Symbol) || items[at].is(FormKind::List);
    if (is_call(around)) { // (fn[x] ..), (defn f[x] ..)
        const bool is_named =
            at == 1 && items[0].is(FormKind::Symbol) && (items[0].text().starts_with("def") || items[0].text() == "fn");
        can_begin =
            can_begin && !is_named && (at > 0 || (items[0].is(FormKind::Symbol) && !code.core_name(items[0].text())));
    }
    while (can_begin && end < items.size() && Code::touch(items[end - 1], items[end])) {
        const bool is_index = items[end].is(FormKind::Vector) && items[end].size >= 1 && items[end].size <= 2;
        const bool is_member = items[end].is(FormKind::Symbol) && items[end].text().starts_with('.') && end > at + 1;
        if (!is_index && !is_member) break;
        ++end;
    }
    return end - at;
}

std::string indexed_text(const Code& code, const std::string& object, const Form& index) {
    const Form& key = index.items()[0];
    const std::string key_text = code.copy(key);
    const bool is_slice = index.size == 2 && index.items()[1].is(FormKind::Keyword);
    if (is_slice) return "(subvec " + object + " " + key_text + " " + std::string(index.items()[1].text()) + ")";
    if (key.is(FormKind::Integer) && key.integer == -1) return "(last " + object + ")";
    return (key.is(FormKind::Integer) ? "(nth " : "(get ") + object + " " + key_text + ")";
}

std::string indexed_text(const Code& code, FormSpan run) {
    std::string text = code.copy(run[0]);
    for (const Form& link : run.subspan(1))
        text = linked_text(code, std::move(text), link);
    return text;
}

void index_edits(const Code& code, const Form& form, std::vector<Edit>& edits) {
    constexpr std::size_t kMaxEdits = 50;
    const FormSpan items = form.items();
    for (std::size_t at = 0; at < items.size() && edits.size() < kMaxEdits;) {
        const std::size_t length = run_length(code, form, at);
        if (length > 1) {
            const Span span{items[at].span.begin, items[at + length - 1].span.end};
            edits.push_back({span, indexed_text(code, items.subspan(at, length))});
        } else if (has_items(items[at])) {
            index_edits(code, items[at], edits);
        }
        at += length;
    }
}

} // namespace

std::string linked_text(const Code& code, std::string object, const Form& link) {
    if (!link.is(FormKind::Symbol)) return indexed_text(code, object, link);
    for (const std::string_view member : segments(link.text().substr(1)))
        object = member_text(code, object, member);
    return object;
}

Proposal touching_members(const Code& code, const Place& place) {
    const FormSpan items = place.siblings();
    std::size_t first = place.index();
    while (first > 0 && Code::touch(items[first - 1], items[first]))
        --first;
    const bool is_alone = first == place.index() && items[first].is(FormKind::Symbol);
    if (is_alone) return std::nullopt;
    std::string text = code.copy(items[first]);
    std::size_t end = first + 1;
    while (end < items.size() && Code::touch(items[end - 1], items[end])) {
        const Form& link = items[end];
        if (link.is(FormKind::Vector) && link.size == 1) {
            text = indexed_text(code, text, link);
            ++end;
            continue;
        }
        if (!link.is(FormKind::Symbol) || !link.text().starts_with('.') || link.size < 2) break;
        ++end;
        const bool is_called = end < items.size() && items[end].is(FormKind::List) && Code::touch(link, items[end]);
        if (is_called) {
            const std::string inside(code.text(items[end]).substr(1, items[end].span.size() - 2));
            text = "(" + std::string(link.text()) + " " + text + (inside.empty() ? "" : " ") + inside + ")";
            ++end;
            continue;
        }
        text = linked_text(code, std::move(text), link);
    }
    if (end == first + 1) return std::nullopt;
    // (", ".join xs): the text is what the method is called on.
    const bool heads = first == 0 && place.around() && is_call(*place.around()) && end == 2 &&
                       items[1].is(FormKind::Symbol) && items.size() > 2;
    const Span span{items[first].span.begin, items[end - 1].span.end};
    if (heads) text = std::string(items[1].text()) + " " + code.copy(items[0]);
    return Repair{{{span, text}}, "The function comes first: (count xs), (:key m).", span};
}

Proposal indexed_arguments(const Code& code, const Place& call) {
    if (call.empty() || !has_items(call.form())) return std::nullopt;
    Repair repair;
    index_edits(code, call.form(), repair.edits);
    if (repair.edits.empty()) return std::nullopt;
    repair.hint = "An item is read by (nth coll index), a field by (get m key) or (:key m).";
    repair.covers = call.form().span;
    return repair;
}

} // namespace ptc::repair
