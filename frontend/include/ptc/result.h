// Failing is part of the return type: Result<T> is a T or an Error. Two words for a small T.
#pragma once
#include "ptc/error.h"
#include <cstddef>
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

/// A T or an Error. Moving the error out (`take_error`) leaves an empty failure that may only be destroyed.
template <class T> class [[nodiscard]] Result {
public:
    Result(T value) : value_(std::move(value)) {}
    Result(Error error) : error_(std::move(error)), value_() {}
    Result(ErrorPtr error) : error_(std::move(error)), value_() {}
    [[nodiscard]] bool ok() const { return !error_; }
    [[nodiscard]] explicit operator bool() const { return ok(); }
    [[nodiscard]] T& value() & { return value_; }
    [[nodiscard]] const T& value() const& { return value_; }
    /// By value: it outlives a Result that is gone, as in `for (auto& m : file->missions().value())`.
    [[nodiscard]] T value() && { return std::move(value_); }
    [[nodiscard]] const Error& error() const { return *error_; }
    [[nodiscard]] Error& error() { return *error_; }
    [[nodiscard]] ErrorPtr take_error() { return std::move(error_); }

private:
    ErrorPtr error_;
    T value_;
};

template <> class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : error_(std::move(error)) {}
    Result(ErrorPtr error) : error_(std::move(error)) {}
    [[nodiscard]] bool ok() const { return !error_; }
    [[nodiscard]] explicit operator bool() const { return ok(); }
    void value() const {}
    [[nodiscard]] const Error& error() const { return *error_; }
    [[nodiscard]] Error& error() { return *error_; }
    [[nodiscard]] ErrorPtr take_error() { return std::move(error_); }

private:
    ErrorPtr error_;
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
