// What records and protocols become (records.h). A method of a protocol is a multimethod, which asks of its first
// argument what it is: nil, a record of the program, a class that the protocol is extended to; the methods that a type
// brings are the multimethod's. Inside of a method of a record its fields are names.
#include "compiler/language/records.h"

#include "compiler/language/form_questions.h"
#include "frontend/quoted.h"
#include "frontend/suggest.h"
#include "frontend/work.h"
#include "runtime/shape.h"
#include <string>
#include <unordered_map>
#include <utility>

namespace ptc {
namespace {

bool is_record(const Form& form) {
    if ((!is_list_of(form, "defrecord") && !is_list_of(form, "deftype")) || form.size < 3) return false;
    const Form& fields = form.items()[2];
    return form.items()[1].is(FormKind::Symbol) && fields.is(FormKind::Vector) &&
           std::ranges::all_of(fields.items(), [](const Form& field) { return field.is(FormKind::Symbol); });
}

/// (name [this ..] body ..)
bool is_method(const Form& form) {
    return form.is(FormKind::List) && form.size > 1 && form.items()[0].is(FormKind::Symbol) &&
           form.items()[1].is(FormKind::Vector) && form.items()[1].size > 0 &&
           form.items()[1].items()[0].is(FormKind::Symbol);
}

bool is_object(const Form& type) { return type.is_symbol("Object") || type.is_symbol("java.lang.Object"); }

/// The names that forms write, sorted.
class NamesIn {
public:
    explicit NamesIn(std::span<const Form> forms) {
        for (const Form& form : forms)
            add(form);
        std::ranges::sort(names_);
    }
    [[nodiscard]] bool has(std::string_view name) const { return std::ranges::binary_search(names_, name); }

private:
    void add(const Form& form) {
        if (form.is(FormKind::Symbol)) names_.push_back(form.text());
        if (form.kind < FormKind::List || form.is(FormKind::Var)) return;
        for (const Form& item : form.items())
            add(item);
    }

    std::vector<std::string_view> names_;
};

// What is made of these is made for each method: more of them are refused.
constexpr std::size_t kMostTypes = 64;
constexpr std::size_t kMostParts = 256;
constexpr std::size_t kMostMethods = 256; ///< of all protocols, and of all types

/// A record of more cannot be made, as its constructor would have too many parameters.
constexpr std::size_t kMostFields = 200;
constexpr std::size_t kWorkOfDeclaration = 40;

constexpr std::string_view kReified = "reify%"; ///< the type of what reify makes

/// How much else a class takes: a narrower one is asked for first.
int width_of(std::string_view name) {
    if (const std::size_t dot = name.rfind('.'); dot != name.npos) name.remove_prefix(dot + 1);
    constexpr std::string_view kWide[] = {"Number", "CharSequence", "IFn",        "Fn",
                                          "ISeq",   "List",         "Sequential", "Associative"};
    constexpr std::string_view kWidest[] = {"Collection", "IPersistentCollection", "Iterable", "Seqable", "Comparable"};
    if (std::ranges::find(kWidest, name) != std::end(kWidest)) return 2;
    return std::ranges::find(kWide, name) != std::end(kWide) ? 1 : 0;
}

} // namespace

// ---- What is declared

void Records::declare(const Form& form) {
    if (!work::charge(kWorkOfDeclaration)) return;
    has_reify_ = has_reify_ || mentions(form, "reify");
    if (form.is(FormKind::List) && form.size > 1 && form.items()[0].is(FormKind::Symbol) &&
        form.items()[0].text().starts_with("def") &&
        (form.items()[1].is_symbol("instance?") || form.items()[1].is_symbol("satisfies?")))
        hides_tests_ = true;
    if (is_record(form)) {
        types_.push_back({form.items()[1].text(), form.items()[2].items(), {}, {}, {}});
        if (form.items()[2].size <= kMostFields) {
            for (const Form& field : form.items()[2].items())
                types_.back().names.push_back(field.text());
            std::ranges::sort(types_.back().names);
        }
        add_parts(form.items()[1], form.items().subspan(3), true);
    } else if (is_list_of(form, "defprotocol") && form.size > 1 && form.items()[1].is(FormKind::Symbol)) {
        Protocol protocol{form.items()[1].text(), &form, {}, {}};
        for (const Form& method : form.items().subspan(2)) {
            if (method.is(FormKind::List) && method.size > 0 && method.items()[0].is(FormKind::Symbol))
                protocol.methods.push_back(&method);
        }
        protocols_.push_back(std::move(protocol));
    } else if (is_list_of(form, "extend-type") && form.size > 2) {
        add_parts(form.items()[1], form.items().subspan(2), false);
    } else if (is_list_of(form, "extend-protocol") && form.size > 3 && form.items()[1].is(FormKind::Symbol)) {
        const std::span<const Form> parts = form.items().subspan(2);
        for (std::size_t i = 0, end = 0; i < parts.size(); i = end) {
            for (end = i + 1; end < parts.size() && parts[end].is(FormKind::List);)
                ++end;
            parts_.push_back({form.items()[1].text(), &parts[i], parts.subspan(i + 1, end - i - 1), false});
        }
    }
}

/// Protocol method .. Protocol method ..
void Records::add_parts(const Form& type, std::span<const Form> body, bool is_inline) {
    for (std::size_t i = 0, end = 0; i < body.size(); i = end) {
        for (end = i + 1; end < body.size() && body[end].is(FormKind::List);)
            ++end;
        const std::string_view protocol = body[i].is(FormKind::Symbol) ? body[i].text() : std::string_view();
        parts_.push_back({protocol, &type, body.subspan(i + 1, end - i - 1), is_inline});
    }
}

const Records::Type* Records::find_type(std::string_view name) const {
    const auto found = std::ranges::find(types_, name, &Type::name);
    return found == types_.end() ? nullptr : &*found;
}

const Records::Protocol* Records::find_protocol(std::string_view name) const {
    const auto found = std::ranges::find(protocols_, name, &Protocol::name);
    return found == protocols_.end() ? nullptr : &*found;
}

/// A map that has the fields of a record is one: that is no test where another record has all of them, too.
bool Records::is_told_apart(const Type& record) const {
    if (record.names.empty()) return false;
    if (!record.is_told_apart) {
        record.is_told_apart = std::ranges::none_of(types_, [&](const Type& other) {
            return &other != &record && std::ranges::includes(other.names, record.names);
        });
    }
    return *record.is_told_apart;
}

/// A larger one has no type.
bool Records::can_be_tested(const Type& record) const {
    return types_.size() <= kMostTypes && record.name.size() <= ShapeObject::kMaxKeyBytes &&
           (record.fields.size() <= ShapeObject::kMaxFields || is_told_apart(record));
}

bool Records::is_supported() const {
    if (!is_supported_) is_supported_ = can_be_said();
    return *is_supported_;
}

bool Records::can_be_said() const {
    std::size_t methods = 0, implemented = 0;
    for (const Protocol& protocol : protocols_)
        methods += protocol.methods.size();
    for (const Part& part : parts_)
        implemented += part.methods.size();
    if (parts_.empty()) return methods <= kMostMethods;
    if (types_.size() > kMostTypes || parts_.size() > kMostParts || methods > kMostMethods ||
        implemented > kMostMethods)
        return false;
    return std::ranges::all_of(parts_, [&](const Part& part) {
        const Type* record = part.type->is(FormKind::Symbol) ? find_type(part.type->text()) : nullptr;
        return find_protocol(part.protocol) && (part.type->is(FormKind::Symbol) || part.type->is(FormKind::Nil)) &&
               (!record || can_be_tested(*record)) && std::ranges::all_of(part.methods, is_method);
    });
}

namespace {

Error too_many(Span span, std::size_t count, std::size_t most, const char* what) {
    return Error(Reason::LimitExceeded, span,
                 "The program has " + std::to_string(count) + " " + what + "; at most " + std::to_string(most) +
                     " are allowed.",
                 "Use maps with a :type, and defmulti with its methods, for what is much.");
}

} // namespace

bool Records::are_too_many() {
    std::size_t methods = 0, implemented = 0;
    for (const Protocol& protocol : protocols_) {
        methods += protocol.methods.size();
        if (methods <= kMostMethods) continue;
        for (std::size_t i = static_cast<std::size_t>(&protocol - protocols_.data()) + 1; i < protocols_.size(); ++i)
            methods += protocols_[i].methods.size();
        diagnostics_.error(too_many(protocol.form->items()[1].span, methods, kMostMethods, "methods in its protocols"));
        return true;
    }
    const auto extends = [&](const Part& part) {
        return work::charge(1 + protocols_.size() / 8) && find_protocol(part.protocol) != nullptr;
    };
    if (!std::ranges::all_of(parts_, extends)) return false; // refused as a whole, for that
    for (const Part& part : parts_)
        implemented += part.methods.size();
    if (parts_.empty() || (types_.size() <= kMostTypes && parts_.size() <= kMostParts && implemented <= kMostMethods))
        return false;
    const Span span = parts_.back().type->span;
    if (types_.size() > kMostTypes)
        diagnostics_.error(too_many(span, types_.size(), kMostTypes, "types with methods"));
    else if (parts_.size() > kMostParts)
        diagnostics_.error(too_many(span, parts_.size(), kMostParts, "protocols that types have"));
    else
        diagnostics_.error(too_many(span, implemented, kMostMethods, "methods of its types"));
    return true;
}

bool Records::is_of(const Protocol& protocol, const Form& method) {
    std::vector<std::string_view> names;
    for (const Form* known : protocol.methods)
        names.push_back(known->items()[0].text());
    if (std::ranges::find(names, method.text()) != names.end()) return true;
    const std::vector<std::string> nearest = suggest(method.text(), names, 1);
    Error error(Reason::InvalidForm, method.span,
                "The protocol " + quoted_name(protocol.name) + " has no method " + quoted_name(method.text()) + ".",
                did_you_mean(nearest));
    if (!nearest.empty()) {
        error.hint += " ";
        error.edits.push_back({method.span, nearest.front()});
    }
    std::vector<std::string> shown;
    for (const std::string_view known : names)
        shown.push_back(quoted_name(known));
    error.hint += names.empty() ? "It has none." : "It has " + first_of(shown, 12) + ".";
    diagnostics_.error(std::move(error));
    return false;
}

// ---- What it becomes

bool Records::define(const Form& form, std::vector<Form>& out) {
    const bool declares = is_record(form) || is_list_of(form, "defprotocol") || is_list_of(form, "extend-type") ||
                          is_list_of(form, "extend-protocol");
    if (!declares || !is_supported()) return false;
    if (is_list_of(form, "defprotocol")) {
        const Protocol* protocol =
            form.size > 1 && form.items()[1].is(FormKind::Symbol) ? find_protocol(form.items()[1].text()) : nullptr;
        if (!protocol) return false;
        define_protocol(*protocol, form.span, out);
        return true;
    }
    if (is_record(form)) define_constructors(form, out);
    define_methods(form, out);
    return true;
}

/// (defn ->Name [a b] (record-of% {:a a :b b} :Name)), (defn map->Name [m] (record-of% (merge {:a nil :b nil} m)
/// :Name)). A space in front of a name: the language's, whatever the program calls so.
void Records::define_constructors(const Form& form, std::vector<Form>& out) {
    const Span span = form.items()[1].span;
    const std::string name(form.items()[1].text());
    const Form& fields = form.items()[2];
    if (!work::charge(kWorkOfDeclaration)) return;
    std::vector<Form> given, empty;
    for (const Form& field : fields.size <= kMostFields ? fields.items() : std::span<const Form>()) {
        given.push_back(make_.text(FormKind::Keyword, field.text(), span));
        given.push_back(field);
        empty.push_back(given[given.size() - 2]);
        empty.emplace_back();
        empty.back().span = span;
    }
    const Form defn = make_.symbol("defn", span);
    const Form type = make_.text(FormKind::Keyword, name, span);
    const auto typed = [&](const Form& of) {
        if (name.size() > ShapeObject::kMaxKeyBytes) return of;
        return make_.list({make_.symbol(" record-of%", span), of, type}, span);
    };
    const Form made = typed(make_.of(FormKind::Map, given, span));
    out.push_back(make_.list({defn, make_.symbol("->" + name, span), fields, made}, form.span));
    const Form map = make_.symbol("m", span);
    const Form merged = make_.list({make_.symbol(" merge", span), make_.of(FormKind::Map, empty, span), map}, span);
    out.push_back(make_.list(
        {defn, make_.symbol("map->" + name, span), make_.of(FormKind::Vector, {map}, span), typed(merged)}, form.span));
}

/// (defmulti method (fn [this & more] kind)), for each of them.
void Records::define_protocol(const Protocol& protocol, Span span, std::vector<Form>& out) {
    const Form self = make_.symbol(" this", span);
    for (const Form* method : protocol.methods) {
        const Form& name = method->items()[0];
        const Form parameters =
            make_.of(FormKind::Vector, {self, make_.symbol("&", span), make_.symbol(" more", span)}, span);
        const Form dispatch = make_.list({make_.symbol("fn", span), parameters, kind_of(protocol, self, span)}, span);
        out.push_back(make_.list({make_.symbol("defmulti", span), name, dispatch}, span));
        if (has_reify_) out.push_back(reified_method(name, span));
    }
}

/// (get value :name)
Form Records::method_in(const Form& value, std::string_view name, Span span) {
    return make_.list({make_.symbol(" get", span), value, make_.text(FormKind::Keyword, name, span)}, span);
}

/// (defmethod name "reify" [this & more] (apply (or (get this :name) (throw (ex-info "No method .." {}))) this more))
Form Records::reified_method(const Form& name, Span span) {
    const Form self = make_.symbol(" this", span), more = make_.symbol(" more", span);
    const Form text = make_.text(FormKind::String, "No method '" + std::string(name.text()) + "' in this reify", span);
    const Form failure = make_.list({make_.symbol(" ex-info", span), text, make_.of(FormKind::Map, {}, span)}, span);
    const Form absent = make_.list({make_.symbol("throw", span), failure}, span);
    const Form method = make_.list({make_.symbol("or", span), method_in(self, name.text(), span), absent}, span);
    const Form body = make_.list({make_.symbol(" apply", span), method, self, more}, span);
    const Form parameters = make_.of(FormKind::Vector, {self, make_.symbol("&", span), more}, span);
    return make_.list(
        {make_.symbol("defmethod", span), name, make_.text(FormKind::String, "reify", span), parameters, body}, span);
}

/// Whether reify made it with a method of the protocol.
Form Records::is_reified(const Protocol& protocol, const Form& value, Span span) {
    std::vector<Form> any = {make_.symbol("or", span)};
    for (const Form* method : protocol.methods)
        any.push_back(method_in(value, method->items()[0].text(), span));
    const Form none, type = make_.text(FormKind::Keyword, kReified, span);
    const Form is_one = make_.list({make_.symbol(" is-record%", span), value, type, none}, span);
    return make_.list({make_.symbol("and", span), is_one, make_.list(any, span)}, span);
}

/// (let [type (record-type% x)] (cond (= type :Record) "Record" .. :else (kind_of_any x))): what says of itself what it
/// is, as nearly all records do, is known by that; all else is looked at.
Form Records::kind_of(const Protocol& protocol, const Form& value, Span span) {
    const Form type = make_.symbol(" record-type", span);
    std::vector<Form> cond = {make_.symbol("cond", span)};
    for (const Part& part : parts_) {
        const Type* record = part.type->is(FormKind::Symbol) ? find_type(part.type->text()) : nullptr;
        if (!record || part.protocol != protocol.name) continue;
        const Form name = make_.text(FormKind::Keyword, record->name, span);
        cond.push_back(make_.list({make_.symbol(" =", span), type, name}, span));
        cond.push_back(make_.text(FormKind::String, record->name, span));
    }
    const Form any = kind_of_any(protocol, value, span);
    if (cond.size() == 1) return any;
    cond.push_back(make_.text(FormKind::Keyword, "else", span));
    cond.push_back(any);
    const Form known = make_.list({make_.symbol(" record-type%", span), value}, span);
    const Form bindings = make_.of(FormKind::Vector, {type, known}, span);
    return make_.list({make_.symbol("let", span), bindings, make_.list(cond, span)}, span);
}

/// (cond (nil? x) "nil" test "Record" .. (instance? Class x) "Class" .. (some? x) "Object" :else (type x))
Form Records::kind_of_any(const Protocol& protocol, const Form& value, Span span) {
    std::vector<Form> cond = {make_.symbol("cond", span)};
    std::vector<std::pair<int, const Part*>> classes;
    const auto add = [&](const Form& test, std::string_view kind) {
        cond.push_back(test);
        cond.push_back(make_.text(FormKind::String, kind, span));
    };
    if (has_reify_) {
        add(is_reified(protocol, value, span), "reify");
    }
    for (const Part& part : parts_) {
        if (part.protocol != protocol.name) continue;
        const Type* record = part.type->is(FormKind::Symbol) ? find_type(part.type->text()) : nullptr;
        if (record)
            add(test_of(*record, value, span), record->name);
        else
            classes.emplace_back(part.type->is(FormKind::Nil) ? 0
                                 : is_object(*part.type)      ? 3
                                                              : width_of(part.type->text()),
                                 &part);
    }
    std::ranges::stable_sort(classes, {}, &std::pair<int, const Part*>::first);
    for (const auto& [width, part] : classes) {
        const bool is_nil = part->type->is(FormKind::Nil);
        if (is_nil || is_object(*part->type))
            add(make_.list({make_.symbol(is_nil ? " nil?" : " some?", span), value}, span), is_nil ? "nil" : "Object");
        else
            add(make_.list({make_.symbol("instance?", span), *part->type, value}, span), part->type->text());
    }
    cond.push_back(make_.text(FormKind::Keyword, "else", span));
    cond.push_back(make_.list({make_.symbol(" type", span), value}, span));
    return make_.list(cond, span);
}

void Records::define_methods(const Form& form, std::vector<Form>& out) {
    for (const Part& part : parts_) {
        if (part.type->span.begin >= form.span.begin && part.type->span.end <= form.span.end)
            define_part(part, form.span, out);
    }
}

/// (defmethod name "Type" clause ..): those of one name are one method.
void Records::define_part(const Part& part, Span span, std::vector<Form>& out) {
    const bool is_nil = part.type->is(FormKind::Nil);
    const Type* record = is_nil ? nullptr : find_type(part.type->text());
    for (std::size_t i = 0; i < part.methods.size(); ++i) {
        const Form& name = part.methods[i].items()[0];
        const auto same = [&](const Form& method) { return method.items()[0].text() == name.text(); };
        if (std::ranges::any_of(part.methods.first(i), same)) continue;
        const Protocol* protocol = find_protocol(part.protocol);
        if (protocol && !is_of(*protocol, name)) continue;
        const std::string_view kind = is_nil ? "nil" : is_object(*part.type) ? "Object" : part.type->text();
        const Form value = make_.text(FormKind::String, kind, span);
        std::vector<Form> method = {make_.symbol("defmethod", span), name, value};
        for (const Form& clause : part.methods.subspan(i)) {
            if (same(clause)) method.push_back(clause_of(clause, part.is_inline ? record : nullptr));
        }
        out.push_back(make_.list(method, span));
    }
}

/// ([this ..] (let [field (:field this) ..] body ..)): the fields that the body names and no parameter hides.
Form Records::clause_of(const Form& method, const Type* record) {
    const Span span = method.span;
    const Form& parameters = method.items()[1];
    std::vector<Form> clause(method.items().begin() + 1, method.items().end());
    if (!record) return make_.list(clause, span);
    std::vector<Form> bindings;
    const NamesIn named(method.items().subspan(2)), hidden(parameters.items());
    std::vector<Form> names(parameters.items().begin(), parameters.items().end());
    if (names[0].is_symbol("_") && !named.has("_")) names[0] = make_.symbol(" this", names[0].span);
    for (const Form& field : record->fields) {
        if (!named.has(field.text()) || hidden.has(field.text())) continue;
        bindings.push_back(field);
        bindings.push_back(make_.list({make_.text(FormKind::Keyword, field.text(), span), names[0]}, span));
    }
    if (bindings.empty()) return make_.list(clause, span);
    std::vector<Form> body = {make_.symbol("let", span), make_.of(FormKind::Vector, bindings, span)};
    body.insert(body.end(), method.items().begin() + 2, method.items().end());
    return make_.list({make_.of(FormKind::Vector, names, parameters.span), make_.list(body, span)}, span);
}

/// (is-record% x :Name [:a ..]), with nil where the fields do not tell.
Form Records::test_of(const Type& record, const Form& value, Span span) {
    if (record.keys.is(FormKind::Nil) && is_told_apart(record)) {
        std::vector<Form> keys;
        for (const Form& field : record.fields)
            keys.push_back(make_.text(FormKind::Keyword, field.text(), span));
        record.keys = make_.of(FormKind::Vector, keys, span);
    }
    const Form type = make_.text(FormKind::Keyword, record.name, span);
    return make_.list({make_.symbol(" is-record%", span), value, type, record.keys}, span);
}

/// (fn [x] (string? kind)): the kinds of others are keywords.
Form Records::test_of(const Protocol& protocol, Span span) {
    if (protocol.test.is(FormKind::Nil)) {
        const Form value = make_.symbol(" record", span);
        const Form test = make_.list({make_.symbol(" string?", span), kind_of(protocol, value, span)}, span);
        protocol.test = make_.list({make_.symbol("fn", span), make_.of(FormKind::Vector, {value}, span), test}, span);
    }
    return protocol.test;
}

// ---- In other forms

/// (reify Protocol (name [this ..] body ..) ..) as (record-of% {:name (fn ([this ..] body ..) ..) ..} :reify%): what
/// its functions close over are names around it. Nothing for what is no protocol of the program.
std::optional<Form> Records::reified(const Form& form) {
    const Span span = form.span;
    std::vector<Form> methods, entries;
    const Protocol* protocol = nullptr;
    for (const Form& part : form.items().subspan(1)) {
        if (!work::charge(kWorkOfDeclaration)) return std::nullopt;
        if (part.is(FormKind::Symbol) ? !find_protocol(part.text()) : !is_method(part)) return std::nullopt;
        if (part.is(FormKind::Symbol))
            protocol = find_protocol(part.text());
        else if (!protocol || is_of(*protocol, part.items()[0]))
            methods.push_back(part);
    }
    std::vector<std::vector<Form>> functions; // of methods with one name, one
    std::unordered_map<std::string_view, std::size_t> places;
    for (const Form& method : methods) {
        const auto [found, is_new] = places.try_emplace(method.items()[0].text(), functions.size());
        if (is_new) functions.push_back({make_.symbol("fn", span)});
        functions[found->second].push_back(clause_of(method, nullptr));
    }
    for (const Form& method : methods) {
        const std::string_view name = method.items()[0].text();
        const auto place = places.extract(name);
        if (!place) continue; // it is an entry already
        entries.push_back(make_.text(FormKind::Keyword, name, span));
        entries.push_back(make_.list(functions[place.mapped()], span));
    }
    return make_.list({make_.symbol(" record-of%", span), make_.of(FormKind::Map, entries, span),
                       make_.text(FormKind::Keyword, kReified, span)},
                      span);
}

void Records::say(const Form& form) {
    if (!work::charge(1)) return;
    if (form.kind < FormKind::List || form.is(FormKind::Var) || form.is(FormKind::Quote)) return;
    if (is_list_of(form, "quote")) return;
    for (const Form& item : form.items())
        say(item);
    if ((!form.is(FormKind::List) && !form.is(FormKind::ShortFn)) || form.size == 0) return;
    auto& changed = const_cast<Form&>(form); // the reader's, or ours
    auto& head = const_cast<Form&>(form.items()[0]);
    if (!head.is(FormKind::Symbol)) return;
    const std::string_view name = head.text();
    if (name == "reify" && form.is(FormKind::List) && form.size > 1 && is_supported()) {
        if (const std::optional<Form> record = reified(form)) changed = *record;
        return;
    }
    if (name.ends_with('.') && find_type(name.substr(0, name.size() - 1))) {
        head = make_.symbol("->" + std::string(name.substr(0, name.size() - 1)), head.span);
        return;
    }
    if (form.size != 3 || !form.items()[1].is(FormKind::Symbol)) return;
    if (hides_tests_) return;
    const Type* record = name == "instance?" ? find_type(form.items()[1].text()) : nullptr;
    const Protocol* protocol = name == "satisfies?" ? find_protocol(form.items()[1].text()) : nullptr;
    const FormKind kind = form.kind; // (..) or #(..)
    if (record && can_be_tested(*record))
        changed = test_of(*record, form.items()[2], form.span);
    else if (protocol && is_supported())
        changed = make_.list({test_of(*protocol, form.span), form.items()[2]}, form.span);
    changed.kind = kind;
}

} // namespace ptc
