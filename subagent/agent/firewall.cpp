// Values that no model may see. There are two lines. Where values are shown, they are hidden by their keys
// (public_view, previews). Text that was not written here (printed lines, messages) is searched for the firewalled
// values that the agent has met (without_secrets): all of them at once, in the one spelling that they have however
// often they were escaped. They are kept sorted, so that the one with the longest common beginning is a neighbour of
// the place where the text itself would stand; what was found is passed over, so a text is searched in one go whatever
// it and the secrets hold. Collections are known by digests that are made from those of their parts.
#include "subagent/agent/firewall.h"
#include "frontend/utf8.h"
#include "frontend/work.h"
#include "subagent/agent/spelling.h"
#include "subagent/engine/text_hash.h"
#include <algorithm>
#include <cctype>
#include <cstring>
#include <iterator>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ptc {
namespace {

// What is looked through is charged to the thread's work::Scope. When that is over, everything is hidden.
constexpr std::size_t kWorkOfValue = 4, kBytesOfUnit = 4;

/// This much of a longer secret gives it away.
constexpr std::size_t kTellingPrefix = 12;
/// What may not stand before the mark of a cut of a secret.
constexpr std::size_t kTellingCut = 3;
/// Bytes of a spelling that has less than kTellingPrefix without backslashes; no two of these stand side by side.
constexpr std::size_t kShortSpelling = 2 * kTellingPrefix;

bool starts_name_firewalled(std::string_view name) { return name.starts_with('_'); }

std::uint64_t first_bytes(const char* text) {
    std::uint64_t bytes = 0;
    std::memcpy(&bytes, text, kMinSecretBytes);
    return bytes;
}

void keep_spelling(Secrets& secrets, std::string spelled) {
    if (spelled.size() < kMinSecretBytes || secrets.texts.contains(spelled)) return;
    if (secrets.bytes + spelled.size() > kMaxSecretBytes) {
        secrets.is_full = true;
        return;
    }
    secrets.bytes += spelled.size();
    secrets.beginnings.insert(first_bytes(spelled.data()));
    secrets.texts.insert(std::move(spelled));
}

void keep(Secrets& secrets, std::string_view text) {
    if (text.size() >= kMinSecretBytes) keep_spelling(secrets, spelling_of(text));
}

// ---- Digests

std::uint64_t mixed(std::uint64_t digest, std::uint64_t with) {
    digest = (digest ^ with) * 0x9E37'79B9'7F4A'7C15;
    return digest ^ (digest >> 29);
}

bool is_collection(const Datum& value) { return value.list() || value.map() || value.get_if<Datum::Set>(); }

std::uint64_t scalar_digest(const Datum& value) {
    const auto* keyword = value.get_if<Datum::Keyword>(); // the same as the text, as in JSON
    return text_hash(keyword ? Datum(keyword->name).to_json() : value.to_json());
}

/// Calls `on_collection(value, digest)` for `value` and every collection in it, innermost first, and gives the digest
/// of `value`. Lists and sets of the same items, and keys that are keywords or texts, are alike, as in JSON.
template <class OnCollection> std::uint64_t digest_of(const Datum& value, const OnCollection& on_collection) {
    if (!work::charge(kWorkOfValue)) return 0; // nobody goes by it then
    if (!is_collection(value)) return scalar_digest(value);
    std::uint64_t digest = value.map() ? 1 : 2;
    if (const auto* entries = value.map()) {
        for (const auto& [key, item] : *entries)
            digest = mixed(mixed(digest, digest_of(key, on_collection)), digest_of(item, on_collection));
    } else {
        for (const Datum& item : value.list() ? *value.list() : value.get_if<Datum::Set>()->items) {
            if (work::is_over()) return 0;
            digest = mixed(digest, digest_of(item, on_collection));
        }
    }
    on_collection(value, digest);
    return digest;
}

/// One or two numbers say little as texts; as a list they are what was hidden.
void keep_collection(Secrets& secrets, const Datum& value) {
    const bool is_empty = (value.list() && value.list()->empty()) || (value.map() && value.map()->empty());
    if (is_empty || !is_collection(value)) return;
    const std::uint64_t digest = digest_of(value, [](const Datum&, std::uint64_t) {});
    if (work::is_over())
        secrets.is_full = true;
    else if (secrets.collections.size() >= kMaxSecretCollections && !secrets.collections.contains(digest))
        secrets.is_full = true;
    else
        secrets.collections.insert(digest);
}

/// A text as messages quote it (quoted_excerpt): on one line.
std::string on_one_line(std::string text) {
    std::ranges::replace_if(
        text, [](unsigned char c) { return c < 0x20 || c == 0x7F; }, ' ');
    return text;
}

void keep_scalar(Secrets& secrets, const Datum& value) {
    if (const std::string* text = value.text()) {
        keep(secrets, *text);
        keep(secrets, on_one_line(*text));
    } else if (const auto* keyword = value.get_if<Datum::Keyword>()) {
        keep(secrets, keyword->name);
    } else if (const auto* opaque = value.get_if<Datum::Opaque>()) {
        keep(secrets, opaque->text);
    } else if (!value.get_if<bool>() && !value.is_nil()) {
        keep(secrets, value.to_json());
    }
}

// ---- Finding them in a text

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::size_t common_beginning(std::string_view a, std::string_view b) {
    const std::size_t most = std::min(a.size(), b.size());
    return static_cast<std::size_t>(
        std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(most), b.begin()).first - a.begin());
}

/// Digits within a longer number are another number.
bool is_within_number(std::string_view text, std::size_t at, std::size_t length) {
    const bool goes_on =
        (at > 0 && is_digit(text[at - 1])) || (at + length < text.size() && is_digit(text[at + length]));
    return goes_on && std::ranges::all_of(text.substr(at, length), is_digit);
}

bool is_telling(std::string_view beginning) {
    return static_cast<std::size_t>(std::ranges::count(beginning.substr(0, kShortSpelling), '\\')) + kTellingPrefix <=
           std::min(beginning.size(), kShortSpelling);
}

/// Bytes of a text from `at` on that give a secret away; 0 for none.
std::size_t secret_length_in(const Secrets& secrets, std::string_view text, std::size_t at) {
    const std::string_view rest = text.substr(at);
    if (rest.size() < kMinSecretBytes || !secrets.beginnings.contains(first_bytes(rest.data()))) return 0;
    const auto next = secrets.texts.lower_bound(rest);
    std::size_t longest = 0; // of those that give away a long one
    if (next != secrets.texts.end()) longest = common_beginning(rest, *next);
    if (next != secrets.texts.begin()) longest = std::max(longest, common_beginning(rest, *std::prev(next)));
    if (is_telling(rest.substr(0, longest)) && !is_within_number(text, at, longest)) return longest;
    for (std::size_t length = std::min(kShortSpelling, rest.size()); length >= kMinSecretBytes; --length) {
        if (secrets.texts.contains(rest.substr(0, length)) && !is_within_number(text, at, length)) return length;
    }
    return 0;
}

std::size_t secret_length(const Secrets& secrets, std::string_view text, std::size_t at) {
    std::size_t length = secret_length_in(secrets, text, at);
    for (const auto& shared : secrets.shared)
        length = std::max(length, secret_length_in(*shared, text, at));
    return length;
}

bool begins_secret(const Secrets& secrets, std::string_view text) {
    const auto found = secrets.texts.lower_bound(text);
    if (found != secrets.texts.end() && found->starts_with(text)) return true;
    return std::ranges::any_of(secrets.shared, [&](const auto& shared) { return begins_secret(*shared, text); });
}

bool has_collection(const Secrets& secrets, std::uint64_t digest) {
    return secrets.collections.contains(digest) || std::ranges::any_of(secrets.shared, [&](const auto& shared) {
               return shared->collections.contains(digest);
           });
}

bool has_collections(const Secrets& secrets) {
    return !secrets.collections.empty() ||
           std::ranges::any_of(secrets.shared, [](const auto& shared) { return !shared->collections.empty(); });
}

bool has_texts(const Secrets& secrets) {
    return !secrets.texts.empty() ||
           std::ranges::any_of(secrets.shared, [](const auto& shared) { return !shared->texts.empty(); });
}

bool is_any_full(const Secrets& secrets) {
    return secrets.is_full || std::ranges::any_of(secrets.shared, [](const auto& shared) { return shared->is_full; });
}

/// A text that is being searched: what is asked is its spelling, what comes out are its pieces.
class Search {
public:
    Search(const Secrets& secrets, std::string_view text)
        : secrets_(secrets), spelled_(spelling_of(text)), reader_(text), cut_(spelled_.find(kCutMark)) {}

    std::string without_secrets() {
        std::string out;
        while (reader_.next()) {
            const std::size_t length = find_in_piece();
            if (!work::charge(1)) return std::string(kFirewalled);
            out += reader_.piece().substr(0, shown_);
            if (length == 0) continue;
            out += kFirewalled;
            out.append(pass(length), '\\');
        }
        return out;
    }

private:
    /// What begins in the piece and is to be hidden, behind `shown_` bytes of it; 0, and all of it shown, for nothing.
    std::size_t find_in_piece() {
        const std::size_t begin = at_, end = at_ + reader_.spelled().size();
        const std::size_t last = reader_.is_plain() ? end : begin + reader_.can_begin();
        constexpr std::size_t kPiece = 4096;
        for (; at_ < last; ++at_) {
            if (at_ % kPiece == 0 && !work::charge(kPiece / kBytesOfUnit)) return 0;
            shown_ = at_ - begin;
            if (const std::size_t length = length_here()) return length;
        }
        at_ = end;
        shown_ = reader_.piece().size();
        return 0;
    }
    /// Bytes from here on that give a secret away, or begin one that was cut; whole characters.
    std::size_t length_here() {
        if (cut_ < at_) cut_ = spelled_.find(kCutMark, at_);
        std::size_t length = secret_length(secrets_, spelled_, at_);
        const bool is_near_cut = cut_ != spelled_.npos && cut_ - at_ >= kTellingCut && cut_ - at_ < kShortSpelling;
        if (length == 0 && is_near_cut && begins_secret(secrets_, std::string_view(spelled_).substr(at_, cut_ - at_)))
            return cut_ - at_;
        while (length > 0 && at_ + length < spelled_.size() &&
               utf8::is_continuation(static_cast<unsigned char>(spelled_[at_ + length])))
            ++length;
        return length;
    }
    /// Goes behind it, and says how many backslashes of the last piece escape what comes next.
    std::size_t pass(std::size_t length) {
        const std::size_t end = at_ + length;
        at_ -= shown_; // where the piece begins
        do {
            if (reader_.is_plain() && at_ + reader_.spelled().size() > end) reader_.shorten(end - at_);
            at_ += reader_.spelled().size();
        } while (at_ < end && reader_.next());
        return reader_.backslashes_of_next();
    }

    const Secrets& secrets_;
    std::string spelled_;
    SpellingReader reader_;
    std::size_t cut_;
    std::size_t at_ = 0;    ///< in spelled_
    std::size_t shown_ = 0; ///< of the piece
};

Datum hide_scalar(const Secrets& secrets, const Datum& value) {
    if (const std::string* text = value.text()) return Datum(without_secrets(secrets, *text));
    if (value.is_nil() || value.get_if<bool>()) return value;
    const std::string json = value.to_json();
    return without_secrets(secrets, json) == json ? value : Datum(kFirewalled);
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

/// Collections within a value that are firewalled as a whole, wherever they stand now.
using HiddenParts = std::unordered_set<const Datum*>;

HiddenParts hidden_parts(const Datum& value, const Secrets& secrets) {
    HiddenParts hidden;
    if (!has_collections(secrets)) return hidden;
    digest_of(value, [&](const Datum& part, std::uint64_t digest) {
        if (has_collection(secrets, digest)) hidden.insert(&part);
    });
    return hidden;
}

/// Shows a value without what is below firewalled keys and, when there are `secrets`, without these.
class View {
public:
    explicit View(const Secrets* secrets, HiddenParts hidden = {}) : secrets_(secrets), hidden_(std::move(hidden)) {}
    [[nodiscard]] Datum of(const Datum& value) const {
        if (!work::charge(kWorkOfValue)) return Datum(kFirewalled);
        if (!is_collection(value)) return secrets_ ? hide_scalar(*secrets_, value) : value;
        if (hidden_.contains(&value)) return Datum(kFirewalled);
        if (const auto* items = value.list()) return Datum(each(*items));
        if (const auto* set = value.get_if<Datum::Set>()) return Datum(Datum::Set{each(set->items)});
        Datum::Map out;
        out.reserve(value.map()->size());
        for (const auto& [key, item] : *value.map()) {
            if (work::is_over()) return Datum(kFirewalled);
            out.emplace_back(of(key), starts_name_firewalled(key_name(key)) ? Datum(kFirewalled) : of(item));
        }
        return Datum(std::move(out));
    }

private:
    /// Only some of them when the time is over.
    [[nodiscard]] Datum::List each(const Datum::List& items) const {
        Datum::List out;
        out.reserve(items.size());
        for (std::size_t i = 0; i < items.size() && !work::is_over(); ++i)
            out.push_back(of(items[i]));
        return out;
    }
    const Secrets* secrets_; ///< may be null
    HiddenParts hidden_;
};

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
    if (!work::charge(kWorkOfValue)) {
        secrets.is_full = true;
        return;
    }
    if (const auto* items = value.list()) {
        const FieldCounts counts = is_firewalled ? count_fields(*items) : FieldCounts();
        for (const Datum& item : *items) {
            if (secrets.is_full && work::is_over()) return;
            learn(secrets, item, is_firewalled, &counts);
        }
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

void learn_secrets(Secrets& secrets, const Secrets& others) {
    for (const std::string& spelled : others.texts)
        keep_spelling(secrets, spelled);
    secrets.collections.insert(others.collections.begin(), others.collections.end());
    secrets.is_full = secrets.is_full || others.is_full || secrets.collections.size() > kMaxSecretCollections;
    for (const auto& shared : others.shared) {
        if (std::ranges::find(secrets.shared, shared) == secrets.shared.end()) secrets.shared.push_back(shared);
    }
}

bool Secrets::empty() const {
    return texts.empty() && collections.empty() && !is_full &&
           std::ranges::all_of(shared, [](const auto& one) { return one->empty(); });
}

void Secrets::index() {
    beginnings.clear();
    for (const std::string& text : std::exchange(texts, {})) {
        std::string spelled = spelling_of(text); // what it is already, if these are bytes that were written here
        if (spelled.size() < kMinSecretBytes) continue;
        beginnings.insert(first_bytes(spelled.data()));
        texts.insert(std::move(spelled));
    }
}

std::string without_secrets(const Secrets& secrets, std::string_view text) {
    if (is_any_full(secrets) || work::is_over()) return text.empty() ? "" : std::string(kFirewalled);
    return has_texts(secrets) ? Search(secrets, text).without_secrets() : std::string(text);
}

std::optional<std::string> hide_secrets(const Secrets& secrets, std::vector<Attachment>& attachments) {
    for (Attachment& one : attachments) {
        one.name = without_secrets(secrets, one.name);
        if (without_secrets(secrets, one.url) != one.url)
            return "The address of an attachment has a firewalled value in it.";
        if (!one.is_text()) continue;
        std::string text = without_secrets(secrets, *one.bytes);
        if (text != *one.bytes) one.bytes = std::make_shared<const std::string>(std::move(text)); // else still shared
    }
    return std::nullopt;
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

Datum public_view(const Datum& value) { return View(nullptr).of(value); }

Datum public_view(const Datum& value, const Secrets& secrets) {
    if (secrets.empty()) return public_view(value);
    return View(&secrets, hidden_parts(value, secrets)).of(value);
}

} // namespace ptc
