#include "compiler/check/call_argument.h"

namespace ptc {

const Fact* fact_of_literal(const Form& form) {
    switch (form.kind) {
    case FormKind::Nil: return Facts::nil();
    case FormKind::True:
    case FormKind::False: return Facts::of(FactKind::Bool, true);
    case FormKind::Integer:
    case FormKind::BigInteger:
    case FormKind::Float: return Facts::of(FactKind::Numeric, true);
    case FormKind::String: return Facts::of(FactKind::String, true);
    case FormKind::Keyword: return Facts::of(FactKind::Keyword, true);
    default: return Facts::any();
    }
}

} // namespace ptc
