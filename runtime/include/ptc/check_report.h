// What checking a value against a type came to.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace ptc {

/// Something wrong with a value, or changed in it.
struct Fault {
    std::string path; ///< `results[0].customer.id`; "" for the whole value
    std::string message;
    friend bool operator==(const Fault&, const Fault&) = default;
};

struct CheckOptions {
    bool reject_extra_fields = false;
    bool is_json_text =
        false; ///< the value was JSON, which has no points in time: text becomes one where a type wants it
    bool keeps_keys = false; ///< two keys that are one name are an error only where the type has a field of that name
    std::size_t max_faults = 100;
};

struct CheckReport {
    std::vector<Fault> faults;   ///< in the order of the type's fields
    std::vector<Fault> warnings; ///< what was coerced
    std::size_t more_faults = 0; ///< beyond max_faults
    std::size_t more_warnings = 0;
    [[nodiscard]] bool ok() const { return faults.empty() && more_faults == 0; }
};

} // namespace ptc
