// Whether a sanitizer watches this build: it slows down what starts many processes, and memory that is freed stays in
// use.
#pragma once

namespace ptc::test {

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define PTC_TEST_IS_SANITIZED
#endif
#endif
#if defined(PTC_TEST_IS_SANITIZED) || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kIsSanitized = true;
#else
inline constexpr bool kIsSanitized = false;
#endif
#undef PTC_TEST_IS_SANITIZED

} // namespace ptc::test
