// What the texts at one place of the data look like: each text is classed on its own (integer, number, flag, date,
// amount), and a look holds for the place as long as all of its texts have it.
#include "compiler/check/texts.h"
#include <algorithm>

namespace ptc {
namespace {

bool is_digit(char c) { return '0' <= c && c <= '9'; }
constexpr std::uint8_t bit(Texts::Look look) { return static_cast<std::uint8_t>(1u << look); }

/// Digits in front of a point or the end; 0 for what is no number. A zero in front shows a code: 0150.
std::size_t whole_digits(std::string_view text, bool* has_point) {
    if (text.starts_with('-')) text.remove_prefix(1);
    const std::size_t point = std::min(text.find('.'), text.size());
    *has_point = point < text.size();
    const std::string_view whole = text.substr(0, point);
    const std::string_view rest = *has_point ? text.substr(point + 1) : std::string_view("0");
    const bool is_number = !whole.empty() && whole.size() <= 15 && !rest.empty() && rest.size() <= 15 &&
                           std::ranges::all_of(whole, is_digit) && std::ranges::all_of(rest, is_digit);
    return is_number && (whole.size() == 1 || whole[0] != '0') ? whole.size() : 0;
}

/// 2024-03-05, with a time perhaps.
bool is_date(std::string_view text) {
    constexpr std::string_view kShape = "0000-00-00";
    if (text.size() < kShape.size() || (text.size() > kShape.size() && text[10] != 'T' && text[10] != ' '))
        return false;
    for (std::size_t i = 0; i < kShape.size(); ++i) {
        if (kShape[i] == '-' ? text[i] != '-' : !is_digit(text[i])) return false;
    }
    return true;
}

/// The number in $12.50, 1,200 and 12 kg, and what stands around it; "" where there is none, or several.
std::string amount_in(std::string_view text, std::string* around) {
    if (text.empty() || text.size() > 20) return {};
    std::size_t begin = 0;
    while (begin < text.size() && !is_digit(text[begin]) && text[begin] != '-')
        ++begin;
    std::string digits;
    std::size_t end = begin;
    for (; end < text.size() && (is_digit(text[end]) || text[end] == '.' || text[end] == '-' || text[end] == ',');
         ++end) {
        if (text[end] != ',') digits += text[end];
    }
    const std::string_view before = text.substr(0, begin);
    const auto is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '#';
    };
    const bool is_code =
        std::ranges::any_of(before, is_letter) && before != "USD " && before != "EUR " && before != "GBP ";
    bool has_point = false;
    if (is_code || std::ranges::any_of(text.substr(end), is_digit) || whole_digits(digits, &has_point) == 0) return {};
    *around = std::string(before) + "1" + std::string(text.substr(end));
    return digits;
}

} // namespace

void TextsSeen::add(std::string_view text) {
    ++count_;
    bool has_point = false;
    const std::size_t digits = text.size() <= 32 ? whole_digits(text, &has_point) : 0;
    const auto keep = [&](Texts::Look look, bool has_it) {
        if (!has_it) looks_ &= static_cast<std::uint8_t>(~bit(look));
    };
    keep(Texts::Integers, digits > 0 && !has_point);
    keep(Texts::Numbers, digits > 0);
    keep(Texts::Flags, text == "true" || text == "false");
    keep(Texts::Dates, is_date(text));
    std::string around;
    const bool is_amount = !amount_in(text, &around).empty();
    if (count_ == 1) around_ = around;
    keep(Texts::Amounts, is_amount && around == around_);
    has_sign_ = has_sign_ || text.starts_with('-');
    shortest_ = std::min(shortest_, digits);
    longest_ = std::max(longest_, digits);
    varying_ = varying_ || (length_ > 0 && length_ != text.size());
    length_ = text.size();
    is_prose_ = is_prose_ || text.size() > kMaxText || text.find(". ") != text.npos;
    for (std::size_t i = 0; !is_prose_ && i < text.size(); ++i) {
        commas_ += text[i] == ',' ? 1 : 0;
        blank_commas_ += text[i] == ',' && text.substr(i).starts_with(", ") ? 1 : 0;
        semicolons_ += text[i] == ';' ? 1 : 0;
        bars_ += text[i] == '|' ? 1 : 0;
    }
    is_full_ = is_full_ || text.size() > kMaxWord;
    if (is_full_ || std::ranges::find(words_, text) != words_.end()) return;
    is_full_ = words_.size() == kMaxWords;
    if (!is_full_) words_.push_back(text);
}

Texts TextsSeen::result() const {
    Texts texts;
    if (count_ == 0) return texts;
    for (const Texts::Look look : {Texts::Integers, Texts::Numbers, Texts::Flags, Texts::Dates, Texts::Amounts}) {
        if (texts.look == Texts::Other && (looks_ & bit(look)) != 0) texts.look = look;
    }
    const bool is_number = texts.look == Texts::Integers || texts.look == Texts::Numbers;
    const bool varies = has_sign_ || shortest_ != longest_;
    texts.order_differs = (is_number && varies) || (texts.look == Texts::Amounts && varying_);
    const std::size_t kinds = (commas_ > 0 ? 1u : 0u) + (semicolons_ > 0 ? 1u : 0u) + (bars_ > 0 ? 1u : 0u);
    if (!is_prose_ && kinds == 1 && (blank_commas_ == 0 || blank_commas_ == commas_))
        texts.separator = blank_commas_ > 0 ? ", " : commas_ > 0 ? "," : semicolons_ > 0 ? ";" : "|";
    if (!is_full_) texts.words = words_;
    return texts;
}

} // namespace ptc
