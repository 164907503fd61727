#include "compiler/language/vocabulary.h"

#include "compiler/language/scope.h"
#include "compiler/language/special_forms.h"

namespace ptc {
namespace {

KnownHead call_head(std::string_view name, Arity arity, const WrittenArguments& written) {
    if (written.max == 0) return {KnownHead::Call, name, arity.min, arity.max};
    return {KnownHead::Call, name, written.min, written.max, written.usual};
}

} // namespace

std::optional<KnownHead> LanguageVocabulary::head(std::string_view name) const {
    const CoreName* entry = core_.lookup(name, name_hash(name));
    if (!entry) return std::nullopt;
    if (entry->special >= 0) {
        std::optional<KnownHead> head = special_forms()[static_cast<std::size_t>(entry->special)].head;
        if (head) head->name = entry->name;
        return head;
    }
    if (entry->core) return call_head(entry->name, arity_of_usage(entry->core->usage), entry->core->written);
    const Builtin& row = builtin_at(static_cast<std::uint32_t>(entry->builtin));
    return call_head(entry->name, row.arity(), row.written);
}

FormStyle LanguageVocabulary::style(std::string_view name) const {
    using namespace form_columns;
    struct PreludeForm {
        std::string_view name;
        FormStyle style;
    };
    constexpr PreludeForm kPreludeForms[] = {
#define PTC_PRELUDE_FORM(name, style) {name, style},
#include "compiler/language/special_forms.def"
    };
    for (const PreludeForm& form : kPreludeForms) {
        if (form.name == name) return form.style;
    }
    const CoreName* entry = core_.lookup(name, name_hash(name));
    if (!entry) return {};
    if (entry->special >= 0) return special_forms()[static_cast<std::size_t>(entry->special)].style;
    return entry->builtin >= 0 ? builtin_at(static_cast<std::uint32_t>(entry->builtin)).layout : FormStyle{};
}

} // namespace ptc
