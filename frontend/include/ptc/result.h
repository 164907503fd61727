// Failing is part of the return type: Result<T> is a T or an Error. Two words for a small T.
#pragma once
#include "ptc/error.h"
#include <memory>
#include <utility>

namespace ptc {

/// A T or an Error. Moving the error out (`take_error`) leaves an empty failure that may only be destroyed.
template <class T> class [[nodiscard]] Result {
public:
    Result(T value) : value_(std::move(value)) {}
    Result(Error error) : error_(std::make_unique<Error>(std::move(error))), value_() {}
    Result(std::unique_ptr<Error> error) : error_(std::move(error)), value_() {}
    [[nodiscard]] bool ok() const { return error_ == nullptr; }
    [[nodiscard]] explicit operator bool() const { return ok(); }
    [[nodiscard]] T& value() & { return value_; }
    [[nodiscard]] const T& value() const& { return value_; }
    [[nodiscard]] T&& value() && { return std::move(value_); }
    [[nodiscard]] const Error& error() const { return *error_; }
    [[nodiscard]] Error& error() { return *error_; }
    [[nodiscard]] std::unique_ptr<Error> take_error() { return std::move(error_); }

private:
    std::unique_ptr<Error> error_;
    T value_;
};

template <> class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::make_unique<Error>(std::move(error))) {}
    Result(std::unique_ptr<Error> error) : error_(std::move(error)) {}
    [[nodiscard]] bool ok() const { return error_ == nullptr; }
    [[nodiscard]] explicit operator bool() const { return ok(); }
    void value() const {}
    [[nodiscard]] const Error& error() const { return *error_; }
    [[nodiscard]] Error& error() { return *error_; }
    [[nodiscard]] std::unique_ptr<Error> take_error() { return std::move(error_); }

private:
    std::unique_ptr<Error> error_;
};

} // namespace ptc

#define PTC_CONCAT_INNER(a, b) a##b
#define PTC_CONCAT(a, b) PTC_CONCAT_INNER(a, b)
/// The value of a Result expression; returns its error from the enclosing function otherwise.
#define PTC_TRY_NAMED(tmp, ...)                                                                                        \
    __extension__({                                                                                                    \
        auto&& tmp = (__VA_ARGS__);                                                                                    \
        if (!tmp.ok()) [[unlikely]]                                                                                    \
            return tmp.take_error();                                                                                   \
        std::move(tmp).value();                                                                                        \
    })
#define PTC_TRY(...) PTC_TRY_NAMED(PTC_CONCAT(ptc_try_, __COUNTER__), __VA_ARGS__)
/// The same for Result<void>.
#define PTC_CHECK(...)                                                                                                 \
    do {                                                                                                               \
        if (auto ptc_check_ = (__VA_ARGS__); !ptc_check_.ok()) [[unlikely]]                                            \
            return ptc_check_.take_error();                                                                            \
    } while (false)
