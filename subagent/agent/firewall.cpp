// Values that no model may see. There are two lines. Where values are shown, they are hidden by their keys
// (public_view, previews). Text that was not written here (printed lines, messages) is searched for the firewalled
// values that the agent has met (without_secrets): all of them at once, by a table of their first kMinSecretBytes, so
// that the search costs the same for one secret as for many.
#include "subagent/agent/firewall.h"
#include "runtime/json.h"
#include <algorithm>
#include <cctype>
#include <cstring>
#include <unordered_map>
#include <vector>

namespace ptc {
namespace {

/// This much of a longer secret gives it away.
constexpr std::size_t kTellingPrefix = 12;

bool starts_name_firewalled(std::string_view name) { return name.starts_with('_'); }

void keep(Secrets& secrets, std::string text) {
    if (text.size() < kMinSecretBytes || secrets.bytes + text.size() > kMaxSecretBytes) return;
    const std::size_t bytes = text.size();
    if (secrets.texts.insert(std::move(text)).second) secrets.bytes += bytes;
}

/// One or two numbers say little as texts; as a list they are what was hidden.
void keep_collection(Secrets& secrets, const Datum& value) {
    const bool is_empty = (value.list() && value.list()->empty()) || (value.map() && value.map()->empty());
    if (is_empty || (!value.list() && !value.map() && !value.get_if<Datum::Set>())) return;
    std::string json = value.to_json();
    const std::size_t bytes = json.size();
    if (secrets.collection_bytes + bytes <= kMaxSecretBytes && secrets.collections.insert(std::move(json)).second)
        secrets.collection_bytes += bytes;
}

/// A text as literals and JSON write it, without the quotes.
std::string escaped(std::string_view text) {
    const std::string json = Datum(text).to_json();
    return json.substr(1, json.size() - 2);
}

void keep_scalar(Secrets& secrets, const Datum& value) {
    if (const std::string* text = value.text()) {
        keep(secrets, *text);
        keep(secrets, escaped(*text));
    } else if (const auto* keyword = value.get_if<Datum::Keyword>()) {
        keep(secrets, keyword->name);
    } else if (const auto* opaque = value.get_if<Datum::Opaque>()) {
        keep(secrets, opaque->text);
    } else if (!value.get_if<bool>() && !value.is_nil()) {
        keep(secrets, value.to_json());
    }
}

std::uint64_t first_bytes(const char* text) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text, kMinSecretBytes);
    return bytes;
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// Bytes of `text` from `at` on that give `secret` away; 0 for none. Digits within a longer number do not.
std::size_t match_length(std::string_view text, std::size_t at, std::string_view secret) {
    const std::string_view rest = text.substr(at);
    const std::size_t most = std::min(rest.size(), secret.size());
    const auto end =
        std::mismatch(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(most), secret.begin()).first;
    const auto length = static_cast<std::size_t>(end - rest.begin());
    if (length < std::min(secret.size(), kTellingPrefix)) return 0;
    const bool is_number = std::ranges::all_of(secret, is_digit);
    const bool goes_on = (at > 0 && is_digit(text[at - 1])) || (length < rest.size() && is_digit(rest[length]));
    return is_number && goes_on ? 0 : length;
}

bool has_firewalled_segment(std::string_view path) {
    for (std::size_t i = 0; i < path.size(); ++i) {
        const bool starts_segment = i == 0 || path[i - 1] == '.';
        if (starts_segment && path[i] == '_') return true;
    }
    return false;
}

std::string public_fault_line(std::string_view line) {
    if (!line.starts_with("- ")) return std::string(line);
    const std::size_t colon = line.find(": ");
    if (colon == std::string_view::npos || !has_firewalled_segment(line.substr(2, colon - 2))) return std::string(line);
    const std::size_t value = std::min(line.find(", got "), line.find('"'));
    if (value == std::string_view::npos) return std::string(line);
    return std::string(line.substr(0, value)) + (line[value] == ',' ? ", got " : "") + std::string(kFirewalled);
}

/// Finds secrets by their first bytes.
class SecretIndex {
public:
    explicit SecretIndex(const Secrets& secrets) : secrets_(secrets) {
        for (const std::string& secret : secrets.texts)
            by_first_bytes_[first_bytes(secret.data())].push_back(secret);
    }
    [[nodiscard]] std::string hide(std::string_view text) const {
        std::string out;
        for (std::size_t at = 0; at < text.size();) {
            std::size_t length = 0;
            if (text.size() - at >= kMinSecretBytes) {
                const auto found = by_first_bytes_.find(first_bytes(text.data() + at));
                if (found != by_first_bytes_.end()) {
                    for (const std::string_view secret : found->second)
                        length = std::max(length, match_length(text, at, secret));
                }
            }
            if (length > 0)
                out += kFirewalled;
            else
                out += text[at];
            at += std::max<std::size_t>(length, 1);
        }
        return out;
    }
    /// Firewalled as a whole, wherever it stands now.
    [[nodiscard]] bool has_collection(const Datum& value) const {
        return !secrets_.collections.empty() && secrets_.collections.contains(value.to_json());
    }
    [[nodiscard]] Datum hide_scalar(const Datum& value) const {
        if (const std::string* text = value.text()) return Datum(hide(*text));
        if (value.is_nil() || value.get_if<bool>()) return value;
        const std::string json = value.to_json();
        return hide(json) == json ? value : Datum(kFirewalled);
    }

private:
    const Secrets& secrets_;
    std::unordered_map<std::uint64_t, std::vector<std::string_view>> by_first_bytes_;
};

/// `index` may be null: then keys alone decide.
Datum view(const Datum& value, const SecretIndex* index) {
    const auto each = [index](const Datum::List& items) {
        Datum::List out;
        out.reserve(items.size());
        for (const Datum& item : items)
            out.push_back(view(item, index));
        return out;
    };
    const auto* items = value.list();
    const auto* set = value.get_if<Datum::Set>();
    const auto* entries = value.map();
    if (!items && !set && !entries) return index ? index->hide_scalar(value) : value;
    if (index && index->has_collection(value)) return Datum(kFirewalled);
    if (items) return Datum(each(*items));
    if (set) return Datum(Datum::Set{each(set->items)});
    Datum::Map out;
    out.reserve(entries->size());
    for (const auto& [key, item] : *entries)
        out.emplace_back(view(key, index),
                         starts_name_firewalled(key_name(key)) ? Datum(kFirewalled) : view(item, index));
    return Datum(std::move(out));
}

} // namespace

std::string_view key_name(const Datum& key) {
    if (const std::string* text = key.text()) return *text;
    if (const auto* keyword = key.get_if<Datum::Keyword>()) return keyword->name;
    return {};
}

namespace {

/// Keys that look like names, and how many records of a list have them.
using FieldCounts = std::unordered_map<std::string_view, std::size_t>;

bool is_field_name(std::string_view key) {
    constexpr std::size_t kLongest = 40;
    const auto is_name_char = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; };
    return !key.empty() && key.size() <= kLongest && std::isalpha(static_cast<unsigned char>(key.front())) != 0 &&
           std::ranges::all_of(key, is_name_char);
}

FieldCounts count_fields(const Datum::List& items) {
    FieldCounts counts;
    for (const Datum& item : items) {
        const auto* entries = item.map();
        if (!entries) continue;
        for (const auto& [key, value] : *entries) {
            if (is_field_name(key_name(key))) ++counts[key_name(key)];
        }
    }
    return counts;
}

/// `fields`: of the list that a record is an item of. A name that several records have says nothing; any other key
/// below a firewalled one may be a secret itself.
void learn(Secrets& secrets, const Datum& value, bool is_firewalled, const FieldCounts* fields) {
    if (const auto* items = value.list()) {
        const FieldCounts counts = is_firewalled ? count_fields(*items) : FieldCounts();
        for (const Datum& item : *items)
            learn(secrets, item, is_firewalled, &counts);
    } else if (const auto* set = value.get_if<Datum::Set>()) {
        for (const Datum& item : set->items)
            learn(secrets, item, is_firewalled, nullptr);
    } else if (const auto* entries = value.map()) {
        for (const auto& [key, item] : *entries) {
            const auto count = fields ? fields->find(key_name(key)) : FieldCounts::const_iterator();
            const bool is_field = fields && count != fields->end() && count->second > 1;
            if (is_firewalled && !is_field) learn(secrets, key, true, nullptr);
            const bool begins = !is_firewalled && starts_name_firewalled(key_name(key));
            if (begins) keep_collection(secrets, item);
            learn(secrets, item, is_firewalled || begins, nullptr);
        }
    } else if (is_firewalled) {
        keep_scalar(secrets, value);
    }
}

} // namespace

void learn_secrets(Secrets& secrets, const Datum& value, bool is_firewalled) {
    learn(secrets, value, is_firewalled, nullptr);
}

std::string without_secrets(const Secrets& secrets, std::string_view text) {
    if (secrets.texts.empty() || text.size() < kMinSecretBytes) return std::string(text);
    return SecretIndex(secrets).hide(text);
}

std::string without_firewalled_faults(std::string_view message) {
    std::string out;
    while (true) {
        const std::size_t end = message.find('\n');
        out += public_fault_line(message.substr(0, end));
        if (end == std::string_view::npos) return out;
        out += '\n';
        message.remove_prefix(end + 1);
    }
}

Datum public_view(const Datum& value) { return view(value, nullptr); }

Datum public_view(const Datum& value, const Secrets& secrets) {
    if (secrets.texts.empty() && secrets.collections.empty()) return public_view(value);
    const SecretIndex index(secrets);
    return view(value, &index);
}

} // namespace ptc
