#include "frontend/error.h"

namespace ptc {

std::string_view reason_name(Reason reason) {
    switch (reason) {
#define PTC_ERROR(Name, text, doc)                                                                                     \
    case Reason::Name:                                                                                                 \
        return #text;
#include "frontend/errors.def"
#undef PTC_ERROR
    }
    return "runtime_error"; // a Reason made by a cast; input cannot
}

std::string_view reason_doc(Reason reason) {
    switch (reason) {
#define PTC_ERROR(Name, text, doc)                                                                                     \
    case Reason::Name:                                                                                                 \
        return doc;
#include "frontend/errors.def"
#undef PTC_ERROR
    }
    return {};
}

} // namespace ptc
