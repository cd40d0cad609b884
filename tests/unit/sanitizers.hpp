#pragma once

// What this was compiled with. GCC has macros for it, clang has features.
#if defined(__has_feature)
#define EXPORTD_HAS_FEATURE(name) __has_feature(name)
#else
#define EXPORTD_HAS_FEATURE(name) 0
#endif

namespace exportd::test {

#if defined(__SANITIZE_THREAD__) || EXPORTD_HAS_FEATURE(thread_sanitizer)
inline constexpr bool thread_sanitizer = true;
#else
inline constexpr bool thread_sanitizer = false;
#endif

#if defined(__SANITIZE_ADDRESS__) || EXPORTD_HAS_FEATURE(address_sanitizer)
inline constexpr bool address_sanitizer = true;
#else
inline constexpr bool address_sanitizer = false;
#endif

}  // namespace exportd::test

#undef EXPORTD_HAS_FEATURE
