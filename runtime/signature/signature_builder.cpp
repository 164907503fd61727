// The grammar calls these functions while it reads; lists, records and unions that are open lie on a stack, and the
// type that was completed last waits for what holds it. The first error stops everything, as the grammar is predictive
// and an error after an error would be a guess.
#include "runtime/signature/signature_builder.h"

#include "frontend/utf8.h"
#include <algorithm>
#include <charconv>

namespace ptc {
namespace {

/// Reads one of the escapes that canonical text writes, and those of JSON.
void append_escape(std::string& out, std::string_view quoted, std::size_t& at) {
    const char escaped = quoted[at++];
    switch (escaped) {
    case 'n': out += '\n'; return;
    case 't': out += '\t'; return;
    case 'r': out += '\r'; return;
    case 'u': {
        unsigned code = 0;
        const std::string_view digits = quoted.substr(at, std::min<std::size_t>(4, quoted.size() - at));
        const auto [end, failed] = std::from_chars(digits.data(), digits.data() + digits.size(), code, 16);
        if (failed == std::errc() && digits.size() == 4 && end == digits.data() + 4 && !utf8::is_surrogate(code)) {
            utf8::append(out, code);
            at += 4;
            return;
        }
        break;
    }
    default: break;
    }
    out += escaped;
}

std::string unquote(std::string_view quoted) {
    quoted = quoted.substr(1, quoted.size() - 2);
    std::string text;
    for (std::size_t at = 0; at < quoted.size();) {
        const char c = quoted[at++];
        if (c == '\\') {
            append_escape(text, quoted, at);
        } else {
            text += c;
        }
    }
    return text;
}

} // namespace

Span SignatureBuilder::span(Token token) const {
    const std::uint32_t begin = offset(token.data());
    return {begin, begin + static_cast<std::uint32_t>(token.size())};
}

bool SignatureBuilder::fail(Error error) {
    if (!error_) error_ = std::move(error);
    return false;
}

bool SignatureBuilder::mismatch(Expected expected, const char* at) {
    const std::uint32_t opened = open_.empty() ? kNoBracket : open_.back().at;
    return error_ ? false : fail(signature_mismatch(text_, expected, offset(at), opened));
}

bool SignatureBuilder::open(TypeKind kind, Token at) {
    if (open_.size() >= kMaxTypeNesting) return fail(signature_too_deep(offset(at.data()), kMaxTypeNesting));
    open_.push_back({Type(kind), offset(at.data()), {}, names_.size()});
    return true;
}

void SignatureBuilder::close() {
    current_ = std::move(open_.back().type);
    open_.pop_back();
}

// ---- Lists, records, parameters

bool SignatureBuilder::open_params(Token bracket) { return open(TypeKind::Record, bracket); }
bool SignatureBuilder::open_list(Token bracket) { return open(TypeKind::List, bracket); }
bool SignatureBuilder::open_record(Token bracket) { return open(TypeKind::Record, bracket); }

bool SignatureBuilder::empty_list(Token bracket) {
    return fail(empty_list_type({open_.back().at, offset(bracket.data()) + 1}));
}

void SignatureBuilder::close_list() {
    open_.back().type.items.push_back(std::move(current_));
    close();
}

void SignatureBuilder::end_field() {
    Open& record = open_.back();
    record.type.fields.push_back({std::string(record.name), std::move(current_)});
    names_.push_back(record.name);
}

bool SignatureBuilder::close_record() {
    const bool is_clear = check_names(open_.back().first_name);
    names_.resize(open_.back().first_name);
    close();
    return is_clear;
}

bool SignatureBuilder::close_params() {
    const bool is_clear = close_record();
    params_ = std::move(current_.fields);
    return is_clear;
}

/// The names from `first` on differ in more than hyphens and underscores.
bool SignatureBuilder::check_names(std::size_t first) {
    std::vector<std::pair<std::string, Token>> sorted;
    sorted.reserve(names_.size() - first);
    for (std::size_t i = first; i < names_.size(); ++i)
        sorted.emplace_back(normalized_name(names_[i]), names_[i]);
    std::ranges::sort(sorted, [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first < b.first : a.second.data() < b.second.data();
    });
    const auto same = std::ranges::adjacent_find(sorted, {}, [](const auto& entry) { return entry.first; });
    if (same == sorted.end()) return true;
    const Token a = same->second;
    const Token b = (same + 1)->second;
    return fail(name_clash(span(a), a, span(b), b));
}

// ---- Primitives and unions

bool SignatureBuilder::primitive(Token name) {
    const std::optional<TypeKind> kind = primitive_kind(name.substr(1));
    if (!kind) return fail(unknown_type(span(name), name.substr(1)));
    current_ = Type(*kind);
    return true;
}

void SignatureBuilder::nil(Token name) {
    current_ = Type(TypeKind::Nil);
    last_nil_ = name;
}

bool SignatureBuilder::begin_union() {
    Type first = std::move(current_);
    if (!open(TypeKind::Union, text_)) return false;
    open_.back().at = open_.size() > 1 ? open_[open_.size() - 2].at : kNoBracket; // a union has no bracket of its own
    open_.back().type.items.push_back(std::move(first));
    return true;
}

void SignatureBuilder::end_alternative() { open_.back().type.items.push_back(std::move(current_)); }

bool SignatureBuilder::end_type() {
    return error_ || !current_.is(TypeKind::Nil) ? true : fail(nil_is_no_type(span(last_nil_)));
}

// ---- Bounds

bool SignatureBuilder::open_bounds(Token bracket) {
    if (current_.is(TypeKind::Int) || current_.is(TypeKind::Float)) return true;
    return fail(bounds_need_number(span(bracket), primitive_name(current_.kind)));
}

bool SignatureBuilder::number(Token token, Number& value) {
    const char* end = token.data() + token.size();
    if (token.find_first_of(".eE") == token.npos) {
        std::int64_t whole = 0;
        if (std::from_chars(token.data(), end, whole).ec != std::errc())
            return fail(bound_out_of_range(span(token), token));
        value = whole;
        return true;
    }
    double real = 0;
    if (std::from_chars(token.data(), end, real).ec != std::errc()) return fail(bound_out_of_range(span(token), token));
    value = real;
    return true;
}

bool SignatureBuilder::add_bound(Bound::Op op, Token token) {
    Number limit;
    if (!number(token, limit)) return false;
    current_.bounds.push_back({op, limit});
    return true;
}

bool SignatureBuilder::bound(Token number) { return add_bound(operator_, number); }
bool SignatureBuilder::range_start(Token number) { return add_bound(Bound::Op::AtLeast, number); }

bool SignatureBuilder::range_end(Token number) {
    if (!add_bound(Bound::Op::AtMost, number)) return false;
    const std::vector<Bound>& ends = current_.bounds;
    return is_less(ends[1].limit, ends[0].limit) ? fail(empty_range(span(number))) : true;
}

// ---- Choices

bool SignatureBuilder::open_choices(Token bracket) { return open(TypeKind::Enum, bracket); }

void SignatureBuilder::choice_word(Token word) {
    std::vector<Choice>& choices = open_.back().type.choices;
    if (word == "true" || word == "false") {
        choices.emplace_back(word == "true");
    } else if (word == "nil") {
        choices.emplace_back(std::monostate());
    } else {
        choices.emplace_back(std::string(word));
    }
}

void SignatureBuilder::choice_keyword(Token keyword) {
    const Token name = keyword.substr(1);
    open_.back().type.choices.emplace_back(KeywordChoice{name.starts_with('"') ? unquote(name) : std::string(name)});
}

void SignatureBuilder::choice_string(Token quoted) { open_.back().type.choices.emplace_back(unquote(quoted)); }

bool SignatureBuilder::choice_number(Token token) {
    Number value;
    if (!number(token, value)) return false;
    std::visit([&](auto known) { open_.back().type.choices.emplace_back(known); }, value);
    return true;
}

bool SignatureBuilder::close_choices(Token bracket) {
    if (open_.back().type.choices.empty()) return fail(empty_enum({open_.back().at, offset(bracket.data()) + 1}));
    close();
    return true;
}

} // namespace ptc
