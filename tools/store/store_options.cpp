// Reads the key from its file or variable, and opens what --store names.
#include "tools/store/store_options.h"
#include "frontend/try.h"
#include "subagent/engine/invalid_request.h"
#include "tools/io.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace ptc {
namespace {

constexpr const char* kKeyVariable = "PTC_STORE_KEY";
constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kMaxKeyFile = 4096;

std::optional<int> hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return std::nullopt;
}

/// Of 64 hexadecimal digits, with blanks around them; "" for anything else: a password is no key.
std::string key_of(std::string text) {
    std::erase_if(text, [](char c) { return c == '\n' || c == '\r' || c == ' ' || c == '\t'; });
    std::string key;
    for (std::size_t i = 0; i + 1 < text.size(); i += 2) {
        const auto high = hex_digit(text[i]), low = hex_digit(text[i + 1]);
        if (!high || !low) return "";
        key += static_cast<char>(*high * 16 + *low);
    }
    return text.size() == 2 * kKeyBytes ? key : "";
}

Result<std::string> read_key(const std::string& file) {
    char* const variable = std::getenv(kKeyVariable);
    std::string given = variable ? variable : "";
    if (variable) {
        std::fill_n(variable, given.size(), '*'); // /proc/PID/environ shows what was there
        ::unsetenv(kKeyVariable);
    }
    if (!file.empty()) given = PTC_TRY(read_file(file, kMaxKeyFile));
    if (given.empty() && file.empty()) return std::string();
    std::string key = key_of(std::move(given));
    if (key.empty())
        return invalid_request("The key in " + (file.empty() ? std::string(kKeyVariable) : file) +
                               " is not 64 hexadecimal digits (32 bytes), as `openssl rand -hex 32` gives them.");
    return key;
}

Result<void> check_given(const StoreArguments& arguments) {
    if (!arguments.url.empty()) return {};
    return invalid_request("--store is required: sqlite:FILE or postgres://USER@HOST/DATABASE.");
}

Result<std::shared_ptr<MissionStore>> open_given(const StoreArguments& arguments, bool* has_key, bool makes_tables) {
    PTC_CHECK(check_given(arguments));
    StoreOptions options;
    options.busy = arguments.busy.value_or(options.busy);
    options.key = PTC_TRY(read_key(arguments.key_file));
    if (has_key) *has_key = !options.key.empty();
    options.makes_tables = makes_tables;
    options.connections = std::max(options.connections, arguments.connections);
    while (true) {
        Result<std::shared_ptr<MissionStore>> opened = MissionStore::open(arguments.url, options);
        const bool is_away = !opened.ok() && opened.error().reason == Reason::StoreUnavailable;
        if (!is_away || !arguments.waits_for_it || !arguments.waits_for_it(opened.error())) return opened;
    }
}

} // namespace

void add_store_options(CommandLine& line, StoreArguments* arguments) {
    line.text("--store", &arguments->url, "The database of missions: sqlite:FILE or postgres://USER@HOST/DATABASE")
        .value_name("URL");
    line.text("--key-file", &arguments->key_file,
              "A file with the key that encrypts what is stored, 64 hexadecimal digits [PTC_STORE_KEY]")
        .value_name("FILE");
}

Result<std::shared_ptr<MissionStore>> open_store(const StoreArguments& arguments, bool* has_key) {
    return open_given(arguments, has_key, true);
}

Result<std::shared_ptr<MissionStore>> open_existing_store(const StoreArguments& arguments) {
    PTC_CHECK(check_given(arguments));
    constexpr std::string_view kSqlite = "sqlite:";
    const std::string file = arguments.url.starts_with(kSqlite) ? arguments.url.substr(kSqlite.size()) : "";
    if (!file.empty() && !is_there(file)) return invalid_request("There is no file " + file + ".");
    std::error_code error; // SQLite would write into it
    if (!file.empty() && std::filesystem::file_size(file, error) == 0 && !error)
        return invalid_request("The file " + file + " is empty: it is no store of missions.");
    return open_given(arguments, nullptr, false);
}

int report_store_error(const Error& error, Console& console) {
    (void)console.usage_error(error);
    return error.reason == Reason::StoreUnavailable ? kFailed : kUsage;
}

} // namespace ptc
