// Preludes: namespaces that a host adds to the language. What a compiled one offers to programs, to discovery and to
// the host. Constants and functions are frozen values, made once: a program refers to them as it does to its own
// constants, so a session neither runs nor holds anything of a prelude.
#pragma once
#include "ptc/source.h"
#include "runtime/value.h"
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ptc {

enum class PreludeEffect : std::uint8_t { Unknown, Read, Write };
class Program;

/// "unknown", "read", "write".
std::string_view effect_name(PreludeEffect effect);

/// One definition.
struct PreludeMember {
    std::string name; ///< "crm/get-user"
    std::string_view space;
    bool is_function = false;  ///< with parameters that are known; a constant may hold a function too
    bool is_public = true;     ///< programs may use it
    bool in_prompt = true;     ///< prompts list it; others must be discovered
    bool is_reachable = false; ///< public, or used by something that is: its source may be read
    std::string doc;
    std::string usage; ///< "(crm/get-user id)", "crm/page-size"
    std::vector<std::string> parameters;
    std::size_t fixed_arguments = 0;
    bool variadic = false;
    PreludeEffect effect = PreludeEffect::Unknown;
    std::string provider;           ///< where it comes from, in the author's words
    std::vector<std::string> needs; ///< what it cannot do without, sorted: "tool:get_user", "upstream:crm/get_user"
    std::string source;             ///< the definition, laid out, below a comment that says what is known of it
    Bits value = bits::kNil;        ///< frozen
    Span span;                      ///< of its name where it is defined

    /// The name without its namespace.
    [[nodiscard]] std::string_view plain_name() const { return std::string_view(name).substr(space.size() + 1); }
};

struct PreludeNamespace {
    std::string name;
    std::string doc;
    std::vector<const PreludeMember*> exports; ///< public ones, by name
};

/// All namespaces that an engine's preludes declare. Filled by compile_prelude, then immutable and shared by threads.
/// Must outlive programs that were compiled with it.
class Prelude {
public:
    [[nodiscard]] bool empty() const { return namespaces_.empty(); }
    /// By name.
    [[nodiscard]] const std::vector<PreludeNamespace>& namespaces() const { return namespaces_; }
    [[nodiscard]] const PreludeNamespace* find_namespace(std::string_view name) const;
    /// A member by its qualified name, private ones included; null when there is none.
    [[nodiscard]] const PreludeMember* find(std::string_view qualified) const;
    /// Whether `name` is qualified with one of the namespaces.
    [[nodiscard]] bool protects(std::string_view name) const;

    /// All members, private ones included, in the order of their definitions.
    [[nodiscard]] const std::deque<PreludeMember>& members() const { return members_; }
    /// The programs that the functions of members are of, and functions in constants.
    [[nodiscard]] const std::vector<std::shared_ptr<const Program>>& programs() const { return programs_; }

    /// Adds a namespace; its members' `space` is set. `programs` and `owned` are what their values refer to. Gives its
    /// name, for as long as this lives.
    std::string_view add(std::string name, std::string doc, std::vector<PreludeMember> members,
                         std::vector<std::shared_ptr<const Program>> programs, std::shared_ptr<const void> owned);

private:
    std::vector<PreludeNamespace> namespaces_;
    std::deque<std::string> names_; ///< what PreludeMember::space points into
    std::deque<PreludeMember> members_;
    std::unordered_map<std::string_view, const PreludeMember*> by_name_;
    std::vector<std::shared_ptr<const Program>> programs_;
    std::vector<std::shared_ptr<const void>> owned_;
};

/// Where a qualified name splits into namespace and member: the first slash that has text on both sides. npos for a
/// plain name.
std::size_t namespace_end(std::string_view name);

} // namespace ptc
