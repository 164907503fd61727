#include "compiler/language/special_forms.h"

namespace ptc {
namespace {

using namespace form_columns;

constexpr SpecialForm kSpecialForms[] = {
#define PTC_SPECIAL_FORM(name, handler, check, shadowing, ...) {name, SpecialForm::shadowing, __VA_ARGS__},
#include "compiler/language/special_forms.def"
};

} // namespace

std::span<const SpecialForm> special_forms() { return kSpecialForms; }

} // namespace ptc
