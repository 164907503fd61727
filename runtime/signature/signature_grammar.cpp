// The text form of signatures as X3 rules. The grammar is predictive: the next byte decides which alternative is taken,
// so no action ever runs for a text that is read again otherwise. Where nothing fits, `must<What>` reports what was
// looked for and the whole parse ends: the first error is the one that counts.
#include "runtime/signature/signature_grammar.h"

#include "frontend/byte_class.h"
#include <boost/spirit/home/x3.hpp>

namespace ptc {
namespace {

enum CharClass : std::uint8_t {
    kBlank = 1 << 0,
    kNameFirst = 1 << 1,
    kNameRest = 1 << 2,
    kDigit = 1 << 3,
    kPlain = 1 << 4, ///< stands for itself in a string
    kKeyword = 1 << 5,
    kAny = 1 << 6,
};

constexpr ByteClasses make_classes() {
    ByteClasses classes;
    for (unsigned c = 0; c < 256; ++c)
        classes.mark(static_cast<unsigned char>(c), c != '"' && c != '\\' ? kAny | kPlain : kAny);
    classes.mark(" \t\n\r", kBlank);
    classes.mark("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", kNameFirst | kNameRest | kKeyword);
    classes.mark("0123456789", kDigit | kNameRest | kKeyword);
    classes.mark("-", kNameRest | kKeyword);
    classes.mark("+*<>=?!", kKeyword);
    return classes;
}
constexpr ByteClasses kClasses = make_classes();

template <unsigned Classes> constexpr OneOf<kClasses, Classes> one{};
template <unsigned Classes> constexpr RunOf<kClasses, Classes> run{};

struct BuilderTag;

template <class Context> SignatureBuilder& builder(const Context& context) {
    return x3::get<BuilderTag>(context).get();
}

/// The last alternative: reports what was looked for here. Never matches.
template <Expected What> struct Must : x3::parser<Must<What>> {
    using attribute_type = x3::unused_type;
    static constexpr bool has_attribute = false;
    template <class It, class Context, class RuleContext, class Attribute>
    bool parse(It& first, const It&, const Context& context, RuleContext&, Attribute&) const {
        return builder(context).mismatch(What, first);
    }
};
template <Expected What> constexpr Must<What> must{};

template <class Context> SignatureBuilder::Token token(const Context& context) {
    const auto& range = x3::_attr(context);
    return {range.begin(), static_cast<std::size_t>(range.end() - range.begin())};
}

/// Hands the token to a member of the builder; a member that returns false ends the parse.
template <auto Member> struct Feed {
    template <class Context> void operator()(const Context& context) const {
        if constexpr (std::is_same_v<decltype((builder(context).*Member)(token(context))), bool>) {
            x3::_pass(context) = (builder(context).*Member)(token(context));
        } else {
            (builder(context).*Member)(token(context));
        }
    }
};
template <auto Member> constexpr Feed<Member> feed{};

/// Calls a member of the builder when something is complete; false from it ends the reading.
template <auto Member> struct Notify {
    template <class Context> void operator()(const Context& context) const {
        if constexpr (std::is_same_v<decltype((builder(context).*Member)()), bool>) {
            x3::_pass(context) = (builder(context).*Member)();
        } else {
            (builder(context).*Member)();
        }
    }
};
template <auto Member> constexpr Notify<Member> notify{};

using B = SignatureBuilder;
using x3::eps;
using x3::lit;
using x3::raw;

const auto ws = run<kBlank>;
const auto name = raw[one<kNameFirst> >> run<kNameRest>][feed<&B::name>];

// :int[>0 <100], :int[1..100]
const auto digits = one<kDigit> >> run<kDigit>;
const auto number = -lit('-') >> digits >> -('.' >> digits) >>
                    -((lit('e') | lit('E')) >> -(lit('-') | lit('+')) >> digits);
const auto comparison = lit(">=") | lit("<=") | lit("!=") | lit('>') | lit('<') | lit('=');
const auto limit = raw[number][feed<&B::bound>] | must<Expected::Constraint>;
const auto constraint = raw[comparison][feed<&B::bound_operator>] >> ws >> limit >> ws;
const auto range_end = raw[number][feed<&B::range_end>] | must<Expected::Constraint>;
const auto range = raw[number][feed<&B::range_start>] >> ws >> (lit("..") | must<Expected::Constraint>) >> ws
                   >> range_end >> ws;
const auto constraints = (&(-lit('-') >> one<kDigit>) >> range) | (&comparison >> +constraint);
const auto bounds = raw[lit('[')][feed<&B::open_bounds>] >> ws >> (constraints | must<Expected::Constraint>) >>
                    (lit(']') | must<Expected::Constraint>);

// :enum[pending "in progress" :done 3]
const auto string = '"' >> run<kPlain> >> *('\\' >> one<kAny> >> run<kPlain>) >> '"';
const auto word = raw[one<kNameFirst> >> *(one<kNameRest> | lit('.'))][feed<&B::choice_word>];
const auto keyword = raw[':' >> ((one<kKeyword> >> run<kKeyword>) | string)][feed<&B::choice_keyword>];
const auto choice = word | keyword | raw[string][feed<&B::choice_string>] | raw[number][feed<&B::choice_number>];
const auto between_choices =
    (one<kBlank> >> ws >> -(lit(',') >> ws)) | (lit(',') >> ws) | &lit(']') | must<Expected::EnumChoice>;
const auto choices = raw[lit('[')][feed<&B::open_choices>] >> ws >> *(choice >> between_choices) >>
                     (raw[lit(']')][feed<&B::close_choices>] | must<Expected::EnumChoice>);

const x3::rule<struct TypeRule> type = "type";

const auto word_end = !one<kNameRest>;
const auto primitive = raw[':' >> one<kNameFirst> >> run<kNameRest>][feed<&B::primitive>] >> -(&lit('[') >> bounds);
const auto enumeration = lit(":enum") >> word_end >> (&lit('[') | must<Expected::EnumChoice>) >> choices;

const auto list = raw[lit('[')][feed<&B::open_list>] >> ws >> (raw[lit(']')][feed<&B::empty_list>] | type) >> ws >>
                  ((lit(']') >> eps[notify<&B::close_list>]) | must<Expected::EndOfList>);

// One spelling has commas, `{id :int, name :string}`; the other colons, `{:id :int :name :string}`, and needs none.
const auto field = -lit(':') >> (name | must<Expected::Name>) >> ws >> type >> eps[notify<&B::end_field>];
const auto next_field = (lit(',') >> ws >> field) | (&lit(':') >> field);
const auto fields = field >> ws >> *(next_field >> ws);
const auto record = raw[lit('{')][feed<&B::open_record>] >> ws >> (&lit('}') | fields) >>
                    ((lit('}') >> eps[notify<&B::close_record>]) | must<Expected::Comma>);

const auto nil = raw[lit(":nil") >> word_end][feed<&B::nil>];
const auto atom = enumeration | nil | primitive | list | record | must<Expected::Type>;
const auto
    more_alternatives = eps[notify<&B::begin_union>] >>
                        +(ws >> '|' >> ws >> atom >> eps[notify<&B::end_alternative>]) >> eps[notify<&B::end_union>];
const auto type_def = atom >> ((&(ws >> '|') >> more_alternatives) | eps[notify<&B::end_type>]) >>
                      -(lit('?') >> eps[notify<&B::optional>]);
BOOST_SPIRIT_DEFINE(type)

const auto param = (name | must<Expected::ParameterName>) >> ws >> type >> eps[notify<&B::end_field>];
const auto params = raw[lit('(')][feed<&B::open_params>] >> ws >>
                    (&lit(')') | (param >> ws >> *(lit(',') >> ws >> param >> ws))) >>
                    ((lit(')') >> eps[notify<&B::close_params>]) | must<Expected::Comma>);
const auto arrow = lit("->") | must<Expected::Arrow>;
const auto full = params >> ws >> arrow >> ws >> type;
const auto signature = ws >> ((&lit('(') >> full) | type) >> ws >> (x3::eoi | must<Expected::End>);

} // namespace

bool run_signature_grammar(std::string_view text, SignatureBuilder& builder) {
    const char* first = text.data();
    return x3::parse(first, text.data() + text.size(), x3::with<BuilderTag>(std::ref(builder))[signature]) &&
           !builder.error();
}

} // namespace ptc
