// What kinds of values an expression of a broken program can have: literals by what they are, names by the let around
// them, calls by what the rows of functions and special forms say that they give. Repairs use it to distinguish
// arguments, so it may answer "any", and never more than it knows.
#include "compiler/repair/kinds.h"

#include "compiler/language/special_forms.h"
#include "runtime/parameters.h"
#include <algorithm>
#include <numeric>

namespace ptc::repair {
namespace {

/// The form that a let around `place` binds to a plain name; null when it is bound in another way.
const Form* bound_form(const Place& place, std::string_view name, Place* where) {
    for (std::size_t i = 1; i < place.forms.size(); ++i) {
        const Form& form = *place.forms[i];
        if (!is_call(form) || form.size < 2 || !form.items()[1].is(FormKind::Vector)) continue;
        const FormSpan pairs = form.items()[1].items();
        const bool is_let = calls_binding_form(form) && !calls_one_of(form, {"for", "doseq", "dotimes", "when-first"});
        for (std::size_t k = pairs.size() / 2 * 2; k >= 2; k -= 2) {
            if (!mentions(pairs[k - 2], name)) continue;
            const bool plain = is_let && pairs[k - 2].is_symbol(name) && &pairs[k - 1] != place.forms[0];
            if (!plain) return nullptr;
            *where = place.outer(i).inner(form.items()[1]).inner(pairs[k - 1]);
            return &pairs[k - 1];
        }
        if (is_function_literal(form) || calls(form, "defn")) {
            for (const Form& parameter : pairs) {
                if (mentions(parameter, name)) return nullptr;
            }
        }
    }
    return nullptr;
}

Kinds kinds_of_symbol(const Code& code, const Place& place, int depth);

Kinds kinds_of(const Code& code, const Place& place, int depth) {
    const Form& form = place.form();
    switch (form.kind) {
    case FormKind::Nil: return kNilKind;
    case FormKind::True:
    case FormKind::False: return kBoolean;
    case FormKind::Integer:
    case FormKind::BigInteger:
    case FormKind::Float: return kNumber;
    case FormKind::String: return kText;
    case FormKind::Keyword: return kKeyword;
    case FormKind::Vector: return kVectorKind;
    case FormKind::Map: return kMapKind;
    case FormKind::Set: return kSetKind;
    case FormKind::Regex: return kRegex;
    case FormKind::ShortFn:
    case FormKind::Var: return kFunctionKind;
    case FormKind::Quote: {
        const Form& data = form.items()[0];
        if (data.is(FormKind::List) || data.is(FormKind::Vector)) return kVectorKind;
        return data.is(FormKind::Map) ? kMapKind : data.is(FormKind::Set) ? kSetKind : kAnyKind;
    }
    case FormKind::Symbol: return kinds_of_symbol(code, place, depth);
    case FormKind::List: break;
    }
    if (form.size == 0) return kAnyKind;
    if (const CoreName* name = code.core_name(code.core_function(form.items()[0]))) return name->gives.kinds;
    const CoreName* name = form.items()[0].is(FormKind::Symbol) ? code.core_name(form.items()[0].text()) : nullptr;
    return name && name->special >= 0 ? special_forms()[static_cast<std::size_t>(name->special)].gives : kAnyKind;
}

/// The value that a reduce begins with, where `name` is what its function gets of the round before.
Place beginning_of_accumulator(const Place& place, std::string_view name) {
    for (std::size_t i = 1; i + 1 < place.forms.size(); ++i) {
        const Form& literal = *place.forms[i];
        const Form& fold = *place.forms[i + 1];
        if (!calls(literal, "fn") || literal.size < 3 || !literal.items()[1].is(FormKind::Vector)) continue;
        const FormSpan parameters = literal.items()[1].items();
        const bool is_bound = std::ranges::any_of(parameters, [&](const Form& p) { return mentions(p, name); });
        const bool folds =
            calls_one_of(fold, {"reduce", "reduce-kv", "reductions"}) && fold.size >= 3 && &literal == &fold.items()[1];
        if (is_bound && folds && parameters[0].is_symbol(name)) {
            bool last = false;
            if (fold.size == 4 || (fold.size == 3 && is_step(place.outer(i + 1), &last)))
                return place.outer(i + 1).inner(fold.items()[2]);
        }
        if (is_bound) return {};
    }
    return {};
}

Kinds kinds_of_symbol(const Code& code, const Place& place, int depth) {
    const std::string_view name = place.form().text();
    Place where;
    if (const Place start = depth > 0 ? beginning_of_accumulator(place, name) : Place(); !start.empty())
        return kinds_of(code, start, depth - 1);
    if (const Form* bound = depth > 0 ? bound_form(place, name, &where) : nullptr; bound)
        return kinds_of(code, where, depth - 1);
    const std::vector<std::string_view> locals = code.locals(place);
    if (std::find(locals.begin(), locals.end(), name) != locals.end()) return kAnyKind;
    for (const Form& form : code.top_level()) {
        if (form.size < 3 || !is_call(form) || !form.items()[1].is_symbol(name)) continue;
        if (calls(form, "defn")) return kFunctionKind;
        if (calls(form, "def") && depth > 0) {
            Place value;
            value.top_level = code.top_level();
            value.forms = {&form.items()[form.size - 1], &form};
            return kinds_of(code, value, depth - 1);
        }
    }
    if (!code.core_function(place.form()).empty()) return kFunctionKind;
    if (name.starts_with("tool/")) return kFunctionKind;
    return static_cast<Kinds>(kAnyKind & ~kFunctionKind);
}

} // namespace

Kinds kinds_of(const Code& code, const Place& place) {
    constexpr int kHops = 4; // from name to name
    return place.empty() ? kAnyKind : kinds_of(code, place, kHops);
}

Kinds kinds_of(OperandKind kind) {
    switch (kind) {
    case OperandKind::Nothing: return kAnyKind;
    case OperandKind::Nil: return kNilKind;
    case OperandKind::Boolean: return kBoolean;
    case OperandKind::AnyNumber: return kNumber;
    case OperandKind::Text:
    case OperandKind::IntegerText:
    case OperandKind::NumberText: return kText;
    case OperandKind::Keyword: return kKeyword;
    case OperandKind::Vector: return kVectorKind;
    case OperandKind::Map: return kMapKind;
    case OperandKind::Set: return kSetKind;
    case OperandKind::Function: return kFunctionKind;
    case OperandKind::Regex: return kRegex;
    }
    return kAnyKind;
}

Kinds kinds_of_parameter(std::string_view name) { return ptc::kinds_of_parameter(name).value_or(kAnyKind); }

// ---- Usage texts

bool takes_keys(std::string_view usage) {
    const auto shapes = parameters_of(usage);
    return !shapes.empty() && shapes[0].size() > 1 && (shapes[0][1] == "path" || shapes[0][1] == "keys");
}

// ---- Order

namespace {

/// How well an argument suits a parameter: worst when it cannot, best when it could hardly be meant for another one.
int suits(Kinds argument, std::string_view parameter, Kinds takes) {
    if ((argument & takes) == 0) return -10;
    if (argument == kAnyKind || takes == kAnyKind) {
        if (argument == kFunctionKind) return -2; // keys, items and first values are rarely functions
        if (parameter == "key" || parameter == "k") return (argument & ~(kKeyword | kText | kNumber)) == 0 ? 1 : 0;
        return 0;
    }
    if (argument == (argument & kFunctionKind) || argument == takes) return 5;
    if ((takes & kFunctionKind) != 0) return (argument & kFunctionKind) != 0 ? 1 : argument == kKeyword ? 3 : 0;
    const bool is_sequence = parameter.starts_with('c');
    if (is_sequence)
        return argument == kVectorKind ? 4 : (argument & kCollection) == argument ? 3 : argument == kText ? 0 : 1;
    if (argument == kRegex && (takes & kRegex) != 0) return 5;
    return (argument & ~takes) == 0 ? 3 : 1;
}

} // namespace

std::vector<std::size_t> better_order(std::span<const std::string_view> parameters, std::span<const Kinds> arguments) {
    constexpr std::size_t kMaxArguments = 5;
    const std::size_t count = arguments.size();
    if (count < 2 || count > kMaxArguments || parameters.size() != count) return {};
    std::vector<Kinds> takes;
    for (const std::string_view parameter : parameters)
        takes.push_back(kinds_of_parameter(parameter));
    const auto score = [&](std::span<const std::size_t> order) {
        int sum = 0;
        std::size_t ascents = 0;
        for (std::size_t i = 0; i < count; ++i) {
            sum += suits(arguments[order[i]], parameters[i], takes[i]) * 4;
            ascents += i > 0 && order[i] > order[i - 1] ? 1 : 0;
        }
        return sum + static_cast<int>(ascents); // others in the order that they have
    };
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::vector<std::size_t> best = order;
    int highest = score(order);
    while (std::next_permutation(order.begin(), order.end())) {
        // The last one to the front is what those do who think of the subject last.
        const bool rotated = order[0] == count - 1 && std::is_sorted(order.begin() + 1, order.end());
        const int value = score(order) + (rotated ? 1 : 0);
        if (value <= highest) continue;
        highest = value;
        best = order;
    }
    if (std::is_sorted(best.begin(), best.end())) return {};
    for (std::size_t i = 0; i < count; ++i) { // what is no collection would be moved back
        const bool wants_items = (takes[i] & ~kinds::kItems) == 0 && (takes[i] & kCollection) != 0;
        if (best[i] != i && wants_items && (arguments[best[i]] & takes[i]) == 0) return {};
    }
    return best;
}

} // namespace ptc::repair
