// The lexical syntax (spec 2, 3, 14) as X3 rules. Two decisions shape it:
// 1. The grammar is flat: a program is a run of items, and brackets are items. FormBuilder keeps the stack. A recursive
//    rule would use the C++ stack per bracket and would have to give up at the first bracket that does not match.
// 2. Whatever starts an item also ends one: after the well-formed spellings of a thing comes a rule for its malformed
//    ones, so an error has the span of a whole token, reading goes on behind it, and no text makes the grammar fail.
//    Backtracking never goes further back than the current token, each of which is scanned a fixed number of times.
#include "frontend/reader/reader_grammar.h"

#include "frontend/byte_class.h"
#include "frontend/reader/form_builder.h"
#include <boost/spirit/home/x3.hpp>

namespace ptc {
namespace {

enum CharClass : std::uint16_t {
    kBlank = 1 << 0,
    kDigit = 1 << 1,
    kSymbolFirst = 1 << 2,
    kSymbolRest = 1 << 3,
    kKeyword = 1 << 4,
    kPlain = 1 << 5, ///< stands for itself in a string
    kNotNewline = 1 << 6,
    kHigh = 1 << 7, ///< part of a code point beyond ASCII
    kAny = 1 << 8,
    kKeywordSpace = 1 << 9, ///< in the namespace of a keyword: :my.app/name
};

constexpr ByteClasses make_classes() {
    ByteClasses classes;
    for (unsigned c = 0; c < 256; ++c) {
        unsigned mask = kAny;
        if (c != '\n') mask |= kNotNewline;
        if (c != '"' && c != '\\') mask |= kPlain;
        if (c >= 0x80) mask |= kHigh;
        classes.mark(static_cast<unsigned char>(c), mask);
    }
    classes.mark(" \t\n\r\f\v,", kBlank);
    classes.mark("0123456789", kDigit | kSymbolRest | kKeyword | kKeywordSpace);
    classes.mark("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
                 kSymbolFirst | kSymbolRest | kKeyword | kKeywordSpace);
    classes.mark("+-*<>=?!_$", kSymbolFirst | kSymbolRest | kKeyword | kKeywordSpace);
    classes.mark(".", kKeywordSpace);
    classes.mark("/%.&", kSymbolFirst | kSymbolRest);
    classes.mark("'", kSymbolRest); // inc' and x'', but 'x is a quote
    return classes;
}
constexpr ByteClasses kClasses = make_classes();

template <unsigned Classes> constexpr OneOf<kClasses, Classes> one{};
template <unsigned Classes> constexpr RunOf<kClasses, Classes> run{};

/// “text” with typographic quotes, on one line and of bounded length: so a text full of opening ones stays linear.
struct SmartString : x3::parser<SmartString> {
    using attribute_type = x3::unused_type;
    [[maybe_unused]] static constexpr bool has_attribute = false;
    template <class It, class Context, class RuleContext, class Attribute>
    bool parse(It& first, const It& last, const Context&, RuleContext&, Attribute&) const {
        constexpr std::size_t kMaxLength = 2000;
        const std::string_view rest(first, static_cast<std::size_t>(last - first));
        std::string_view line = rest.substr(0, kMaxLength);
        line = line.substr(0, line.find('\n'));
        for (const std::string_view mark : {"\u201C", "\u201D", "\u201E", "\u2018", "\u2019"}) {
            if (!line.starts_with(mark)) continue;
            const bool is_single = mark == "\u2018" || mark == "\u2019";
            const std::size_t plain = line.find('"', mark.size());
            std::size_t end = line.find(is_single ? "\u2019" : "\u201D", mark.size());
            if (end == line.npos) end = line.find(is_single ? "\u2018" : "\u201C", mark.size());
            if (end == line.npos || plain < end) return false;
            first += static_cast<std::ptrdiff_t>(end + 3);
            return true;
        }
        return false;
    }
};

struct BuilderTag;

template <class Context> FormBuilder& builder(const Context& context) { return x3::get<BuilderTag>(context).get(); }

template <class Context> FormBuilder::Token token(const Context& context) {
    const auto& range = x3::_attr(context);
    return {range.begin(), static_cast<std::size_t>(range.end() - range.begin())};
}

/// The semantic action that hands a token to one member function of the builder.
template <void (FormBuilder::*Member)(FormBuilder::Token)> struct Feed {
    template <class Context> void operator()(const Context& context) const {
        (builder(context).*Member)(token(context));
    }
};
template <void (FormBuilder::*Member)(FormBuilder::Token)> constexpr Feed<Member> feed{};

template <FormKind Kind, char Closer> struct Open {
    template <class Context> void operator()(const Context& context) const {
        builder(context).open(Kind, Closer, token(context));
    }
};
template <FormKind Kind, char Closer> constexpr Open<Kind, Closer> open{};

const auto go_on = x3::eps[([](auto& context) { x3::_pass(context) = !builder(context).stopped(); })];

using B = FormBuilder;
using x3::lit;
using x3::raw;

constexpr unsigned kTokenRest = kSymbolRest | kHigh;

const auto blanks = one<kBlank> >> run<kBlank>;
const auto comment = raw[lit(';') >> run<kNotNewline>][feed<&B::comment>];

const auto name = one<kSymbolFirst> >> run<kSymbolRest> >> !one<kHigh>;
const auto symbol = raw[name][feed<&B::symbol>];
const auto plain_keyword = one<kKeyword> >> run<kKeyword> >> !one<kTokenRest>;
const auto spaced_keyword = one<kKeywordSpace> >> run<kKeywordSpace> >> '/' >> plain_keyword;
const auto keyword = raw[':' >> -lit(':') >> (plain_keyword | spaced_keyword)][feed<&B::keyword>];

const auto digits = one<kDigit> >> run<kDigit>;
const auto sign = lit('-') | lit('+');
const auto exponent = (lit('e') | lit('E')) >> -sign >> digits;
const auto number_start = -sign >> one<kDigit>;
const auto integer = raw[-sign >> digits >> !one<kTokenRest>][feed<&B::integer>];
const auto real =
    raw[-sign >> digits >> ((lit('.') >> digits >> -exponent) | exponent) >> !one<kTokenRest>][feed<&B::real>];
const auto bad_number = raw[number_start >> run<kTokenRest>][feed<&B::other_number>];
const auto number = &number_start >> (integer | real | bad_number);

const auto quoted = '"' >> run<kPlain> >> *('\\' >> one<kAny> >> run<kPlain>) >> '"';
const auto string = raw[quoted][feed<&B::string>];
// `\(` and `\"` are characters; `\newline` and, to be reported, `\ab` are one token.
const auto character = raw['\\' >> one<kAny> >> run<kTokenRest>][feed<&B::character>];

const auto opening = raw[lit('(')][open<FormKind::List, ')'>] | raw[lit('[')][open<FormKind::Vector, ']'>] |
                     raw[lit('{')][open<FormKind::Map, '}'>];
const auto closing = raw[lit(')') | lit(']') | lit('}')][feed<&B::close>];

const auto dispatch = &lit('#') >> (raw[lit("#(")][open<FormKind::ShortFn, ')'>] |                        //
                                    raw[lit("#{")][open<FormKind::Set, '}'>] |                            //
                                    raw['#' >> quoted][feed<&B::regex>] |                                 //
                                    raw[lit("#_")][feed<&B::discard>] |                                   //
                                    raw[lit("#'") >> name][feed<&B::var>] |                               //
                                    raw[lit("##") >> run<kTokenRest>][feed<&B::special_number>] |         //
                                    raw[lit("#\"") >> run<kAny>][feed<&B::unterminated_string>] |         //
                                    raw[lit("#?") >> -lit('@')][feed<&B::reader_conditional>] |           //
                                    raw[lit("#^")][feed<&B::metadata>] |                                  //
                                    raw['#' >> (lit("::") | lit(':') | lit('=') | lit('\'') | x3::eps) >> //
                                        run<kTokenRest>][feed<&B::unsupported_dispatch>]);

const auto quote = raw['\'' >> !number_start >> name][feed<&B::quoted_symbol>] | raw[lit('\'')][feed<&B::quote_prefix>];

const auto malformed =
    raw[lit(':') >> -lit(':') >> run<kTokenRest>][feed<&B::bad_keyword>] |
    raw['"' >> run<kAny>][feed<&B::unterminated_string>] | raw[SmartString{}][feed<&B::smart_string>] |
    raw[one<kSymbolFirst | kHigh> >> run<kTokenRest>][feed<&B::bad_name>] | raw[lit('^')][feed<&B::metadata>] |
    raw[lit('@') | lit('`') | lit("~@") | lit('~')][feed<&B::unsupported_prefix>] |
    raw[one<kAny>][feed<&B::bad_character>];

// The commonest first. `number` comes before `symbol`, as -1 is a number and - is a name.
const auto item = blanks | opening | closing | number | symbol | keyword | string | dispatch | quote | character |
                  comment | malformed;
const auto byte_order_mark = -lit("\xEF\xBB\xBF"); // some editors begin a file with it
const auto program = byte_order_mark >> *(go_on >> item);

} // namespace

void run_grammar(std::string_view text, FormBuilder& builder) {
    const char* first = text.data();
    x3::parse(first, text.data() + text.size(), x3::with<BuilderTag>(std::ref(builder))[program]);
}

} // namespace ptc
