// Calls as repairs see them: also steps of a threading form, whose value is written elsewhere.
#pragma once
#include "compiler/repair/edits.h"

namespace ptc::repair {

/// An argument of a call. The one that a threading form passes in is not written there: false, and reading it gives
/// `unwritten()`, whose text poisons every repair that it gets into.
class Argument {
public:
    Argument(const Form* form) : form_(form) {} // NOLINT(google-explicit-constructor): a form is an argument
    explicit operator bool() const { return form_ != nullptr; }
    const Form& operator*() const { return form_ ? *form_ : unwritten(); }
    const Form* operator->() const { return &**this; }
    [[nodiscard]] bool is(const Form& form) const { return form_ == &form; }

private:
    const Form* form_;
};

/// Beyond the last argument there is none either.
class ArgumentList {
public:
    [[nodiscard]] std::size_t size() const { return forms_.size(); }
    [[nodiscard]] Argument operator[](std::size_t i) const { return i < size() ? forms_[i] : Argument(nullptr); }
    [[nodiscard]] Argument back() const { return (*this)[size() - 1]; }
    [[nodiscard]] auto begin() const { return forms_.begin(); }
    [[nodiscard]] auto end() const { return forms_.end(); }
    void append(Argument argument) { forms_.push_back(argument); }
    void prepend(Argument argument) { forms_.insert(forms_.begin(), argument); }

private:
    std::vector<Argument> forms_;
};

struct CallSite {
    const Form* whole = nullptr; ///< the list, or the bare name that is a step
    const Form* head = nullptr;
    ArgumentList arguments;
    const Form* thread = nullptr; ///< the threading form around it, when it is a step
    bool passes_last = false;     ///< the value becomes the last argument

    [[nodiscard]] std::size_t size() const { return arguments.size(); }
    [[nodiscard]] bool has(std::size_t i) const { return static_cast<bool>(arguments[i]); }
    [[nodiscard]] bool is_step() const { return thread != nullptr; }
};

/// `place` holds a call, or a step of a threading form.
[[nodiscard]] std::optional<CallSite> call_at(const Place& place);
/// The call whose head stands at `place`; none for a name that is used as a value.
[[nodiscard]] std::optional<CallSite> call_of_head(const Place& place);
/// Whether the form at `place` is a step of a threading form, and the value goes in last.
[[nodiscard]] bool is_step(const Place& place, bool* passes_last);
/// The form that the value of a step comes from: the step before it, or the form that is threaded.
[[nodiscard]] const Form* threaded_value(const CallSite& call);
[[nodiscard]] bool is_threading(std::string_view head);

} // namespace ptc::repair
