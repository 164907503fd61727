// Names of the language's functions that the program binds to values, and calls as functions all the same:
// (let [count (count xs)] (/ (count ys) count)).
//
// Both meanings are in the text: where the name is called, or given where a function is wanted, the function is meant;
// elsewhere the value. So the binding gets another name, and with it every place that means the value. A binding that
// is a function itself is told apart by how many arguments it takes. What cannot be told apart is left alone.
#include "compiler/repair/rules.h"
#include "frontend/work.h"
#include <algorithm>
#include <unordered_set>

namespace ptc::repair {
namespace {

/// Where a name is bound, and the forms in which it is.
struct Binding {
    Place at;                     ///< of the name in its pattern
    const Form* value = nullptr;  ///< what it is bound to; null for a parameter
    bool is_plain = false;        ///< the pattern is the name alone
    const Form* around = nullptr; ///< the form that binds
    std::vector<const Form*> scope;
    std::vector<Place> places; ///< of `scope`
};

/// The name as a pattern has it; empty when the pattern does not bind it as a name.
Place name_in_pattern(const Place& pattern, std::string_view name) {
    if (pattern.form().is_symbol(name)) return pattern;
    if (!pattern.form().is(FormKind::Vector) && !pattern.form().is(FormKind::Map)) return {};
    for (const Form& part : pattern.form().items()) {
        if (Place found = name_in_pattern(pattern.inner(part), name); !found.empty()) return found;
    }
    return {};
}

void add_scope(Binding& binding, const Place& around, std::size_t from) {
    const FormSpan items = around.form().items();
    for (std::size_t i = from; i < items.size(); ++i) {
        binding.scope.push_back(&items[i]);
        binding.places.push_back(around.inner(items[i]));
    }
}

/// The binding of `name` by the vector of pairs in the form at `list`, as `inside`, an item of that form, sees it.
std::optional<Binding> bound_by_pairs(const Place& list, const Form& inside, const Form* pair, std::string_view name) {
    const Form& vector = list.form().items()[1];
    if (!vector.is(FormKind::Vector)) return std::nullopt;
    const Place bindings = list.inner(vector);
    std::size_t end = vector.size / 2 * 2;
    if (&inside == &vector) end = pair ? static_cast<std::size_t>(pair - vector.first) / 2 * 2 : 0;
    for (std::size_t i = end; i >= 2; i -= 2) {
        const Form& pattern = vector.items()[i - 2];
        if (pattern.is(FormKind::Keyword)) continue; // :when, :let
        Place at = name_in_pattern(bindings.inner(pattern), name);
        if (at.empty()) continue;
        Binding binding{std::move(at), &vector.items()[i - 1], pattern.is(FormKind::Symbol), &list.form(), {}, {}};
        add_scope(binding, bindings, i);
        add_scope(binding, list, 2);
        return binding;
    }
    return std::nullopt;
}

std::optional<Binding> bound_by_parameters(const Place& list, std::string_view name) {
    const FormSpan parts = list.form().items();
    for (std::size_t i = 1; i < parts.size() && i < 5; ++i) {
        if (!parts[i].is(FormKind::Vector)) continue;
        Place at = name_in_pattern(list.inner(parts[i]), name);
        if (at.empty()) return std::nullopt;
        const bool is_plain = at.around() == &parts[i];
        Binding binding{std::move(at), nullptr, is_plain, &list.form(), {}, {}};
        add_scope(binding, list, i + 1);
        return binding;
    }
    return std::nullopt;
}

/// (def count 5), in front of the form that `place` is in.
std::optional<Binding> bound_by_definition(const Code& code, const Place& place, std::string_view name) {
    const FormSpan top = code.top_level();
    for (std::size_t i = 0; i < top.size(); ++i) {
        if (!calls(top[i], "def") || top[i].size != 3 || !top[i].items()[1].is_symbol(name)) continue;
        if (top[i].span.begin > place.form().span.begin) return std::nullopt;
        Place at;
        at.top_level = top;
        at.forms = {&top[i].items()[1], &top[i]};
        Binding binding{std::move(at), &top[i].items()[2], true, nullptr, {}, {}};
        for (std::size_t k = i; k < top.size(); ++k) {
            Place form;
            form.top_level = top;
            form.forms = {&top[k]};
            if (k == i) form = form.inner(top[i].items()[2]);
            binding.scope.push_back(&form.form());
            binding.places.push_back(std::move(form));
        }
        return binding;
    }
    return std::nullopt;
}

std::optional<Binding> binding_of(const Code& code, const Place& place, std::string_view name) {
    for (std::size_t i = 1; i < place.forms.size(); ++i) {
        const Place list = place.outer(i);
        if (!is_call(list.form()) || list.form().size < 2) continue;
        const Form& inside = *place.forms[i - 1];
        std::optional<Binding> found;
        if (calls_binding_form(list.form()))
            found = bound_by_pairs(list, inside, i >= 2 ? place.forms[i - 2] : nullptr, name);
        else if (calls_one_of(list.form(), {"fn", "defn", "defn-"}))
            found = bound_by_parameters(list, name);
        if (found) return found;
    }
    return bound_by_definition(code, place, name);
}

/// What the uses of a name mean.
class Uses {
public:
    /// `only`: the one use that means the function, where the value may be called as well; null for none.
    Uses(const Code& code, const Binding& binding, std::string_view name, bool is_callable, const Form* only)
        : code_(code), name_(name), is_callable_(is_callable), only_(only) {
        const Form* value = binding.is_plain ? binding.value : nullptr;
        if (!value || !is_function_literal(*value)) return;
        is_function_ = true;
        for (const Form& part : value->items()) {
            if (!part.is(FormKind::Vector)) continue;
            taken_ = part.size;
            break;
        }
        if (value->is(FormKind::ShortFn)) taken_ = 1;
    }

    void look_at(const Place& place) {
        const Form& form = place.form();
        if (form.is_symbol(name_)) {
            if (means_function(place))
                ++functions_;
            else
                values_.push_back(form.span);
            return;
        }
        if (!has_items(form) || rebinds(form)) return;
        for (const Form& item : form.items())
            look_at(place.inner(item));
    }
    [[nodiscard]] std::size_t functions() const { return functions_; }
    [[nodiscard]] const std::vector<Span>& values() const { return values_; }
    [[nodiscard]] bool is_certain() const { return is_certain_; }

private:
    bool means_function(const Place& place) {
        if (only_) return &place.form() == only_;
        const std::optional<CallSite> call = call_of_head(place);
        if (call) {
            if (is_function_) return call->size() != taken_;
            const bool reads_key =
                is_callable_ && call->size() == 1 && call->has(0) && call->arguments[0]->is(FormKind::Keyword);
            return call->size() > 0 && !reads_key; // a map may be called with a key
        }
        return !is_function_ && wants_function(code_, place);
    }
    /// A form inside that binds the name anew: its uses are others. Its values may still be of the outer one.
    bool rebinds(const Form& form) {
        if (!is_call(form) || form.size < 2) return false;
        const bool binds = calls_binding_form(form) || calls_one_of(form, {"fn", "defn"});
        if (!binds) return false;
        for (const Form& part : form.items().subspan(1)) {
            if (!part.is(FormKind::Vector)) continue;
            for (std::size_t i = 0; i < part.size; i += calls_binding_form(form) ? 2 : 1) {
                if (!mentions(part.items()[i], name_)) continue;
                is_certain_ = false;
                return true;
            }
            return false;
        }
        return false;
    }

    const Code& code_;
    std::string_view name_;
    bool is_callable_;
    const Form* only_;
    bool is_function_ = false;
    std::size_t taken_ = 0;
    std::size_t functions_ = 0;
    std::vector<Span> values_;
    bool is_certain_ = true;
};

std::string fresh_name(const Code& code, std::string_view name, bool is_function) {
    std::string base(name);
    while (!base.empty() && (base.back() == '?' || base.back() == '!' || base.back() == '*'))
        base.pop_back();
    if (base.empty() || !is_plain_name(base)) base = "it";
    base += is_function ? "-fn" : "-value";
    const auto is_taken = [&](const std::string& made) {
        return std::ranges::any_of(code.top_level(), [&](const Form& form) { return mentions(form, made); });
    };
    std::string made = base;
    for (int i = 2; is_taken(made) && i < 10; ++i)
        made = base + std::to_string(i);
    return made;
}

/// The edits that give the name in its pattern another one; empty where that is not simple.
std::vector<Edit> renamed_in_pattern(const Code& code, const Binding& binding, const std::string& fresh) {
    const Form& name = binding.at.form();
    const Form* around = binding.at.around();
    const Form* map = binding.at.around(2);
    const bool in_keys = around && around->is(FormKind::Vector) && map && map->is(FormKind::Map);
    if (!in_keys) return {{name.span, fresh}};
    const auto at = static_cast<std::size_t>(around - map->first);
    if (at == 0 || !map->items()[at - 1].is(FormKind::Keyword)) return {};
    const std::string_view option = map->items()[at - 1].text();
    if (option != "keys" && option != "strs") return {};
    const std::string key = option == "keys" ? ":" + std::string(name.text()) : "\"" + std::string(name.text()) + "\"";
    return {removal(code, name), insertion(around->span.end, " " + fresh + " " + key)};
}

Proposal renamed_binding(const Code& code, const Place& place, bool is_callable, const Form* only = nullptr) {
    const std::string_view name = place.form().text();
    if (!code.core_name(name)) return std::nullopt;
    const std::optional<Binding> binding = binding_of(code, place, name);
    if (!binding || binding->at.empty()) return std::nullopt;
    Uses uses(code, *binding, name, is_callable, only);
    for (const Place& part : binding->places)
        uses.look_at(part);
    if (uses.functions() == 0 || !uses.is_certain()) return std::nullopt;
    const bool is_function = binding->is_plain && binding->value && is_function_literal(*binding->value);
    const std::string fresh = fresh_name(code, name, is_function);
    Repair repair;
    repair.edits = renamed_in_pattern(code, *binding, fresh);
    if (repair.edits.empty()) return std::nullopt;
    for (const Span& value : uses.values())
        repair.edits.push_back({value, fresh});
    repair.edits = in_order(std::move(repair.edits));
    repair.hint = "`" + std::string(name) +
                  "` is bound to something else here, which hides the function: the binding is `" + fresh + "`.";
    return repair;
}

/// The uses of a name in a function of the program that has the name of one of the language's.
class OwnUses {
public:
    OwnUses(std::string_view name, std::size_t taken) : name_(name), taken_(taken) {}

    void look_at(const Place& place, bool is_inside) {
        const Form& form = place.form();
        if (form.is_symbol(name_)) {
            const std::optional<CallSite> call = call_of_head(place);
            const bool is_own = call ? call->size() == taken_ : !is_inside;
            is_hidden_ = is_hidden_ || (is_inside && !is_own);
            recurs_ = recurs_ || (is_inside && is_own);
            if (is_own) own_.push_back(form.span);
            return;
        }
        if (!has_items(form)) return;
        for (const Form& item : form.items())
            look_at(place.inner(item), is_inside);
    }
    [[nodiscard]] bool is_hidden() const { return is_hidden_; }
    [[nodiscard]] bool recurs() const { return recurs_; }
    [[nodiscard]] const std::vector<Span>& own() const { return own_; }

private:
    std::string_view name_;
    std::size_t taken_;
    bool is_hidden_ = false;
    bool recurs_ = false;
    std::vector<Span> own_;
};

bool has_condition(const Form& form) {
    return is_conditional(form) || (has_items(form) && std::ranges::any_of(form.items(), has_condition));
}

/// (defn max [xs] (reduce max xs)): the function calls itself where the language's is meant.
Proposal renamed_function(const Code& code, std::string_view name) {
    if (!code.core_name(name)) return std::nullopt;
    const FormSpan top = code.top_level();
    const auto defined = std::ranges::find_if(top, [&](const Form& form) {
        return calls_one_of(form, {"defn", "defn-"}) && form.size > 3 && form.items()[1].is_symbol(name) &&
               form.items()[2].is(FormKind::Vector);
    });
    if (defined == top.end() || mentions(defined->items()[2], "&")) return std::nullopt;
    OwnUses uses(name, defined->items()[2].size);
    for (const Form& form : top) {
        Place place;
        place.top_level = top;
        place.forms = {&form};
        if (&form != &*defined) {
            uses.look_at(place, false);
            continue;
        }
        for (const Form& part : form.items().subspan(3))
            uses.look_at(place.inner(part), true);
    }
    // A call of itself that nothing ends is none: (defn count [xs] (count xs)).
    const bool is_endless = uses.recurs() && !uses.is_hidden() && !has_condition(*defined);
    if (!uses.is_hidden() && !is_endless) return std::nullopt;
    const std::string fresh = fresh_name(code, name, true);
    Repair repair;
    repair.edits = {{defined->items()[1].span, fresh}};
    for (const Span& use : uses.own()) {
        const bool is_inside = defined->span.begin < use.begin && use.end < defined->span.end;
        if (!is_inside || !is_endless) repair.edits.push_back({use, fresh});
    }
    repair.edits = in_order(std::move(repair.edits));
    repair.hint =
        "`" + std::string(name) + "` is defined anew here, which hides the function: the own one is `" + fresh + "`.";
    return repair;
}

} // namespace

Proposal hidden_function(const Code& code, const Place& place, OperandKind value) {
    if (place.empty()) return std::nullopt;
    const bool is_callable = value == OperandKind::Nothing || value == OperandKind::Map ||
                             value == OperandKind::Vector || value == OperandKind::Set ||
                             value == OperandKind::Keyword || value == OperandKind::Function;
    if (place.form().is(FormKind::Symbol)) {
        const Form* only = value == OperandKind::Keyword ? &place.form() : nullptr;
        if (Proposal found = renamed_binding(code, place, is_callable, only)) return found;
        return renamed_function(code, place.form().text());
    }
    if (!is_call(place.form())) return std::nullopt;
    std::unordered_set<std::string_view> seen; // what a name is does not depend on where in the call it stands
    for (const Form& item : place.form().items()) {
        if (!item.is(FormKind::Symbol) || seen.contains(item.text())) continue;
        const Place at = place.inner(item);
        const bool is_used = &item == place.form().first || wants_function(code, at);
        if (is_used) seen.insert(item.text());
        if (is_used && !work::charge(code.source().size() / 10 + 1)) return std::nullopt;
        if (Proposal found = is_used ? renamed_binding(code, at, is_callable) : std::nullopt) return found;
        if (Proposal found = is_used ? renamed_function(code, item.text()) : std::nullopt) return found;
    }
    return std::nullopt;
}

} // namespace ptc::repair
