#include "compiler/language/special_forms.h"
#include <algorithm>

namespace ptc {
namespace {

using namespace form_columns;

constexpr SpecialForm kSpecialForms[] = {
#define PTC_SPECIAL_FORM(name, handler, check, shadowing, ...) {name, SpecialForm::shadowing, __VA_ARGS__},
#include "compiler/language/special_forms.def"
};

} // namespace

std::span<const SpecialForm> special_forms() { return kSpecialForms; }

bool binds_pairs(std::string_view name) {
    if (name == "let*") return true; // of other Lisps
    return std::ranges::any_of(kSpecialForms,
                               [&](const SpecialForm& form) { return form.style.binds && name == form.name; });
}

} // namespace ptc
