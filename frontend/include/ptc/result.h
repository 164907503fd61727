// Failing is part of the return type: Result<T> is a T or an Error. Two words for a small T. It has the members of
// C++23's std::expected<T, Error>, which not all of our compilers have: `*`, `->`, value_or, and_then, transform and so
// on.
//
//   auto orders = ptc::DataSet::from_json("orders", text);
//   if (!orders) return fail(orders.error().message);
//   engine.run(program, {.data = {*orders}});
#pragma once
#include "ptc/error.h"
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

namespace ptc {

/// An owned Error, or none. A std::unique_ptr would do the same, but `<memory>` doubles what every file reads, and the
/// code that makes and destroys an Error would be at each place that can fail.
class ErrorPtr {
public:
    ErrorPtr() = default;
    ErrorPtr(std::nullptr_t) {}
    explicit ErrorPtr(Error error);
    ErrorPtr(ErrorPtr&& other) noexcept : error_(std::exchange(other.error_, nullptr)) {}
    ErrorPtr& operator=(ErrorPtr&& other) noexcept {
        Error* old = std::exchange(error_, std::exchange(other.error_, nullptr));
        if (old) destroy(old);
        return *this;
    }
    ~ErrorPtr() {
        if (error_) [[unlikely]]
            destroy(error_);
    }
    [[nodiscard]] explicit operator bool() const { return error_ != nullptr; }
    [[nodiscard]] Error& operator*() const { return *error_; }
    [[nodiscard]] Error* operator->() const { return error_; }
    friend bool operator==(const ErrorPtr& error, std::nullptr_t) { return error.error_ == nullptr; }

private:
    static void destroy(Error* error) noexcept;
    Error* error_ = nullptr;
};

template <class T> class Result;

namespace result_detail {
/// Ends the process: a host took the value of a Result that has none. Says what the error was.
[[noreturn]] void no_value(const Error& error);
/// Ends the process: a host took the error of a Result that has a value.
[[noreturn]] void no_error();

/// What a step of and_then or or_else gives: a Result.
template <class F, class... A> using Given = std::remove_cvref_t<std::invoke_result_t<F, A...>>;

/// `step` of `value`, as a Result: Result<void> when the step gives nothing.
template <class F, class... A> auto transformed(F&& step, A&&... value) {
    using R = Given<F, A...>;
    if constexpr (std::is_void_v<R>) {
        std::forward<F>(step)(std::forward<A>(value)...);
        return Result<R>();
    } else {
        return Result<R>(std::forward<F>(step)(std::forward<A>(value)...));
    }
}
} // namespace result_detail

/// A T or an Error. T needs no default. Taking the value of an error, or the error of a value, ends the process in
/// every build, with a message that says what the error was. Moving the error out (`take_error`) leaves an empty
/// failure that may only be destroyed.
template <class T> class [[nodiscard]] Result {
public:
    using value_type = T;
    using error_type = Error;

    Result(T value) : value_(std::move(value)) {}
    Result(Error error) : error_(std::move(error)), value_() {}
    Result(ErrorPtr error) : error_(std::move(error)), value_() {}
    /// From what becomes a T: `return "a text";` in a function that gives a Result<Datum>.
    template <class U>
    requires(!std::is_same_v<std::remove_cvref_t<U>, T> && !std::is_same_v<std::remove_cvref_t<U>, Result> &&
             !std::is_same_v<std::remove_cvref_t<U>, Error> && !std::is_same_v<std::remove_cvref_t<U>, ErrorPtr> &&
             std::is_convertible_v<U, T>) Result(U&& value)
        : value_(std::forward<U>(value)) {}

    [[nodiscard]] bool ok() const { return !error_; }
    [[nodiscard]] bool has_value() const { return ok(); }
    [[nodiscard]] explicit operator bool() const { return ok(); }
    [[nodiscard]] T& value() & { return expect_value(), kept(); }
    [[nodiscard]] const T& value() const& { return expect_value(), kept(); }
    /// By value: it outlives a Result that is gone, as in `for (auto& m : file->missions().value())`.
    [[nodiscard]] T value() && { return expect_value(), std::move(kept()); }
    [[nodiscard]] T& operator*() & { return value(); }
    [[nodiscard]] const T& operator*() const& { return value(); }
    [[nodiscard]] T operator*() && { return std::move(*this).value(); }
    [[nodiscard]] T* operator->() { return &value(); }
    [[nodiscard]] const T* operator->() const { return &value(); }
    /// Of a Result that the caller has seen to be ok.
    [[nodiscard]] T value_unchecked() && { return std::move(kept()); }
    template <class U> [[nodiscard]] T value_or(U&& other) const& {
        return ok() ? kept() : static_cast<T>(std::forward<U>(other));
    }
    template <class U> [[nodiscard]] T value_or(U&& other) && {
        return ok() ? std::move(kept()) : static_cast<T>(std::forward<U>(other));
    }
    [[nodiscard]] const Error& error() const { return expect_error(), *error_; }
    [[nodiscard]] Error& error() { return expect_error(), *error_; }
    [[nodiscard]] ErrorPtr take_error() { return std::move(error_); }

    // Steps: those of a value are left out when there is an error, which goes through, and the other way round.

    /// `step(value)`, which is a Result itself.
    template <class F> auto and_then(F&& step) const& {
        using R = result_detail::Given<F, const T&>;
        return ok() ? std::forward<F>(step)(kept()) : R(Error(*error_));
    }
    template <class F> auto and_then(F&& step) && {
        using R = result_detail::Given<F, T>;
        return ok() ? std::forward<F>(step)(std::move(kept())) : R(std::move(error_));
    }
    /// A Result with `step(value)`.
    template <class F> auto transform(F&& step) const& {
        using R = decltype(result_detail::transformed(std::forward<F>(step), kept()));
        return ok() ? result_detail::transformed(std::forward<F>(step), kept()) : R(Error(*error_));
    }
    template <class F> auto transform(F&& step) && {
        using R = decltype(result_detail::transformed(std::forward<F>(step), std::move(kept())));
        return ok() ? result_detail::transformed(std::forward<F>(step), std::move(kept())) : R(std::move(error_));
    }
    /// `step(error)`, which is a Result<T>, in place of an error.
    template <class F> Result or_else(F&& step) const& {
        return ok() ? Result(kept()) : Result(std::forward<F>(step)(error()));
    }
    template <class F> Result or_else(F&& step) && {
        return ok() ? std::move(*this) : Result(std::forward<F>(step)(std::move(error())));
    }
    /// With the Error `step(error)` in place of an error.
    template <class F> Result transform_error(F&& step) const& {
        return ok() ? Result(kept()) : Result(Error(std::forward<F>(step)(error())));
    }
    template <class F> Result transform_error(F&& step) && {
        return ok() ? std::move(*this) : Result(Error(std::forward<F>(step)(std::move(error()))));
    }

private:
    void expect_value() const {
        if (error_) [[unlikely]]
            result_detail::no_value(*error_);
    }
    void expect_error() const {
        if (!error_) [[unlikely]]
            result_detail::no_error();
    }
    [[nodiscard]] T& kept() {
        if constexpr (kHasDefault)
            return value_;
        else
            return *value_;
    }
    [[nodiscard]] const T& kept() const {
        if constexpr (kHasDefault)
            return value_;
        else
            return *value_;
    }
    /// A T that has a default is made where there is an error, too, so that a Result moves without looking.
    static constexpr bool kHasDefault = std::is_default_constructible_v<T>;
    ErrorPtr error_;
    std::conditional_t<kHasDefault, T, std::optional<T>> value_;
};

/// Nothing, or an Error.
template <> class [[nodiscard]] Result<void> {
public:
    using value_type = void;
    using error_type = Error;

    Result() = default;
    Result(Error error) : error_(std::move(error)) {}
    Result(ErrorPtr error) : error_(std::move(error)) {}
    [[nodiscard]] bool ok() const { return !error_; }
    [[nodiscard]] bool has_value() const { return ok(); }
    [[nodiscard]] explicit operator bool() const { return ok(); }
    void value() const {
        if (error_) [[unlikely]]
            result_detail::no_value(*error_);
    }
    void operator*() const { value(); }
    void value_unchecked() const {}
    [[nodiscard]] const Error& error() const { return expect_error(), *error_; }
    [[nodiscard]] Error& error() { return expect_error(), *error_; }
    [[nodiscard]] ErrorPtr take_error() { return std::move(error_); }

    template <class F> auto and_then(F&& step) && {
        using R = result_detail::Given<F>;
        return ok() ? std::forward<F>(step)() : R(std::move(error_));
    }
    template <class F> auto and_then(F&& step) const& {
        using R = result_detail::Given<F>;
        return ok() ? std::forward<F>(step)() : R(Error(*error_));
    }
    template <class F> auto transform(F&& step) && {
        using R = decltype(result_detail::transformed(std::forward<F>(step)));
        return ok() ? result_detail::transformed(std::forward<F>(step)) : R(std::move(error_));
    }
    template <class F> auto transform(F&& step) const& {
        using R = decltype(result_detail::transformed(std::forward<F>(step)));
        return ok() ? result_detail::transformed(std::forward<F>(step)) : R(Error(*error_));
    }
    template <class F> Result or_else(F&& step) const {
        return ok() ? Result() : Result(std::forward<F>(step)(error()));
    }
    template <class F> Result transform_error(F&& step) const {
        return ok() ? Result() : Result(Error(std::forward<F>(step)(error())));
    }

private:
    void expect_error() const {
        if (!error_) [[unlikely]]
            result_detail::no_error();
    }
    ErrorPtr error_;
};

} // namespace ptc
