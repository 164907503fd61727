#include "compiler/repair/call_site.h"
#include <algorithm>

namespace ptc::repair {

bool is_threading(std::string_view head) {
    return head == "->" || head == "->>" || head == "some->" || head == "some->>" || head == "cond->" ||
           head == "cond->>";
}

bool is_step(const Place& place, bool* passes_last) {
    const Form* list = place.around();
    if (!list || !is_call(*list) || !list->items()[0].is(FormKind::Symbol)) return false;
    const std::string_view head = list->items()[0].text();
    if (!is_threading(head)) return false;
    const std::size_t index = place.index();
    const bool is_conditional = head.starts_with("cond");
    if (is_conditional ? index < 3 || index % 2 == 0 : index < 2) return false;
    *passes_last = head.ends_with("->>");
    return true;
}

std::optional<CallSite> call_at(const Place& place) {
    if (place.empty()) return std::nullopt;
    CallSite call;
    call.whole = &place.form();
    bool last = false;
    if (is_step(place, &last)) {
        call.thread = place.around();
        call.passes_last = last;
    }
    if (is_call(place.form())) {
        call.head = &place.form().items()[0];
        for (const Form& argument : place.form().items().subspan(1))
            call.arguments.append(&argument);
    } else if (call.thread && (place.form().is(FormKind::Symbol) || place.form().is(FormKind::Keyword))) {
        call.head = call.whole;
    } else {
        return std::nullopt;
    }
    if (call.thread && last) call.arguments.append(nullptr);
    if (call.thread && !last) call.arguments.prepend(nullptr);
    return call;
}

std::optional<CallSite> call_of_head(const Place& place) {
    if (place.around() && is_call(*place.around()) && place.index() == 0) return call_at(place.outer());
    bool last = false;
    if (is_step(place, &last)) return call_at(place);
    return std::nullopt;
}

const Form* threaded_value(const CallSite& call) {
    if (!call.thread) return nullptr;
    const FormSpan items = call.thread->items();
    const auto at = static_cast<std::size_t>(call.whole - items.data());
    if (items[0].text().starts_with("cond")) return at == 3 ? &items[1] : &items[at - 2];
    return &items[at - 1];
}

// ---- Templates

struct Template::Part {
    std::string_view literal;
    std::size_t argument = 0; ///< counted from 1; 0: literal
    bool rest = false;
};

std::vector<Template::Part> Template::parts() const {
    std::vector<Part> parts;
    std::size_t at = 0;
    while (at < text_.size()) {
        const std::size_t dollar = std::min(text_.find('$', at), text_.size());
        if (dollar > at) parts.push_back({text_.substr(at, dollar - at), 0, false});
        if (dollar == text_.size()) break;
        at = dollar + 1;
        Part part;
        part.argument = 1;
        if (at < text_.size() && '1' <= text_[at] && text_[at] <= '9')
            part.argument = static_cast<std::size_t>(text_[at++] - '0');
        if (at < text_.size() && text_[at] == '*') {
            part.rest = true;
            ++at;
        }
        parts.push_back(part);
    }
    return parts;
}

bool Template::fits(std::size_t arguments, bool may_drop) const {
    std::size_t highest = 0;
    bool open = false;
    for (const Part& part : parts()) {
        highest = std::max(highest, part.rest ? part.argument - 1 : part.argument);
        open = open || part.rest;
    }
    return open || may_drop ? arguments >= highest : arguments == highest;
}

namespace {

/// Whether `text` up to the place of the threaded value is "(name ", or what follows it is ")".
bool is_plain_call(std::string_view before, std::string_view after, bool last) {
    const auto is_flat = [](std::string_view s) { return s.find_first_of("()[]{}") == s.npos; };
    if (!before.starts_with('(') || !after.ends_with(')')) return false;
    if (last) return after == ")";
    return is_flat(before.substr(1)) && before.find(' ') == before.size() - 1;
}

} // namespace

void Template::append(Pieces& pieces, const CallSite& call) const {
    struct Item {
        std::string_view literal;
        const Form* form = nullptr;
        bool is_value = false; ///< the threaded value
    };
    std::vector<Item> items;
    for (const Part& part : parts()) {
        if (part.argument == 0) {
            items.push_back({part.literal});
            continue;
        }
        const std::size_t end = part.rest ? call.size() : part.argument;
        for (std::size_t i = part.argument - 1; i < end; ++i) {
            if (i >= part.argument) items.push_back({" "});
            items.push_back({{}, call.has(i) ? &*call.arguments[i] : nullptr, !call.has(i)});
        }
    }
    std::string before, after;
    std::size_t values = 0;
    bool named = false;
    for (const Item& item : items) {
        if (item.is_value)
            ++values;
        else
            (values == 0 ? before : after) += item.form ? std::string_view("_") : item.literal;
        if (item.form) named = named || needs_named_parameter(*item.form);
        if (item.literal.find('%') != item.literal.npos || item.literal.find("#(") != item.literal.npos) named = true;
    }
    const bool plain = values == 1 && is_plain_call(before, after, call.passes_last);
    const bool wrapped = values > 0 && !plain;
    const std::string_view name = named ? "it" : "%";
    if (wrapped) pieces.text(named ? "((fn [it] " : "(#");
    for (const Item& item : items) {
        if (item.form)
            pieces.copy(*item.form);
        else if (!item.is_value)
            pieces.text(item.literal);
        else if (wrapped)
            pieces.text(name);
    }
    if (wrapped) pieces.text(named ? "))" : ")");
}

std::string Template::as_function(bool in_short_fn) const {
    bool one = false;
    for (const Part& part : parts()) {
        if (part.argument > 1) return {};
        one = one || (part.argument == 1);
    }
    if (!one) return {};
    const bool named = in_short_fn || text_.find('%') != text_.npos || text_.find("#(") != text_.npos;
    std::string body;
    for (const Part& part : parts())
        body += part.argument == 0 ? part.literal : named ? "x" : "%";
    return named ? "(fn [x] " + body + ")" : "#" + body;
}

namespace {

template <class Visit> bool any_alternative(std::string_view alternatives, Visit visit) {
    while (!alternatives.empty()) {
        const std::size_t end = std::min(alternatives.find(" | "), alternatives.size());
        if (visit(alternatives.substr(0, end))) return true;
        alternatives.remove_prefix(std::min(end + 3, alternatives.size()));
    }
    return false;
}

bool is_code(std::string_view alternative) {
    return alternative.find('$') != alternative.npos || alternative.find('(') != alternative.npos;
}

} // namespace

Proposal rewrite_call(const Code& code, const CallSite& call, std::string_view alternatives, bool may_drop) {
    Proposal found;
    any_alternative(alternatives, [&](std::string_view alternative) {
        if (!is_code(alternative)) {
            found = replace(*call.head, std::string(alternative));
            return true;
        }
        const Template text(alternative);
        if (!text.fits(call.size(), may_drop)) return false;
        Pieces pieces;
        if (call.whole->is(FormKind::ShortFn)) pieces.text(alternative.front() == '(' ? "#" : "#(do ");
        text.append(pieces, call);
        if (call.whole->is(FormKind::ShortFn) && alternative.front() != '(') pieces.text(")");
        found = replace(code, *call.whole, pieces);
        return true;
    });
    return found;
}

Proposal rewrite_value(const Code&, const Place& name, std::string_view alternatives) {
    Proposal found;
    any_alternative(alternatives, [&](std::string_view alternative) {
        if (!is_code(alternative)) {
            found = replace(name.form(), std::string(alternative));
            return true;
        }
        const std::string function = Template(alternative).as_function(name.in_short_fn());
        if (function.empty()) return false;
        found = replace(name.form(), function);
        return true;
    });
    return found;
}

} // namespace ptc::repair
