// Early returns for functions that give a Result. Not for hosts: their macros are their own.
#pragma once
#include "ptc/result.h"
#include <utility>

#define PTC_CONCAT_INNER(a, b) a##b
#define PTC_CONCAT(a, b) PTC_CONCAT_INNER(a, b)
/// The value of a Result expression; returns its error from the enclosing function otherwise.
#define PTC_TRY_NAMED(tmp, ...)                                                                                        \
    __extension__({                                                                                                    \
        auto&& tmp = (__VA_ARGS__);                                                                                    \
        if (!tmp.ok()) [[unlikely]]                                                                                    \
            return tmp.take_error();                                                                                   \
        std::move(tmp).value_unchecked();                                                                              \
    })
#define PTC_TRY(...) PTC_TRY_NAMED(PTC_CONCAT(ptc_try_, __COUNTER__), __VA_ARGS__)
/// The same for Result<void>.
#define PTC_CHECK(...)                                                                                                 \
    do {                                                                                                               \
        if (auto ptc_check_ = (__VA_ARGS__); !ptc_check_.ok()) [[unlikely]]                                            \
            return ptc_check_.take_error();                                                                            \
    } while (false)
