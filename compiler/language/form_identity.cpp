#include "compiler/language/form_identity.h"
#include "compiler/language/scope.h"
#include <bit>

namespace ptc {

std::uint64_t form_hash(const Form& form) {
    std::uint64_t h = static_cast<std::uint64_t>(form.kind) * 0x9E3779B97F4A7C15;
    switch (form.kind) {
    case FormKind::Nil:
    case FormKind::True:
    case FormKind::False: return h;
    case FormKind::Integer: return h ^ static_cast<std::uint64_t>(form.integer) * 0xD6E8FEB86659FD93;
    case FormKind::Float: return h ^ std::bit_cast<std::uint64_t>(form.number + 0.0) * 0xD6E8FEB86659FD93;
    case FormKind::BigInteger:
    case FormKind::String:
    case FormKind::Keyword:
    case FormKind::Symbol:
    case FormKind::Regex:
    case FormKind::Var: return h ^ name_hash(form.text());
    default:
        for (const Form& item : form.items())
            h = (h ^ form_hash(item)) * 0xD6E8FEB86659FD93;
        return h ^ h >> 29;
    }
}

bool same_form(const Form& a, const Form& b) {
    if (a.kind != b.kind) return false;
    switch (a.kind) {
    case FormKind::Nil:
    case FormKind::True:
    case FormKind::False: return true;
    case FormKind::Integer: return a.integer == b.integer;
    case FormKind::Float: return a.number == b.number;
    case FormKind::BigInteger:
    case FormKind::String:
    case FormKind::Keyword:
    case FormKind::Symbol:
    case FormKind::Var: return a.text() == b.text();
    case FormKind::Regex:
    case FormKind::ShortFn: return false;
    default: break;
    }
    if (a.size != b.size) return false;
    for (std::size_t i = 0; i < a.size; ++i) {
        if (!same_form(a.items()[i], b.items()[i])) return false;
    }
    return true;
}

} // namespace ptc
