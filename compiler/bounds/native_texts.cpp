// Models of builtins on text and of printing. Texts are known by their bytes at most; each model allows a few passes
// over them. Printing escapes, which at worst doubles a text, and goes through the whole of a value.
#include "compiler/bounds/native_models.h"

namespace ptc::native {
namespace {

using namespace kinds;

/// Text of at most this many bytes is searched, copied or mapped a few times.
NativeBound text_work(Args args, AbstractValue result) {
    double bytes = 0;
    for (const AbstractValue& arg : args)
        bytes += text_bytes(arg);
    return {16 + 4 * bytes, std::move(result)};
}

double printed_bytes(Args args) {
    double bytes = 0;
    for (const AbstractValue& arg : args)
        bytes += 1 + (arg.must_be(kText | kNil) ? 2 * arg.most + 2 : text_bytes(arg));
    return bytes;
}
double printing_cost(Args args) {
    return 4 * total_walk_cost(args) + printed_bytes(args) / 2 + 4 * static_cast<double>(args.size()) + 8;
}

NativeBound str(Args args) {
    double bytes = 0;
    for (const AbstractValue& arg : args)
        bytes += arg.must_be(kInteger) ? 17 : text_bytes(arg);
    return {printing_cost(args), text(bytes)};
}
NativeBound printed_text(Args args) { return {printing_cost(args), text(printed_bytes(args))}; }
NativeBound prints(Args args) { return {printing_cost(args), nothing()}; }

NativeBound join_texts(Args args) {
    const AbstractValue items = as_sequence(args.back());
    const AbstractValue item = item_of(items);
    const double separator = args.size() == 2 ? text_bytes(args[0]) : 0;
    const double bytes = times(items.most, (item.must_be(kInteger) ? 17 : text_bytes(item)) + separator);
    return {sequence_cost(args.back()) + 4 * items.walk_cost + 2 * items.most + bytes / 2 +
                printing_cost(args.first(1)),
            text(bytes)};
}

NativeBound mapped_text(Args args) { return text_work(args, text(4 * args[0].most + 4)); }
NativeBound piece_of_text(Args args) {
    return text_work(args.first(1), or_nil(text(args[0].must_be(kText | kNil) ? args[0].most : text_bytes(args[0]))));
}
NativeBound text_search(Args args, AbstractValue result) {
    NativeBound search = text_work(args, std::move(result));
    // The part may begin at each place of the text, and differ at its end.
    if (args.size() > 1) search.cost += times(text_bytes(args[0]), 1 + text_bytes(args[1]) / 8);
    return search;
}
NativeBound text_question(Args args) { return text_search(args, flag()); }
NativeBound place_in_text(Args args) { return text_search(args, or_nil(integer(-1, bits::kMaxInteger))); }
NativeBound number_in_text(Args args) {
    return text_work(args.first(1), join(big_result(1, 0), scalar(kDouble | kBoolean | kNil)));
}
NativeBound lines(Args args) {
    const double bytes = text_bytes(args[0]);
    AbstractValue all = vector_of(text(bytes), 0, bytes + 1);
    all.walk_cost = std::min(all.walk_cost, 8 + 8 * bytes); // the lines share the text
    NativeBound work = text_work(args, std::move(all));
    work.cost += 8 * bytes;
    return made(work.cost, std::move(work.result));
}
/// Dates, times and what they consist of are small.
NativeBound of_time(Args args) {
    AbstractValue result = join(big_result(2, 0), scalar(kOther | kBoolean | kDouble | kNil));
    double bytes = 16;
    for (const AbstractValue& arg : args)
        bytes += arg.may_be(kText) ? arg.most : 0;
    result = join(result, text(64));
    result.kinds &= static_cast<std::uint16_t>(~kText);
    return {4 * bytes, std::move(result)};
}
NativeBound name_of(Args args) { return text_work(args, text(text_bytes(args[0]))); }
NativeBound keyword_of(Args args) {
    double bytes = 1; // the slash behind a namespace
    for (const AbstractValue& arg : args)
        bytes += text_bytes(arg);
    AbstractValue keyword = text(bytes);
    keyword.kinds = kKeyword | kNil;
    return text_work(args, std::move(keyword));
}

} // namespace

namespace {

constexpr ModelRow kTextRows[] = {
    {BoundModel::Str, str, true},
    {BoundModel::PrintedText, printed_text, true},
    {BoundModel::Prints, prints, true},
    {BoundModel::JoinTexts, join_texts},
    {BoundModel::MappedText, mapped_text},
    {BoundModel::PieceOfText, piece_of_text},
    {BoundModel::TextQuestion, text_question},
    {BoundModel::PlaceInText, place_in_text},
    {BoundModel::NumberInText, number_in_text},
    {BoundModel::Lines, lines},
    {BoundModel::OfTime, of_time},
    {BoundModel::NameOf, name_of},
    {BoundModel::KeywordOf, keyword_of},
};

} // namespace

std::span<const ModelRow> text_models() { return kTextRows; }

} // namespace ptc::native
