// Conformance rows: a program, what it is given, and what it must give.
#pragma once
#include "ptc/ptc.h"
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

enum class RowKind : std::uint8_t {
    Language,
    Signatures,
    Validation,
    Templates,
    CacheKeys,
    Responses,
    ToolPrimitive,
    Scenarios
};

/// The kind of a file's rows, by the file's name: language rows unless it is one of the others.
RowKind row_kind_of(std::string_view path);

struct RowResult {
    std::string id = "null"; ///< as JSON
    std::string why;         ///< why it does not hold; "" when it does
    [[nodiscard]] bool ok() const { return why.empty(); }
};

/// "" when both texts are EDN of one value, else what is different about them. Maps and sets are unordered, lists are
/// vectors, 1 is not 1.0, a NaN equals a NaN.
std::string edn_difference(std::string_view expected, std::string_view actual);

/// Runs rows. Engines are kept, one for each set of test tools that a row asked for.
class RowRunner {
public:
    explicit RowRunner(Limits defaults) : defaults_(defaults) {}
    /// `line` is one row of this kind. What is no row does not hold.
    RowResult check(std::string_view line, RowKind kind = RowKind::Language);

private:
    Result<const Engine*> engine_for(const Datum& row);
    std::string difference(const Datum& row, RowKind kind);
    std::string language_difference(const Datum& row);

    Limits defaults_;
    std::map<std::vector<std::string>, std::unique_ptr<Engine>> engines_;
};

} // namespace ptc
