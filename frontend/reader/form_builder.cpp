// Tokens to forms. They arrive in order. Finished forms whose parent is still open lie on one stack (pending_), open
// brackets on a second one (frames_) that knows where its items begin in the first, and prefixes such as #_ on a third
// (prefixes_) that knows the depth at which it waits for a form. A closing bracket moves its items to the arena in one
// piece. After the first bracket that does not match, only errors of single tokens are still of interest.
#include "frontend/reader/form_builder.h"

#include "frontend/reader/bracket_repair.h"
#include "frontend/reader/literals.h"
#include "frontend/reader/reader_errors.h"
#include "frontend/utf8.h"
#include "frontend/work.h"
#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>

namespace ptc {

FormBuilder::FormBuilder(const Source& source, const ReadLimits& limits, Diagnostics& diagnostics, Forms& forms,
                         std::vector<SyntaxToken>* tokens)
    : source_(source), text_(source.text()), limits_(limits), diagnostics_(diagnostics), forms_(forms),
      tokens_(tokens) {}

// ---- Atoms

void FormBuilder::record(SyntaxToken::Kind kind, FormKind form, Span span) { tokens_->push_back({kind, form, span}); }

void FormBuilder::comment(Token token) {
    stopped_ |= !work::charge(1);
    record(SyntaxToken::Comment, FormKind::Nil, token);
}

void FormBuilder::push(const Form& form) {
    if (!work::charge(1)) [[unlikely]]
        stopped_ = broken_ = true;
    if (broken_) return;
    if (++form_count_ > limits_.max_forms) [[unlikely]]
        return stop(too_many_forms(form.span, limits_.max_forms));
    pending_.push_back(form);
    if (!prefixes_.empty() && prefixes_.back().depth == frames_.size()) [[unlikely]]
        resolve_prefix();
}

void FormBuilder::add_text(FormKind kind, Token token, std::string_view text) {
    Form form = atom(kind, token);
    form.size = static_cast<std::uint32_t>(text.size());
    form.chars = text.data();
    add(form);
}

void FormBuilder::add_placeholder(Token token) { add(atom(FormKind::Nil, token)); }

void FormBuilder::symbol(Token token) {
    if (token.size() <= 5) { // the reserved names; nothing longer is one
        if (token == "nil") return add(atom(FormKind::Nil, token));
        if (token == "true") return add(atom(FormKind::True, token));
        if (token == "false") return add(atom(FormKind::False, token));
    }
    if (token.front() <= '.' && looks_like_a_bare_fraction(token)) [[unlikely]]
        report(bare_fraction(span(token), token));
    add_text(FormKind::Symbol, token, token);
}

void FormBuilder::keyword(Token token) {
    const std::string_view name = token.substr(1);
    // `:data/rows` is never a key: whoever writes it means data/rows.
    const bool names_host = name.starts_with("data/") || name.starts_with("ctx/") || name.starts_with("tool/");
    const bool is_own = name.front() == ':'; // ::name, in the namespace of the program
    if (names_host || (is_own && name.find('/') != name.npos)) [[unlikely]]
        return bad_keyword(token);
    add_text(FormKind::Keyword, token, is_own ? store(std::string("user/").append(name.substr(1))) : name);
}

void FormBuilder::integer(Token token) { add_integer(token, token); }

/// `digits`: the token without its suffix.
void FormBuilder::add_integer(Token token, Token digits) {
    Form form = atom(FormKind::Integer, token);
    if (read_integer(digits, form.integer)) return add(form);
    if (digits.front() == '+') digits.remove_prefix(1);
    if (digits.size() - (digits.front() == '-') > kMaxIntegerDigits) report(integer_too_long(span(token), token));
    add_text(FormKind::BigInteger, token, digits);
}

void FormBuilder::real(Token token) {
    Form form = atom(FormKind::Float, token);
    if (!read_real(token, form.number)) report(real_too_large(span(token), token));
    add(form);
}

void FormBuilder::special_number(Token token) {
    Form form = atom(FormKind::Float, token);
    if (!read_special_number(token, form.number)) report(unknown_special_number(span(token), token));
    add(form);
}

void FormBuilder::string(Token token) {
    const std::string_view inside = token.substr(1, token.size() - 2);
    const bool is_plain = std::memchr(inside.data(), '\\', inside.size()) == nullptr;
    add_text(FormKind::String, token, is_plain ? inside : unescape(inside));
}

std::string_view FormBuilder::unescape(Token inside) {
    const std::uint32_t quote = offset(inside.data()) - 1;
    const bool is_raw = quote > 0 && (text_[quote - 1] == 'r' || text_[quote - 1] == 'R') &&
                        (quote == 1 || std::string_view(" \t\n(,[{").find(text_[quote - 2]) != std::string_view::npos);
    bool has_reported = false;
    std::string bytes;
    bytes.reserve(inside.size());
    std::size_t at = 0;
    while (at < inside.size()) {
        const std::size_t escape = std::min(inside.find('\\', at), inside.size());
        bytes.append(inside, at, escape - at);
        if (escape == inside.size()) break;
        const Escape read = read_escape(inside.substr(escape));
        if (!read.valid && !stopped_ && is_raw && !std::exchange(has_reported, true)) report(raw_string(quote - 1));
        if (!read.valid && !stopped_ && !is_raw)
            report(bad_escape(span(inside.substr(escape, read.size)), inside.substr(escape, read.size)));
        utf8::append(bytes, read.code_point);
        at = escape + read.size;
    }
    return store(bytes);
}

void FormBuilder::regex(Token token) { add_text(FormKind::Regex, token, token.substr(2, token.size() - 3)); }

void FormBuilder::character(Token token) {
    if (token.size() == 2) return add_text(FormKind::String, token, token.substr(1));
    const CharacterLiteral read = read_character(token);
    switch (read.status) {
    case CharacterLiteral::Ok: return add_text(FormKind::String, token, store(read.text));
    case CharacterLiteral::BadCode: report(bad_character_code(span(token), token)); break;
    case CharacterLiteral::TooLong: report(character_too_long(source_, span(token), token)); break;
    }
    add_placeholder(token);
}

void FormBuilder::quoted_symbol(Token token) {
    Form name = atom(FormKind::Symbol, token.substr(1));
    name.size = name.span.size();
    name.chars = token.data() + 1;
    Form quote = atom(FormKind::Quote, token);
    pending_.push_back(name);
    quote.size = 1;
    quote.first = store(pending_.size() - 1).data();
    add(quote);
}

void FormBuilder::var(Token token) { add_text(FormKind::Var, token, token.substr(2)); }

std::span<const Form> FormBuilder::store(std::size_t first_item) {
    const std::size_t count = pending_.size() - first_item;
    if (count == 0) return {};
    auto* items = static_cast<Form*>(forms_.arena().allocate(count * sizeof(Form), alignof(Form)));
    std::memcpy(static_cast<void*>(items), pending_.data() + first_item, count * sizeof(Form));
    pending_.resize(first_item, boost::container::default_init);
    return {items, count};
}

std::string_view FormBuilder::store(std::string_view bytes) {
    if (bytes.empty()) return {text_.data(), 0}; // a Form's chars are never null
    auto* copy = static_cast<char*>(forms_.arena().allocate(bytes.size(), 1));
    std::memcpy(copy, bytes.data(), bytes.size());
    return {copy, bytes.size()};
}

// ---- Brackets

bool FormBuilder::stop_too_deep(Token token) {
    stop(nesting_too_deep(span(token), token, limits_.max_nesting));
    return true;
}

void FormBuilder::open(FormKind kind, char closer, Token token) {
    if (broken_) return;
    if (is_nested_too_deep(token)) return;
    record(SyntaxToken::Open, kind, token);
    frames_.push_back({kind, closer, offset(token.data()), static_cast<std::uint32_t>(pending_.size())});
}

void FormBuilder::close(Token token) {
    if (broken_) return;
    if (frames_.empty() || frames_.back().closer != token.front()) [[unlikely]]
        return break_structure();
    while (!prefixes_.empty() && prefixes_.back().depth == frames_.size()) {
        report_prefix(prefixes_.back(), nullptr);
        prefixes_.pop_back();
    }
    const Frame frame = frames_.back();
    frames_.pop_back();
    record(SyntaxToken::Close, frame.kind, token);
    Form form;
    form.kind = frame.kind;
    form.span = {frame.begin, offset(token.data()) + 1};
    const std::span<const Form> items = store(frame.first_item);
    form.size = static_cast<std::uint32_t>(items.size());
    form.first = items.data();
    if (form.kind == FormKind::Map && form.size % 2 != 0) [[unlikely]]
        report(odd_map(source_, form));
    push(form);
}

void FormBuilder::break_structure() {
    broken_ = true;
    report_dangling_prefixes();
}

// ---- Prefixes

void FormBuilder::push_prefix(Prefix::Kind kind, Token token) {
    stopped_ |= !work::charge(1);
    const auto depth = static_cast<std::uint32_t>(frames_.size());
    const Prefix prefix{kind, depth, offset(token.data()), 1};
    if (broken_) return report_prefix(prefix, nullptr);
    if (!prefixes_.empty() && prefixes_.back().depth == depth && prefixes_.back().kind == kind &&
        kind == Prefix::Discard) {
        ++prefixes_.back().count;
        return;
    }
    if (!is_nested_too_deep(token)) prefixes_.push_back(prefix);
}

void FormBuilder::discard(Token token) {
    if (broken_) return;
    record(SyntaxToken::Discard, FormKind::Nil, token);
    push_prefix(Prefix::Discard, token);
}

void FormBuilder::quote_prefix(Token token) {
    // `', '` is text of another language; nobody puts a blank between a quote and what it quotes.
    const std::size_t next = offset(token.data()) + 1;
    if (next < text_.size() && std::string_view(" \t\r\n,").find(text_[next]) != std::string_view::npos)
        return report(nothing_to_quote(span(token)));
    record(SyntaxToken::Quote, FormKind::Nil, token);
    push_prefix(Prefix::Quote, token);
}

void FormBuilder::metadata(Token token) {
    record(SyntaxToken::Metadata, FormKind::Nil, token);
    push_prefix(Prefix::Metadata, token);
}

void FormBuilder::resolve_prefix() {
    // A prefix in front of another one takes the form that the inner one leaves: '^:a x is one form, #_ ^:a x none.
    while (!prefixes_.empty() && prefixes_.back().depth == frames_.size()) {
        Prefix& prefix = prefixes_.back();
        const Form form = pending_.back();
        const bool swallows = prefix.kind == Prefix::Discard || prefix.kind == Prefix::Metadata;
        if (swallows) pending_.pop_back();
        if (prefix.kind == Prefix::Quote) quote_last(prefix);
        if (prefix.kind == Prefix::Deref) deref_last(prefix);
        if (prefix.kind == Prefix::Conditional || prefix.kind == Prefix::MapNamespace ||
            (prefix.kind == Prefix::Metadata && !is_metadata(prefix, form)))
            report_prefix(prefix, &form);
        if (--prefix.count == 0) prefixes_.pop_back();
        if (swallows) return;
    }
}

/// `^:private`, `^String`, `^{:doc ".."}`: changes nothing. `(^ 2 3)` is a power of another language.
bool FormBuilder::is_metadata(const Prefix& prefix, const Form& form) const {
    const std::uint32_t mark = text_[prefix.begin] == '#' ? 2 : 1;
    if (form.span.begin != prefix.begin + mark) return false;
    return form.is(FormKind::Keyword) || form.is(FormKind::Symbol) || form.is(FormKind::Map) ||
           form.is(FormKind::String) || form.is(FormKind::Vector);
}

/// The newest form becomes what the prefix makes of it.
void FormBuilder::quote_last(const Prefix& prefix) {
    Form quote;
    quote.kind = FormKind::Quote;
    quote.span = {prefix.begin, pending_.back().span.end};
    quote.size = 1;
    quote.first = store(pending_.size() - 1).data();
    pending_.push_back(quote);
}

/// @x is (deref x).
void FormBuilder::deref_last(const Prefix& prefix) {
    static constexpr std::string_view kDeref = "deref";
    const Form target = pending_.back();
    Form& name = pending_.back();
    name = Form();
    name.kind = FormKind::Symbol;
    name.span = {prefix.begin, prefix.begin + 1};
    name.size = static_cast<std::uint32_t>(kDeref.size());
    name.chars = kDeref.data();
    pending_.push_back(target);
    Form call;
    call.kind = FormKind::List;
    call.span = {prefix.begin, target.span.end};
    call.size = 2;
    call.first = store(pending_.size() - 2).data();
    pending_.push_back(call);
}

void FormBuilder::report_prefix(const Prefix& prefix, const Form* form) {
    switch (prefix.kind) {
    case Prefix::Discard: return report(nothing_to_discard({prefix.begin, prefix.begin + 2}));
    case Prefix::Deref: return report(ptc::unsupported_prefix(source_, {prefix.begin, prefix.begin + 1}, "@"));
    case Prefix::Quote: return report(nothing_to_quote({prefix.begin, prefix.begin + 1}));
    case Prefix::Metadata: return report(unsupported_metadata(source_, prefix.begin, form));
    case Prefix::Conditional: return report(unsupported_conditional(source_, prefix.begin, form));
    case Prefix::MapNamespace: return report(namespaced_map(source_, prefix.begin, form));
    }
}

void FormBuilder::report_dangling_prefixes() {
    for (const Prefix& prefix : prefixes_) {
        if (stopped_) break;
        if (prefix.kind != Prefix::Discard || !broken_) report_prefix(prefix, nullptr);
    }
    prefixes_.clear();
}

void FormBuilder::reader_conditional(Token token) { push_prefix(Prefix::Conditional, token); }

void FormBuilder::unsupported_prefix(Token token) {
    const std::size_t next = offset(token.data()) + 1;
    const bool is_deref = token == "@" && next < text_.size() &&
                          std::string_view(" \t\r\n,)]}\"").find(text_[next]) == std::string_view::npos;
    if (is_deref) {
        record(SyntaxToken::Quote, FormKind::Nil, token);
        return push_prefix(Prefix::Deref, token);
    }
    report(ptc::unsupported_prefix(source_, span(token), token));
}

// ---- Tokens that are not PTC-Lisp

void FormBuilder::unterminated_string(Token token) {
    unterminated_at_ = offset(token.data());
    break_structure();
}

void FormBuilder::other_number(Token token) {
    const OtherNumber read = read_other_number(token);
    Form form = atom(read.is_integer ? FormKind::Integer : FormKind::Float, token);
    switch (read.status) {
    case OtherNumber::Ok:
        if (read.is_integer)
            form.integer = read.integer;
        else
            form.number = read.number;
        if (read.is_ratio && !read.is_integer) warn(ratio_as_float(span(token), token));
        return add(form);
    case OtherNumber::Digits: return add_integer(token, read.digits);
    case OtherNumber::None: break;
    }
    report(bad_number(span(token), token));
    add_placeholder(token);
}

void FormBuilder::bad_keyword(Token token) {
    if (token.find_first_not_of(':') == token.npos)
        return report(lone_colon(source_, span(token), touching_key(token))); // no form
    const bool in_call = !broken_ && !frames_.empty() &&
                         (frames_.back().kind == FormKind::List || frames_.back().kind == FormKind::ShortFn);
    report(ptc::bad_keyword(span(token), token, in_call));
    add_placeholder(token);
}

void FormBuilder::bad_name(Token token) {
    report(ptc::bad_name(span(token), token));
    add_placeholder(token);
}

void FormBuilder::smart_string(Token token) {
    report(smart_quotes(span(token), token));
    add_placeholder(token);
}

void FormBuilder::unsupported_dispatch(Token token) {
    const std::size_t next = text_.find_first_not_of(" \t\r\n,", offset(token.data()) + token.size());
    if (token.starts_with("#:") && next < text_.size() && text_[next] == '{')
        return push_prefix(Prefix::MapNamespace, token);
    report(ptc::unsupported_dispatch(source_, span(token), token));
}

void FormBuilder::bad_character(Token token) {
    const std::uint32_t at = offset(token.data());
    // `||` is one sign.
    const bool is_second = token == "|" && at > 0 && text_[at - 1] == '|' && (at < 2 || text_[at - 2] != '|');
    if (!is_second) report(ptc::bad_character(source_, span(token)));
}

/// The name in front of a colon, in a map or among the arguments of a tool: {a: 1}.
Span FormBuilder::touching_key(Token colon) const {
    if (broken_ || frames_.empty() || pending_.size() <= frames_.back().first_item) return {};
    const Form& last = pending_.back();
    const bool is_quoted = last.is(FormKind::Quote) && source_.text(last.span).ends_with("'");
    if ((!last.is(FormKind::Symbol) && !is_quoted) || last.span.end != offset(colon.data())) return {};
    const Form& head = pending_[frames_.back().first_item];
    const bool names_parts = frames_.back().kind == FormKind::List && head.is(FormKind::Symbol) && &head != &last &&
                             (head.text().starts_with("tool/") || head.is_symbol("return") || head.is_symbol("fail"));
    return names_parts || frames_.back().kind == FormKind::Map ? last.span : Span{};
}

// ---- The end

void FormBuilder::finish() {
    if (stopped_) return;
    if (!broken_ && !frames_.empty()) break_structure();
    if (unterminated_at_ != kNone) return;
    if (broken_) return repair_brackets(source_, limits_.vocabulary, diagnostics_);
    report_dangling_prefixes();
    forms_.set_top_level(store(0));
}

void FormBuilder::report(Error error) {
    if (stopped_) return;
    diagnostics_.error(std::move(error));
    stopped_ = diagnostics_.dropped() > 0;
}

void FormBuilder::warn(Error warning) {
    if (!stopped_ && !broken_) diagnostics_.warning(std::move(warning));
}

void FormBuilder::stop(Error error) {
    report(std::move(error));
    stopped_ = true;
}

} // namespace ptc
