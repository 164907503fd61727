#include "ptc/error.h"
#include "ptc/result.h"

namespace ptc {

std::string_view reason_name(Reason reason) {
    switch (reason) {
#define PTC_ERROR(Name, text, doc)                                                                                     \
    case Reason::Name:                                                                                                 \
        return #text;
#include "ptc/errors.def"
#undef PTC_ERROR
    }
    return "runtime_error"; // a Reason made by a cast; input cannot
}

std::optional<Reason> reason_named(std::string_view name) {
#define PTC_ERROR(Name, text, doc)                                                                                     \
    if (name == #text) return Reason::Name;
#include "ptc/errors.def"
#undef PTC_ERROR
    return std::nullopt;
}

std::string_view reason_doc(Reason reason) {
    switch (reason) {
#define PTC_ERROR(Name, text, doc)                                                                                     \
    case Reason::Name:                                                                                                 \
        return doc;
#include "ptc/errors.def"
#undef PTC_ERROR
    }
    return {};
}

ErrorPtr::ErrorPtr(Error error) : error_(new Error(std::move(error))) {}
void ErrorPtr::destroy(Error* error) noexcept { delete error; }

} // namespace ptc
