// The namespaces of the language (spec 9.8): their spellings, what each holds, their constants, and which names nobody
// may take.
#pragma once
#include "compiler/language/core_library.h"
#include "runtime/value.h"
#include <cstdint>
#include <span>
#include <string_view>

namespace ptc {

/// Spec 9.8: the spellings of a namespace, and which functions it holds.
struct LanguageNamespace {
    std::string_view spelling;
    std::string_view name;
    Category category; ///< Core: every plain name
};

/// A constant of Java, such as Math/PI, Long/MAX_VALUE or Boolean/TRUE.
struct NamedConstant {
    std::string_view name;
    Bits value = 0;
    std::int64_t integer = 0; ///< instead of `value` when that is an integer
    bool is_integer = false;
    std::string_view text{};     ///< instead of both: a text,
    const char* maker = nullptr; ///< which this builtin makes the constant of
};

/// One entry a spelling.
std::span<const LanguageNamespace> language_namespaces();
/// The namespace with this spelling; null when there is none.
const LanguageNamespace* find_namespace(std::string_view spelling);
/// `java.time.` and so on: in front of a class they change nothing.
std::span<const std::string_view> java_packages();
/// java.time.LocalDate/parse without its package.
std::string_view without_package(std::string_view name);
/// What makes an object of a class, with or without its package: java.util.Date., Date., java.math.BigDecimal. Null for
/// a class that is not here.
const CoreName* find_constructor(const CoreLibrary& core, std::string_view name);

/// Constants of classes (`Math/PI`).
std::span<const NamedConstant> named_constants();
const NamedConstant* find_constant(std::string_view name);

/// Whether `entry` is listed under the namespace.
bool holds(const LanguageNamespace& space, const CoreName& entry);
/// The member that `entry` is when its name is written out under some spelling of the namespace (string/reverse is
/// `reverse` of clojure.string); "" otherwise.
std::string_view written_out_member(const LanguageNamespace& space, const CoreName& entry);
/// The entry that is `member` of the namespace under one of its spellings, so that all of them mean the same.
const CoreName* find_written_out(const CoreLibrary& core, const LanguageNamespace& space, std::string_view member);

/// Whether a namespace is the language's own or reserved, in any spelling.
bool is_language_namespace(std::string_view name);
/// Whether a name of the language is listed under a namespace or class ("clojure.string", "Math").
bool in_namespace(std::string_view space, const CoreName& name);

} // namespace ptc
