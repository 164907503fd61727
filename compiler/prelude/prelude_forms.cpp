// Reading a prelude: a sequence of (ns ..), (def ..), (defn ..) and (defn- ..), and nothing else.
//
// Each form is taken apart in the order of its parts, name, documentation, metadata, body; a part that is absent is
// skipped. A form with a mistake is reported and left out, so that one pass finds the mistakes of all. Bodies are kept
// as forms: whether they mean anything is for the analysis.
#include "compiler/prelude/prelude_forms.h"
#include "compiler/language/namespaces.h"
#include "compiler/language/scope.h"
#include "compiler/language/special_forms.h"
#include "compiler/prelude/prelude_errors.h"
#include <unordered_map>

namespace ptc {
namespace {

/// Owns the namespaces read so far; borrows the forms, the names that are taken, and the diagnostics.
class PreludeReader {
public:
    PreludeReader(const CoreLibrary& core, const Prelude& earlier, Diagnostics& diagnostics)
        : core_(core), earlier_(earlier), diagnostics_(diagnostics) {}

    std::vector<NamespaceForms> read(std::span<const Form> top_level) {
        for (const Form& form : top_level)
            read_form(form);
        return std::move(spaces_);
    }

private:
    using FormSpan = std::span<const Form>;

    void read_form(const Form& form) {
        if (!form.is(FormKind::List) || form.size == 0 || !form.items()[0].is(FormKind::Symbol))
            return report(not_in_prelude(form.span));
        const std::string_view head = form.items()[0].text();
        if (head == "ns") return read_namespace(form);
        if (head != "def" && head != "defn" && head != "defn-") return report(not_in_prelude(form.span));
        if (spaces_.empty()) {
            // One mistake: a text that begins without (ns ..), or whose (ns ..) is wrong.
            if (!diagnostics_.has_errors()) report(before_namespace(form.span));
            return;
        }
        read_definition(form, head);
    }

    // (ns name "doc"? {metadata}?)
    void read_namespace(const Form& form) {
        FormSpan parts = form.items().subspan(1);
        if (parts.empty() || !parts[0].is(FormKind::Symbol))
            return report(bad_namespace_form(form.span, "it declares a name"));
        NamespaceForms space;
        space.name = parts[0].text();
        space.span = parts[0].span;
        first_definition_.clear();
        if (!is_binding_name(parts[0]))
            report(bad_namespace_form(space.span, "the name of a namespace is plain, such as crm"));
        if (is_language_namespace(space.name)) report(reserved_namespace(space.span, space.name));
        bool is_known = earlier_.find_namespace(space.name) != nullptr;
        for (const NamespaceForms& other : spaces_)
            is_known = is_known || other.name == space.name;
        if (is_known) report(reopened_namespace(space.span, space.name));
        parts = parts.subspan(1);
        if (!parts.empty() && parts[0].is(FormKind::String)) {
            space.doc = parts[0].text();
            parts = parts.subspan(1);
        }
        if (!parts.empty() && parts[0].is(FormKind::Map)) {
            PreludeDefinition defaults;
            read_metadata(parts[0], defaults);
            space.in_prompt = defaults.in_prompt.value_or(true);
            parts = parts.subspan(1);
        }
        if (!parts.empty())
            report(bad_namespace_form(parts[0].span, "after the name stand a text and a map, in this order"));
        spaces_.push_back(std::move(space));
    }

    // (def name "doc"? {metadata}? value), (defn name "doc"? {metadata}? [params] body ..)
    void read_definition(const Form& form, std::string_view head) {
        FormSpan parts = form.items().subspan(1);
        if (parts.empty() || !is_binding_name(parts[0]))
            return report(bad_definition(parts.empty() ? form.span : parts[0].span, head, "it defines a plain name"));
        PreludeDefinition definition;
        definition.name = parts[0].text();
        definition.name_span = parts[0].span;
        definition.form = &form;
        definition.is_public = head != "defn-";
        if (!check_name(definition)) return;
        parts = parts.subspan(1);
        if (parts.size() > 1 && parts[0].is(FormKind::String)) {
            definition.doc = parts[0].text();
            parts = parts.subspan(1);
        }
        if (parts.size() > 1 && parts[0].is(FormKind::Map)) {
            read_metadata(parts[0], definition);
            parts = parts.subspan(1);
        }
        if (head == "def" ? read_value(form, parts, definition) : read_function(form, head, parts, definition))
            spaces_.back().definitions.push_back(std::move(definition));
    }

    bool check_name(const PreludeDefinition& definition) {
        const auto [first, is_new] = first_definition_.emplace(definition.name, definition.name_span);
        if (!is_new) {
            report(repeated_definition(definition.name_span, definition.name, first->second));
            return false;
        }
        const CoreName* core = core_.lookup(definition.name, name_hash(definition.name));
        const bool is_fixed = core && core->special >= 0 &&
                              special_forms()[static_cast<std::size_t>(core->special)].shadowing != SpecialForm::kOpen;
        if (is_fixed) report(special_name(definition.name_span, definition.name));
        return !is_fixed;
    }

    bool read_value(const Form& form, FormSpan parts, PreludeDefinition& definition) {
        if (parts.size() != 1) {
            report(bad_definition(form.span, "def", "it has one value"));
            return false;
        }
        const Form& value = parts[0];
        const bool is_function = value.is(FormKind::List) && value.size > 1 && value.items()[0].is_symbol("fn") &&
                                 value.items()[1].is(FormKind::Vector);
        if (is_function) definition.params = &value.items()[1];
        definition.body = is_function ? value.items().subspan(2) : parts;
        return true;
    }

    bool read_function(const Form& form, std::string_view head, FormSpan parts, PreludeDefinition& definition) {
        if (parts.empty() || !parts[0].is(FormKind::Vector)) {
            report(bad_definition(parts.empty() ? form.span : parts[0].span, head,
                                  "the parameters stand in one vector, [x y]"));
            return false;
        }
        definition.params = &parts[0];
        definition.body = parts.subspan(1);
        return true;
    }

    // ---- Metadata: {:visibility :prompt :effect :read :requires ["tool:x"] :provider-ref "x"}. Other keywords are the
    // author's own.

    void read_metadata(const Form& map, PreludeDefinition& definition) {
        for (std::size_t i = 0; i + 1 < map.size; i += 2) {
            const Form& key = map.items()[i];
            const Form& value = map.items()[i + 1];
            if (!key.is(FormKind::Keyword)) {
                report(bad_metadata(key.span, "", "a map whose keys are keywords"));
            } else if (key.text() == "visibility") {
                read_visibility(value, definition);
            } else if (key.text() == "effect") {
                read_effect(value, definition);
            } else if (key.text() == "requires") {
                read_needs(value, definition);
            } else if (key.text() == "provider-ref") {
                if (!value.is(FormKind::String))
                    report(bad_metadata(value.span, key.text(), "a string"));
                else
                    definition.provider = value.text();
            }
        }
    }

    void read_visibility(const Form& value, PreludeDefinition& definition) {
        const std::string_view text = value.is(FormKind::Keyword) ? value.text() : std::string_view();
        if (text != "prompt" && text != "discoverable")
            return report(bad_metadata(value.span, "visibility", ":prompt or :discoverable"));
        definition.in_prompt = text == "prompt";
    }

    void read_effect(const Form& value, PreludeDefinition& definition) {
        for (const PreludeEffect effect : {PreludeEffect::Read, PreludeEffect::Write, PreludeEffect::Unknown}) {
            if (value.is(FormKind::Keyword) && value.text() == effect_name(effect)) definition.effect = effect;
        }
        if (!definition.effect) report(bad_metadata(value.span, "effect", ":read, :write or :unknown"));
    }

    void read_needs(const Form& value, PreludeDefinition& definition) {
        if (!value.is(FormKind::Vector)) return report(bad_metadata(value.span, "requires", "a vector of strings"));
        for (const Form& need : value.items()) {
            if (need.is(FormKind::String))
                definition.needs.push_back(need.text());
            else
                report(bad_metadata(need.span, "requires", "a vector of strings"));
        }
    }

    void report(Error error) { diagnostics_.error(std::move(error)); }

    const CoreLibrary& core_;
    const Prelude& earlier_;
    Diagnostics& diagnostics_;
    std::vector<NamespaceForms> spaces_;
    std::unordered_map<std::string_view, Span> first_definition_; ///< in the newest namespace
};

} // namespace

std::vector<NamespaceForms> read_prelude(std::span<const Form> top_level, const CoreLibrary& core,
                                         const Prelude& earlier, Diagnostics& diagnostics) {
    return PreludeReader(core, earlier, diagnostics).read(top_level);
}

} // namespace ptc
