#include "ptc/error.h"
#include "ptc/result.h"
#include <cstdio>
#include <cstdlib>

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

Error::Error() = default;
Error::Error(Reason r, std::string text) : reason(r), message(std::move(text)) {}
Error::Error(Reason r, Span where, std::string text, std::string advice)
    : reason(r), message(std::move(text)), span(where), has_span(true), hint(std::move(advice)) {}
Error::Error(const Error& other) = default;
Error::Error(Error&& other) noexcept = default;
Error& Error::operator=(const Error& other) = default;
Error& Error::operator=(Error&& other) noexcept = default;
Error::~Error() = default;

Error&& Error::with_hint(std::string text) && {
    hint = std::move(text);
    return std::move(*this);
}

Error&& Error::with_edit(Span where, std::string text) && {
    edits.push_back({where, std::move(text)});
    return std::move(*this);
}

Error&& Error::with_label(Span where, std::string text) && {
    labels.push_back({where, std::move(text)});
    return std::move(*this);
}

ErrorPtr::ErrorPtr(Error error) : error_(new Error(std::move(error))) {}
void ErrorPtr::destroy(Error* error) noexcept { delete error; }

namespace result_detail {

void no_value(const Error& error) {
    const std::string reason(reason_name(error.reason));
    std::fprintf(stderr, "ptc: the value of a Result was taken, which is an error: %s: %s\n", reason.c_str(),
                 error.message.c_str());
    std::abort();
}

void no_error() {
    std::fputs("ptc: the error of a Result was taken, which has a value\n", stderr);
    std::abort();
}

} // namespace result_detail

} // namespace ptc
