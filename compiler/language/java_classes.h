// What tests for the classes of Java and Clojure that programs name.
#pragma once
#include <string_view>

namespace ptc {

/// A class by its name, with or without its package: a predicate ("string?") or a kind of `type` (":date"). "" when
/// there is no such class.
std::string_view class_test(std::string_view name);

} // namespace ptc
