#include "tools/data_names.h"
#include "frontend/reader.h"
#include "frontend/suggest.h"
#include <algorithm>

namespace ptc {
namespace {

std::string normalized(std::string_view name) {
    std::string result(name);
    std::replace(result.begin(), result.end(), '-', '_');
    return result;
}

/// NAME of data/NAME or ctx/NAME, else "".
std::string_view data_name(const Form& form) {
    if (!form.is(FormKind::Symbol)) return {};
    for (const std::string_view prefix : {"data/", "ctx/"}) {
        if (form.text().starts_with(prefix)) return form.text().substr(prefix.size());
    }
    return {};
}

bool has_items(const Form& form) {
    switch (form.kind) {
    case FormKind::List:
    case FormKind::Vector:
    case FormKind::Map:
    case FormKind::Set:
    case FormKind::ShortFn: return true;
    default: return false; // what is quoted is data, not a lookup
    }
}

Error missing_data(const Form& symbol, std::string_view name, const std::vector<std::string>& names) {
    Error error(Reason::UnboundVar, symbol.span,
                "`" + std::string(symbol.text()) + "` is not among the given data: it is nil.");
    const std::vector<std::string_view> candidates(names.begin(), names.end());
    const std::vector<std::string> near = suggest(name, candidates);
    if (near.empty()) return error;
    // No edit: the program is valid, and another name would change what it means.
    return std::move(error).with_hint(did_you_mean(near));
}

} // namespace

void check_data_names(const Source& source, const std::vector<std::string>& names, Diagnostics& diagnostics) {
    Diagnostics syntax;
    const Forms forms = read_forms(source, {}, syntax);
    if (syntax.has_errors()) return;
    std::vector<std::string> known;
    for (const std::string& name : names)
        known.push_back(normalized(name));
    std::vector<std::span<const Form>> rest{forms.top_level()};
    while (!rest.empty()) {
        std::span<const Form>& items = rest.back();
        if (items.empty()) {
            rest.pop_back();
            continue;
        }
        const Form& form = items.front();
        items = items.subspan(1);
        const std::string_view name = data_name(form);
        if (!name.empty() && std::find(known.begin(), known.end(), normalized(name)) == known.end()) {
            diagnostics.warning(missing_data(form, name, names));
        }
        if (has_items(form)) rest.push_back(form.items());
    }
}

} // namespace ptc
