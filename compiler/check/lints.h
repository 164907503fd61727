// Forms that compile and do not do what they look like: each lint knows one such shape, and has one reading that an
// author can have meant.
#pragma once
#include "compiler/check/call_argument.h"
#include "compiler/check/check_report.h"
#include "compiler/check/key_read.h"
#include "compiler/check/names_in_scope.h"
#include "ptc/source.h"
#include <deque>
#include <functional>
#include <optional>

namespace ptc {

/// Owns nothing; borrows the source, the names, the facts and the report. Asks the checker for the fact of a name.
class Lints {
public:
    using FormSpan = std::span<const Form>;
    using FactOfName = std::function<const Fact*(const Form& symbol)>;

    Lints(const Source& source, NamesInScope& names, Facts& facts, WarningSink& report, FactOfName fact_of_name)
        : source_(source), names_(names), facts_(facts), report_(report), fact_of_name_(std::move(fact_of_name)) {}

    /// The forms of the program, which is looked at from here on.
    void begin(FormSpan program) { program_ = program; }

    // ---- Shapes of forms (lints.cpp)
    void check_quoted(const Form& quote);
    void check_subscripts(FormSpan items);
    void check_joined(FormSpan arguments);
    void check_infix(FormSpan body);
    void check_infix_tests(FormSpan arguments);
    void check_loose_modifier(const Form& list);
    void check_bracketed_clauses(FormSpan clauses);
    /// {:a 1 "a" 2}
    void check_spellings(const Form& map);
    /// (when test a :else b): whether it was reported.
    bool check_when_else(const Form& list);
    void check_literal_default(const Form& list, FormSpan clauses);
    /// Of several forms that are the same, all but the first can be left out.
    void check_repeated(const std::vector<const Form*>& forms);
    /// Placeholders in texts. (text_lints.cpp)
    void check_interpolated(const Form& text);
    void check_formatted(std::string_view function, const Form& list, FormSpan arguments);
    void check_format(const Form& list, FormSpan arguments);
    /// (str "n: " counter), (+ 1 counter), where `counter` is an atom.
    void check_atoms(const CoreName& function, std::span<const CallArgument> given);
    /// (:name state): whether it was reported.
    bool check_atom_read(const Form& form, const Fact* fact);
    /// (< (:price o) 10), where the field holds texts.
    void check_compared(std::string_view function, std::span<const CallArgument> given);
    /// (conj acc x), whose value is not used, in front of what reads acc: whether it was reported.
    bool check_lost_update(FormSpan body, std::size_t at);
    /// (if done acc) in front of (recur ..): whether it was reported.
    bool check_lost_result(const Form& test, const Form& next);
    /// (return x) in functions whose value is used, and {:return x} as the program's value. (return_lints.cpp)
    void check_returns();
    /// (data/rows :name): whether it was reported.
    bool check_rows_called(const Form& list, const Fact& value);
    /// (:name rows): whether it was reported.
    bool check_key_of_items(const Form& list, const Fact& value);

    // ---- Values
    /// Whether the items of `coll` have the field `key`.
    bool is_field_of_items(const Form& key, const Fact& coll) { return items_have(coll, key); }
    /// (+ row 1): an argument that is never a number.
    void check_computed(const CoreName& function, std::span<const CallArgument> given);
    /// (apply + rows)
    void check_computed_items(const CoreName& function, const Fact& coll);
    /// What `key`, a keyword, a string, or a name of a pattern that stands for a keyword, finds in `map`.
    /// (field_reads.cpp)
    const Fact* read_field(const Fact* map, const Form& key, bool has_default, const KeyRead& read = {});
    /// `literal`, when it is a keyword, string or number, is compared with something else.
    /// (update row :prize inc), where the rows have a field of a near name.
    void note_found(Span key) { report_.note_found(key); }
    void check_updated(const Form& key, const Fact& map);
    /// (contains? kinds text), (filter kinds texts), where the set holds keywords: `key` is what is asked for, `set`
    /// what is called in the place of a function; one of them is null.
    void check_set_of_keywords(const Fact* coll, const Form* set, const Form* key, const Fact* asked);
    void check_quoted_equal(const Form& quote, const Fact& other, bool negated);
    void check_equal(const Form& literal, const Fact* other, bool negated, const Form* form = nullptr);

    // ---- Functions and what they get (function_lints.cpp)
    void check_row_taken(const Form& use, const Form& function, std::span<const Fact* const> arguments);
    void check_index_first(const Form& function);
    void check_placeholders(const Form& function, const Form& start);
    void check_row_spread(const Form& list, const Form& function, const Fact& row);
    void check_accumulator(const Form& function, const Form* start);

    // ---- Texts that look like something else (text_use_lints.cpp)
    void check_text_as_test(const Form& test, const Fact* fact);
    void check_texts_of_tests(const Form& function, const Fact* result);
    void check_texts_of_keys(const CoreName& called, const Form& function, const Fact* result);
    void check_texts_compared(const Form& function, const Form& coll, const Fact& items);
    /// Whether what follows can find anything: texts of data are known, or what is found is noted. Most programs are
    /// compiled without their data.
    [[nodiscard]] bool may_use_texts(std::span<const CallArgument> given) const;
    void check_text_as_number(std::string_view name, std::span<const CallArgument> given);
    void check_texts_of_lists(const Form& function, const Fact* result);
    void check_text_as_items(const Form& coll, const Fact* fact);
    void check_words_in_text(std::string_view name, std::span<const CallArgument> given);

    // ---- Shapes of calls (lints.cpp, call_lints.cpp)
    void check_key_argument(const CoreName& function, std::span<const CallArgument> given);
    void check_collection_argument(std::string_view function, const Form& list, std::span<const CallArgument> given);
    /// The rows of call_lints.def.
    void check_call(std::string_view function, const Form& list, std::span<const CallArgument> given);

private:
    const Form* updated_variable(const Form& form) const;
    std::vector<Edit> taken_in_place(const Form& update, const Form& variable, const Form& next) const;
    std::vector<Edit> bound_anew(FormSpan body, std::size_t first, std::size_t last, const Form& variable) const;
    bool is_known_to_be(std::string_view word, std::span<const CallArgument> given, std::size_t index);
    const Fact* shape_fact(const CallArgument& argument);
    bool items_have(const Fact& coll, const Form& key);
    bool all_known(const Form& form);
    std::string placeholder_code(std::string_view inside, bool marked);
    std::string members_code(std::string_view base, std::string_view members);
    std::string expression_code(std::string_view inside);
    void check_answers();
    const Fact* fact_of_origin(std::string_view origin);
    bool wrap_origin(std::string_view origin, std::string_view before, Error& error);
    void warn_of_texts(const Form& form, const char* message, std::string before, std::string behind);
    bool check_member(const Form& literal, const Form& form, const Fact& other);
    bool check_word(const Form& literal, const Fact& other);
    bool check_looked_at(const Form& literal, const Form* form, const Fact& other);
    bool mend_part_of_date(const Form& key, const KeyRead& read, const Fact& value, Error& error);
    bool mend_part_of_pair(const Form& key, const KeyRead& read, const Fact& value, Error& error);
    void mend_read(const Form& key, const KeyRead& read, const Fact& record, Error& error);
    void mend_read_of_other(const Form& key, const KeyRead& read, const Fact& value, Error& error);

    /// Asked of each text in the program: found once.
    class Mention {
    public:
        Mention(const Source& source, std::string_view word) : source_(source), word_(word) {}
        bool operator()() {
            if (!found_) found_ = source_.text().find(word_) != std::string_view::npos;
            return *found_;
        }

    private:
        const Source& source_;
        std::string_view word_;
        std::optional<bool> found_{};
    };

    const Source& source_;
    std::deque<Source> parts_{}; ///< of texts, that were read as code: the names keep what they are asked for
    Mention mentions_replace_{source_, "replace"}, mentions_tools_{source_, "tool/"},
        mentions_return_{source_, "return"};
    FormSpan program_;
    NamesInScope& names_;
    Facts& facts_;
    WarningSink& report_;
    FactOfName fact_of_name_;
};

} // namespace ptc
