#include "tools/number_text.h"
#include <cstdio>

namespace ptc {

std::string grouped_text(std::int64_t n) {
    const std::string digits = std::to_string(n);
    std::string out;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0 && digits[i - 1] != '-') out += ',';
        out += digits[i];
    }
    return out;
}

std::string counted_text(std::size_t n, const std::string& thing) {
    return grouped_text(static_cast<std::int64_t>(n)) + " " + thing + (n == 1 ? "" : "s");
}

std::string duration_text(std::int64_t micros) {
    char text[40];
    const auto shown = static_cast<double>(micros);
    if (micros < 1000)
        std::snprintf(text, sizeof text, "%lld µs", static_cast<long long>(micros));
    else if (micros < 1'000'000)
        std::snprintf(text, sizeof text, micros < 10'000 ? "%.1f ms" : "%.0f ms", shown / 1e3);
    else
        std::snprintf(text, sizeof text, "%.2f s", shown / 1e6);
    return text;
}

} // namespace ptc
