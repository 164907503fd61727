// Reads of data that will not be there. Forms are walked, not the analysed tree, because a name that is looked up in
// order to see whether it is there (`or`, `some?`, `if`) is no mistake, and the forms show that best.
#include "compiler/check/data_names.h"
#include "compiler/check/near_key.h"
#include "compiler/language/form_questions.h"
#include "frontend/quoted.h"
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
    DataNames(const std::vector<std::string>& names, WarningSink& report)
        : names_(names.begin(), names.end()), report_(report) {
        for (const std::string& name : names)
            known_.push_back(normalized(name));
    }

    void check(std::span<const Form> top_level) {
        std::vector<Level> rest{{top_level, false}};
        while (!rest.empty() && !report_.is_full()) {
            Level& level = rest.back();
            if (level.items.empty()) {
                rest.pop_back();
                continue;
            }
            const Form& form = level.items.front();
            level.items = level.items.subspan(1);
            const bool asked = level.asked;
            const std::string_view name = data_name(form);
            if (!name.empty() && !is_known(name)) report_.warn(missing(form, name, asked));
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
                    quoted_name(symbol.text()) + " is not among the given data: it is nil.");
        const std::size_t dot = name.find_first_of("./");
        if (dot != std::string_view::npos && dot + 1 < name.size() && is_known(name.substr(0, dot)) &&
            name.find_first_of("./", dot + 1) == std::string_view::npos) {
            const std::string_view member = name.substr(dot + 1);
            const bool counts = member == "length" || member == "size" || member == "count";
            const std::string read =
                (counts ? "(count" : "(:" + std::string(member)) + " data/" + std::string(name.substr(0, dot)) + ")";
            return std::move(error).with_hint("Write `" + read + "`.").with_edit(symbol.span, read);
        }
        std::vector<std::string> near;
        if (const std::string one = near_key(name, names_); !one.empty()) near.push_back(one);
        if (near.empty()) return std::move(error).with_hint(names_there_are());
        const std::string space(symbol.text().substr(0, symbol.text().find('/') + 1));
        for (std::string& one : near)
            one.insert(0, space);
        error.hint = did_you_mean(near);
        if (!asked) error.edits.push_back({symbol.span, near.front()});
        return error;
    }

    [[nodiscard]] std::string names_there_are() const {
        constexpr std::size_t kMostListed = 8;
        if (names_.empty()) return "No data are given.";
        std::string list;
        for (std::size_t i = 0; i < std::min(names_.size(), kMostListed); ++i)
            list += (i > 0 ? ", " : "") + quoted_name("data/" + std::string(names_[i]));
        const std::size_t more = names_.size() > kMostListed ? names_.size() - kMostListed : 0;
        return (names_.size() == 1 ? "There is " : "There are ") + list +
               (more > 0 ? " and " + std::to_string(more) + " more." : ".");
    }

    std::vector<std::string_view> names_;
    std::vector<std::string> known_;
    WarningSink& report_;
};

} // namespace

void check_data_names(std::span<const Form> top_level, const std::vector<std::string>& names, WarningSink& report) {
    DataNames(names, report).check(top_level);
}

} // namespace ptc
