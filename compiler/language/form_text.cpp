#include "compiler/language/form_text.h"

namespace ptc {
namespace {

// Recursion is bounded by the reader's limit on nesting.
void append(std::string& text, const Source& source, const Form& form) {
    const char* open = "";
    const char* close = "";
    switch (form.kind) {
    case FormKind::List: open = "(", close = ")"; break;
    case FormKind::Vector: open = "[", close = "]"; break;
    case FormKind::Map: open = "{", close = "}"; break;
    case FormKind::Set: open = "#{", close = "}"; break;
    case FormKind::ShortFn: open = "#(", close = ")"; break;
    case FormKind::Quote: open = "'"; break;
    default: text += source.text(form.span); return;
    }
    text += open;
    for (const Form& item : form.items()) {
        if (&item != form.first) text += ' ';
        append(text, source, item);
    }
    text += close;
}

} // namespace

std::string form_text(const Source& source, const Form& form) {
    std::string text;
    append(text, source, form);
    return text;
}

} // namespace ptc
