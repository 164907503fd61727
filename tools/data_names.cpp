// Reads of data that will not be there, for `check --data`. Forms are walked, not the analysed tree, because a name
// that is looked up in order to see whether it is there (`or`, `some?`, `if`) is no mistake, and the forms show that
// best.
#include "tools/data_names.h"
#include "compiler/language/form_questions.h"
#include "frontend/quoted.h"
#include "frontend/reader/reader.h"
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

/// What is quoted is data, not a lookup.
bool has_code(const Form& form) { return has_items(form) && !form.is(FormKind::Quote); }

/// Forms that ask whether there is a value: nil may be what the program counts on.
bool asks_for_nil(const Form& list) {
    static constexpr std::string_view kAsking[] = {"or",     "and",      "not",     "if",        "if-not", "when",
                                                   "if-let", "when-let", "if-some", "when-some", "nil?",   "some?",
                                                   "cond",   "when-not", "some->",  "some->>"};
    if (!list.is(FormKind::List) || list.size == 0 || !list.items()[0].is(FormKind::Symbol)) return false;
    return std::ranges::find(kAsking, list.items()[0].text()) != std::end(kAsking);
}

class DataNames {
public:
    DataNames(const std::vector<std::string>& names, Diagnostics& diagnostics)
        : names_(names.begin(), names.end()), diagnostics_(diagnostics) {
        for (const std::string& name : names)
            known_.push_back(normalized(name));
    }

    void check(std::span<const Form> top_level) {
        std::vector<Level> rest{{top_level, false}};
        while (!rest.empty()) {
            Level& level = rest.back();
            if (level.items.empty()) {
                rest.pop_back();
                continue;
            }
            const Form& form = level.items.front();
            level.items = level.items.subspan(1);
            const bool asked = level.asked;
            const std::string_view name = data_name(form);
            if (!name.empty() && !is_known(name)) diagnostics_.warning(missing(form, name, asked));
            // The bindings of if-let and its like are asked for too.
            if (has_code(form))
                rest.push_back({form.items(), asks_for_nil(form) || (asked && !form.is(FormKind::List))});
        }
    }

private:
    struct Level {
        std::span<const Form> items;
        bool asked; ///< directly in a form that asks for nil
    };

    [[nodiscard]] bool is_known(std::string_view name) const {
        return std::ranges::find(known_, normalized(name)) != known_.end();
    }

    [[nodiscard]] Error missing(const Form& symbol, std::string_view name, bool asked) const {
        Error error(Reason::UnboundVar, symbol.span,
                    quoted(symbol.text()) + " is not among the given data: it is nil.");
        const std::size_t dot = name.find_first_of("./");
        if (dot != std::string_view::npos && dot + 1 < name.size() && is_known(name.substr(0, dot)) &&
            name.find_first_of("./", dot + 1) == std::string_view::npos) {
            const std::string_view member = name.substr(dot + 1);
            const bool counts = member == "length" || member == "size" || member == "count";
            const std::string read =
                (counts ? "(count" : "(:" + std::string(member)) + " data/" + std::string(name.substr(0, dot)) + ")";
            return std::move(error).with_hint("Write `" + read + "`.").with_edit(symbol.span, read);
        }
        std::vector<std::string> near = suggest(name, names_);
        if (near.empty()) near = abbreviated(name);
        if (near.empty()) return error;
        error.hint = did_you_mean(near);
        if (!asked) error.edits.push_back({symbol.span, "data/" + near.front()});
        return error;
    }

    /// The one name that `name` has letters of, in order: cfg for config.
    [[nodiscard]] std::vector<std::string> abbreviated(std::string_view name) const {
        std::vector<std::string> found;
        for (const std::string_view candidate : names_) {
            std::size_t at = 0;
            for (const char c : candidate)
                at += at < name.size() && c == name[at] ? 1 : 0;
            if (name.size() >= 3 && at == name.size() && candidate.front() == name.front())
                found.emplace_back(candidate);
        }
        if (found.size() > 1) found.clear();
        return found;
    }

    std::vector<std::string_view> names_;
    std::vector<std::string> known_;
    Diagnostics& diagnostics_;
};

} // namespace

void check_data_names(const Source& source, const std::vector<std::string>& names, Diagnostics& diagnostics) {
    Diagnostics syntax;
    const Forms forms = read_forms(source, {}, syntax);
    if (!syntax.has_errors()) DataNames(names, diagnostics).check(forms.top_level());
}

} // namespace ptc
