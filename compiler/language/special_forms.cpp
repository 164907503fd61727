#include "compiler/language/special_forms.h"

namespace ptc {
namespace {

constexpr SpecialForm kSpecialForms[] = {
#define PTC_SPECIAL_FORM(name, handler, shadowing, ...) {name, SpecialForm::shadowing, __VA_ARGS__},
#include "compiler/language/special_forms.def"
#undef PTC_SPECIAL_FORM
};

} // namespace

std::span<const SpecialForm> special_forms() { return kSpecialForms; }

} // namespace ptc
