#include "compiler/analyze/handlers.h"

namespace ptc {
namespace {

constexpr Handler kHandlers[] = {
#define PTC_SPECIAL_FORM(name, handler, ...) &handler,
#include "compiler/language/special_forms.def"
};

} // namespace

Handler handler_of(std::size_t row) { return kHandlers[row]; }

} // namespace ptc
