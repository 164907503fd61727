// PTC_ASSERT: what must hold whatever the input is.
#pragma once

namespace ptc {

/// Prints the broken invariant and where it stands, and aborts.
[[noreturn]] void assertion_failed(const char* condition, const char* file, int line) noexcept;

} // namespace ptc

/// On in debug, sanitizer and fuzz builds; with NDEBUG the condition is compiled and not evaluated, so it costs nothing
/// and names that only it uses are no warnings. Input can never trigger one: what input may break is an Error.
#ifdef NDEBUG
#define PTC_ASSERT(condition) static_cast<void>(sizeof((condition) ? 1 : 0))
#else
#define PTC_ASSERT(condition)                                                                                          \
    ((condition) ? static_cast<void>(0) : ::ptc::assertion_failed(#condition, __FILE__, __LINE__))
#endif
