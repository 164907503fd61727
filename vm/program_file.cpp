// Programs as bytes, and back from bytes that nobody vouches for.
//
// The writer goes through a program once, in the order that program_file.h draws. Pointers become names: a builtin or a
// core function by its name, a function of the program by its index, a constant of a prelude by the place that its
// owner knows. The reader mirrors it, makes every object anew through the constructors that all code uses, bounds each
// count by the bytes that are left, and runs the verifier over the result: what it accepts can be run. A file of
// another instruction set is refused by its fingerprint.
#include "vm/program_file.h"
#include "frontend/try.h"
#include "frontend/utf8.h"
#include "runtime/builtin.h"
#include "runtime/equality.h"
#include "runtime/freeze.h"
#include "runtime/function.h"
#include "runtime/map.h"
#include "runtime/number.h"
#include "runtime/regex.h"
#include "runtime/set.h"
#include "runtime/sorted_view.h"
#include "runtime/string.h"
#include "runtime/vector.h"
#include "vm/verifier.h"
#include <algorithm>
#include <cstring>

namespace ptc {
namespace {

constexpr std::string_view kMagic = "PTCB";
constexpr std::uint16_t kVersion = 3;
constexpr unsigned kMaxDepth = 512;
constexpr std::size_t kMaxArities = 256; ///< beside the first: more than there are numbers of parameters
constexpr std::size_t kBytesPerFuel = 8; ///< of the checksum
constexpr std::size_t kPiece = 1u << 15; ///< of what is gone through between two looks at the clock
constexpr std::size_t kMaxFunctions = 1u << 18, kMaxNames = 1u << 18; ///< a few bytes of a file make hundreds of them
constexpr std::size_t kMaxConstantBytes = 64u << 20;

enum class Tag : std::uint8_t {
    Nil,
    False,
    True,
    Integer,
    Double,
    String,
    Keyword,
    BigInteger,
    Vector,
    Map,
    Set,
    Regex,
    Var,
    Symbol,
    Builtin,
    OwnFunction,
    CoreFunction,
    Shape,
    Shared,
    SharedFunction,
};

constexpr std::uint64_t kNoBytes = 0xcbf29ce484222325u;

/// `h`: of what stands in front.
std::uint64_t checksum(std::string_view bytes, std::uint64_t h = kNoBytes) {
    for (char c : bytes)
        h = (h ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return h;
}

// Changes with any opcode, its order or its operands: old files are refused, not misread. A finer kind of operand
// counts as the general one: it says what is checked, not how a file is read.
std::uint64_t make_fingerprint() {
    std::string text;
    for (const OpInfo& info : kOpInfo) {
        text += info.mnemonic;
        for (Operand o : {info.a, info.b, info.c, info.w})
            text += static_cast<char>('a' + static_cast<int>(general_kind(o)));
    }
    for (std::string_view name : kPredicateNames)
        text += name;
    return checksum(text);
}

std::uint64_t fingerprint() {
    static const std::uint64_t made = make_fingerprint();
    return made;
}

// ---- writing
// ---------------------------------------------------------------------------------------------------------

class Writer {
public:
    Writer(const Program& program, const SharedConstants& shared) : program_(program), shared_(shared) {}

    std::string run() {
        out_ += kMagic;
        fixed(kVersion);
        fixed(fingerprint());
        text(program_.source.name());
        text(program_.source.text());
        for (const auto* names : {&program_.defined_names, &program_.data_names, &program_.tool_names}) {
            size(names->size());
            for (const std::string& n : *names)
                text(n);
        }
        size(static_cast<std::uint64_t>(program_.compile_cost));
        size(program_.functions.size());
        for (const auto& f : program_.functions)
            header(*f);
        for (const auto& f : program_.functions)
            body(*f);
        fixed(checksum(out_));
        return std::move(out_);
    }

private:
    template <class T> void fixed(T value) { out_.append(reinterpret_cast<const char*>(&value), sizeof value); }
    void size(std::uint64_t n) {
        for (; n >= 0x80; n >>= 7)
            out_ += static_cast<char>(n | 0x80);
        out_ += static_cast<char>(n);
    }
    void text(std::string_view s) {
        size(s.size());
        out_ += s;
    }
    void tag(Tag t) { out_ += static_cast<char>(t); }

    void header(const FunctionProto& f) {
        text(f.name_text);
        text(f.doc_text);
        text(f.parameters_text);
        size(f.param_count);
        size(f.variadic);
        size(f.capture_count);
        size(f.frame_size);
        size(f.entry_cost);
        size(f.next_arity ? f.next_arity->index + 1 : 0);
    }

    void body(const FunctionProto& f) {
        size(f.code.size());
        for (std::size_t i = 0; i < f.code.size();) {
            const OpInfo& info = op_info(word_op(f.code[i]));
            fixed(f.code[i]);
            if (info.words() == 2) {
                if (info.w == Operand::Native32)
                    text(builtin_at(f.code[i + 1]).name);
                else
                    fixed(f.code[i + 1]);
            }
            i += info.words();
        }
        out_.append(reinterpret_cast<const char*>(f.takes.data()), f.takes.size());
        for (const Span& s : f.spans) {
            size(s.begin);
            size(s.end);
        }
        size(f.constants.size());
        for (Bits b : f.constants) {
            Value v = Value::adopt(b);
            constant(v);
            (void)v.give_up();
        }
    }

    // Constants come from source text, so their depth is bounded by the reader's nesting limit.
    void constant(const Value& v) {
        if (v.is_nil()) return tag(Tag::Nil);
        if (v.is_boolean()) return tag(v.is_true() ? Tag::True : Tag::False);
        if (v.is_small_integer()) {
            tag(Tag::Integer);
            return fixed(v.small_integer());
        }
        if (v.is_double()) {
            tag(Tag::Double);
            return fixed(v.as_double());
        }
        if (v.is_builtin()) {
            tag(Tag::Builtin);
            return text(builtin_at(v.builtin_index()).name);
        }
        if (v.is_static_function()) return function(*static_cast<const FunctionProto*>(v.static_function()));
        object(v);
    }

    void function(const FunctionProto& f) {
        if (f.program == &program_) {
            tag(Tag::OwnFunction);
            return size(f.index);
        }
        const auto shared = std::ranges::find(shared_.programs, f.program);
        const bool has_name = f.name_text.find('/') != std::string::npos; // of a prelude's definition
        if (shared != shared_.programs.end() && !has_name) {
            tag(Tag::SharedFunction);
            fixed(shared_.fingerprint);
            size(static_cast<std::uint64_t>(shared - shared_.programs.begin()));
            return size(f.index);
        }
        tag(Tag::CoreFunction);
        text(f.name_text);
        size(0); // which of its arities: a value is the first, which leads to the others
    }

    /// Whether it is of another heap than the program's, and that is known on both sides.
    bool is_shared(const Value& v) {
        const bool is_static = v.raw() == empty_vector().raw() || v.raw() == empty_map().raw() ||
                               v.raw() == empty_set().raw() || shared_string_number(v.object()) < kSharedStrings;
        if (!shared_.write || is_static || &Heap::of(v.object()) == &program_.heap) return false;
        ByteWriter place;
        if (!shared_.write(v.object(), place)) return false;
        tag(Tag::Shared);
        text(place.bytes());
        return true;
    }

    void object(const Value& v) {
        if (is_shared(v)) return;
        switch (v.type()) {
        case ObjectType::String: tag(Tag::String); return text(text_of(v));
        case ObjectType::Keyword: tag(Tag::Keyword); return text(text_of(v));
        case ObjectType::Var: tag(Tag::Var); return text(text_of(v));
        case ObjectType::Symbol: tag(Tag::Symbol); return text(text_of(v));
        case ObjectType::BigInteger: tag(Tag::BigInteger); return text(number_to_text(v));
        case ObjectType::Regex: tag(Tag::Regex); return text(regex_source(v));
        case ObjectType::Shape: {
            const auto* shape = static_cast<const ShapeObject*>(v.object());
            tag(Tag::Shape);
            PTC_ASSERT(!shape->is_typed()); // no literal has a type, and no constant: record-of% is not folded
            size(shape->count);
            for (std::uint32_t i = 0; i < shape->count; ++i)
                constant(shape->keys()[i]);
            return;
        }
        default: return collection(v);
        }
    }

    void collection(const Value& v) {
        if (v.is_vector()) {
            tag(Tag::Vector);
            const VectorReader reader(v);
            size(reader.size());
            for (std::size_t i = 0; i < reader.size(); ++i)
                constant(reader.at(i));
        } else if (v.is_map()) {
            tag(Tag::Map);
            const Result<MapView> view = MapView::of(scratch_, v);
            size(view.value().size());
            for (std::size_t i = 0; i < view.value().size(); ++i) {
                constant(view.value().key(i));
                constant(view.value().value(i));
            }
        } else if (!v.is_set()) {
            tag(Tag::Nil); // times, ranges and closures come from preludes only, so they are shared
        } else {
            tag(Tag::Set);
            const Result<Value> items = set_items(scratch_, v);
            const VectorReader reader(items.value());
            size(reader.size());
            for (std::size_t i = 0; i < reader.size(); ++i)
                constant(reader.at(i));
        }
    }

    const Program& program_;
    const SharedConstants& shared_;
    std::string out_;
    Heap scratch_; ///< for the order of keys
};

// ---- reading
// ---------------------------------------------------------------------------------------------------------

class Reader {
public:
    Reader(std::string_view bytes, const FunctionResolver& resolve, const SharedConstants& shared, const Meter& budget)
        : bytes_(bytes), resolve_(resolve), shared_(shared) {
        program_->heap.meter = budget;
        program_->heap.set_limit(kMaxConstantBytes);
    }

    Result<std::unique_ptr<Program>> run() {
        if (!is_program_file(bytes_)) return bad("this is no .ptcb file");
        at_ = kMagic.size();
        if (PTC_TRY(fixed<std::uint16_t>()) != kVersion) return bad("this version of the format is not known");
        if (PTC_TRY(fixed<std::uint64_t>()) != fingerprint())
            return bad("the file was made for another instruction set");
        if (bytes_.size() < at_ + 8) return bad("the file is cut short");
        std::uint64_t sum, found = kNoBytes;
        std::memcpy(&sum, bytes_.data() + bytes_.size() - 8, 8);
        bytes_.remove_suffix(8);
        for (std::size_t i = 0; i < bytes_.size(); i += kPiece) {
            PTC_CHECK(pay(kPiece / kBytesPerFuel));
            found = checksum(bytes_.substr(i, kPiece), found);
        }
        if (sum != found) return bad("the checksum is wrong");
        std::string name(PTC_TRY(text()));
        std::string source(PTC_TRY(text()));
        program_->source = Source(std::move(name), std::move(source));
        for (auto* names : {&program_->defined_names, &program_->data_names, &program_->tool_names}) {
            const std::size_t n = PTC_TRY(count(1));
            if (n > kMaxNames) return bad("too many names");
            for (std::size_t i = 0; i < n; ++i)
                names->emplace_back(PTC_TRY(text()));
        }
        program_->compile_cost = static_cast<std::int64_t>(PTC_TRY(size()) & 0x7FFF'FFFF'FFFF);
        const std::size_t functions = PTC_TRY(count(8));
        if (functions > kMaxFunctions) return bad("too many functions");
        for (std::size_t i = 0; i < functions; ++i)
            program_->functions.push_back(std::make_unique<FunctionProto>());
        PTC_CHECK(pay(functions));
        for (std::size_t i = 0; i < functions; ++i)
            PTC_CHECK(header(*program_->functions[i], static_cast<std::uint32_t>(i)));
        for (auto& f : program_->functions)
            PTC_CHECK(body(*f));
        if (at_ != bytes_.size()) return bad("there are bytes behind the end");
        PTC_CHECK(check_arity_chains());
        program_->heap.freeze();
        note_by_need(*program_);
        PTC_CHECK(verify(*program_, program_->heap.meter));
        program_->heap.meter = Meter();
        return std::move(program_);
    }

private:
    Error bad(const char* what) const {
        return Error(Reason::InvalidBytecode, std::string("Cannot load the program: ") + what + ".");
    }

    Result<void> pay(std::size_t work) {
        Meter& meter = program_->heap.meter;
        return meter.charge(static_cast<std::int64_t>(work)) ? Result<void>() : meter.error();
    }

    template <class T> Result<T> fixed() {
        if (bytes_.size() - at_ < sizeof(T)) return bad("the file is cut short");
        T value;
        std::memcpy(&value, bytes_.data() + at_, sizeof value);
        at_ += sizeof value;
        return value;
    }
    Result<std::uint64_t> size() {
        std::uint64_t n = 0;
        for (unsigned shift = 0; shift < 63; shift += 7) {
            const auto byte = PTC_TRY(fixed<std::uint8_t>());
            n |= std::uint64_t{byte & 0x7Fu} << shift;
            if (byte < 0x80) return n;
        }
        return bad("a number is too long");
    }
    /// A number of things that take at least `each` bytes: bounds what is reserved by what is there.
    Result<std::size_t> count(std::size_t each) {
        const std::uint64_t n = PTC_TRY(size());
        if (n > (bytes_.size() - at_) / each) return bad("a count is larger than the file");
        return static_cast<std::size_t>(n);
    }
    Result<std::string_view> text() {
        const std::size_t n = PTC_TRY(count(1));
        const std::string_view s = bytes_.substr(at_, n);
        at_ += n;
        if (utf8::find_invalid(s) != utf8::kValid) return bad("a text is not UTF-8");
        return s;
    }

    Result<void> header(FunctionProto& f, std::uint32_t index) {
        f.program = program_.get();
        f.index = index;
        f.name_text = PTC_TRY(text());
        f.doc_text = PTC_TRY(text());
        f.parameters_text = PTC_TRY(text());
        f.parameters = f.parameters_text.c_str();
        f.name = f.name_text.c_str();
        f.doc = f.doc_text.empty() ? nullptr : f.doc_text.c_str();
        const std::uint64_t params = PTC_TRY(size());
        if (params > 200) return bad("a function with too many parameters");
        f.param_count = static_cast<std::uint8_t>(params);
        f.variadic = PTC_TRY(size()) != 0;
        f.exact_arity = f.variadic ? 255 : f.param_count;
        f.min_arity = f.max_arity = static_cast<std::uint8_t>(params - (f.variadic && params > 0 ? 1 : 0));
        f.capture_count = static_cast<std::uint16_t>(PTC_TRY(size()) & 0xFFFF);
        f.frame_size = static_cast<std::uint32_t>(PTC_TRY(size()) & 0xFFFF);
        f.entry_cost = static_cast<std::uint32_t>(PTC_TRY(size()) & 0xFFFFFFF);
        const std::uint64_t next = PTC_TRY(size());
        if (next > program_->functions.size()) return bad("an arity of no function");
        f.next_arity = next ? program_->functions[next - 1].get() : nullptr;
        return {};
    }

    // A chain that runs in a circle would hang the call that looks for an arity, and a long one would make it dear. A
    // function that two chains have would have two first arities.
    Result<void> check_arity_chains() {
        std::vector<bool> is_later(program_->functions.size(), false);
        for (const auto& f : program_->functions) {
            if (!f->next_arity) continue;
            if (is_later[f->next_arity->index]) return bad("an arity of two functions");
            if (f->next_arity->capture_count != f->capture_count) return bad("arities that capture different values");
            is_later[f->next_arity->index] = true;
        }
        std::size_t chained = 0;
        for (const auto& f : program_->functions) {
            if (is_later[f->index]) continue;
            std::size_t length = 0;
            for (const FunctionProto* p = f->next_arity; p; p = p->next_arity) {
                if (++length > kMaxArities) return bad("a function with too many arities");
                program_->functions[p->index]->first_arity = f.get();
            }
            chained += 1 + length;
        }
        if (chained != program_->functions.size()) return bad("arities in a circle");
        return {};
    }

    Result<void> body(FunctionProto& f) {
        const std::size_t words = PTC_TRY(count(4));
        f.code.reserve(words);
        f.takes.reserve(words);
        f.spans.reserve(words);
        while (f.code.size() < words) {
            PTC_CHECK(pay(1));
            const Word w = PTC_TRY(fixed<Word>());
            if ((w & 0xFF) >= kOpCount) return bad("an unknown instruction");
            f.code.push_back(w);
            const OpInfo& info = op_info(word_op(w));
            if (info.words() == 1) continue;
            if (info.w != Operand::Native32) {
                f.code.push_back(PTC_TRY(fixed<Word>()));
                continue;
            }
            const int builtin = find_builtin(PTC_TRY(text()));
            if (builtin < 0) return bad("an unknown builtin");
            f.code.push_back(static_cast<Word>(builtin));
        }
        if (f.code.size() != words) return bad("code of another length");
        for (std::size_t i = 0; i < words; ++i)
            f.takes.push_back(PTC_TRY(fixed<std::uint8_t>()));
        for (std::size_t i = 0; i < words; ++i) {
            PTC_CHECK(pay(1));
            const std::uint64_t begin = PTC_TRY(size()), end = PTC_TRY(size());
            if (begin > end || end > program_->source.text().size()) return bad("a span outside of the source");
            f.spans.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)});
        }
        const std::size_t constants = PTC_TRY(count(1));
        f.constants.reserve(constants);
        for (std::size_t i = 0; i < constants; ++i) {
            Value v = PTC_TRY(constant(0));
            if (v.is(ObjectType::Shape)) {
                f.constants.push_back((v.give_up() & bits::kPointerMask) | bits::kFrozen);
                continue;
            }
            freeze_value(v);
            f.constants.push_back(v.give_up());
        }
        return {};
    }

    Result<Value> constant(unsigned depth) {
        if (depth > kMaxDepth) return bad("a constant nested too deep");
        Heap& heap = program_->heap;
        PTC_CHECK(pay(1));
        switch (static_cast<Tag>(PTC_TRY(fixed<std::uint8_t>()))) {
        case Tag::Nil: return Value();
        case Tag::False: return Value::boolean(false);
        case Tag::True: return Value::boolean(true);
        case Tag::Integer: {
            const auto i = PTC_TRY(fixed<std::int64_t>());
            if (!bits::fits_integer(i)) return bad("an integer outside of its range");
            return Value::small_integer(i);
        }
        case Tag::Double: return Value::number(PTC_TRY(fixed<double>()));
        case Tag::String: return make_string(heap, PTC_TRY(text()));
        case Tag::Keyword: return make_keyword(heap, PTC_TRY(text()));
        case Tag::Var: return make_var(heap, PTC_TRY(text()));
        case Tag::Symbol: return make_symbol(heap, PTC_TRY(text()));
        case Tag::BigInteger: {
            const std::string_view digits = PTC_TRY(text());
            const std::size_t sign = !digits.empty() && digits[0] == '-';
            if (digits.size() == sign || digits.find_first_not_of("0123456789", sign) != std::string_view::npos)
                return bad("an integer with other characters");
            return parse_integer(heap, digits);
        }
        case Tag::Regex: return make_regex(heap, PTC_TRY(text()));
        case Tag::Vector: return vector(depth);
        case Tag::Map: return map(depth);
        case Tag::Set: return set(depth);
        case Tag::Builtin: {
            const int index = find_builtin(PTC_TRY(text()));
            if (index < 0) return bad("an unknown builtin");
            return Value::builtin(static_cast<std::uint32_t>(index));
        }
        case Tag::OwnFunction: {
            const std::uint64_t index = PTC_TRY(size());
            if (index >= program_->functions.size()) return bad("no such function");
            return Value::function(program_->functions[index].get());
        }
        case Tag::CoreFunction: {
            const std::string_view name = PTC_TRY(text());
            const std::uint64_t index = PTC_TRY(size());
            const FunctionProto* f = resolve_ ? resolve_(name, static_cast<std::uint32_t>(index)) : nullptr;
            if (!f) return bad("an unknown core function");
            return Value::function(f);
        }
        case Tag::Shape: return shape();
        case Tag::Shared: return shared_constant();
        case Tag::SharedFunction: return shared_function();
        }
        return bad("an unknown kind of constant");
    }

    Result<Value> shared_function() {
        const auto fingerprint = PTC_TRY(fixed<std::uint64_t>());
        const std::uint64_t program = PTC_TRY(size()), index = PTC_TRY(size());
        const bool is_known = fingerprint == shared_.fingerprint && program < shared_.programs.size() &&
                              index < shared_.programs[program]->functions.size();
        if (!is_known) return bad("a function of no prelude");
        return Value::function(shared_.programs[program]->functions[index].get());
    }

    Result<Value> shared_constant() {
        const std::size_t n = PTC_TRY(count(1));
        ByteReader place(bytes_.substr(at_, n));
        at_ += n;
        const Bits found = shared_.read ? shared_.read(place) : bits::kHole;
        if (!bits::is_object(found) || bits::to_object(found)->type >= ObjectType::Shape)
            return bad("a constant of no prelude");
        return Value::adopt(found);
    }

    Result<Value> vector(unsigned depth) {
        const std::size_t n = PTC_TRY(count(1));
        VectorBuilder builder(program_->heap);
        for (std::size_t i = 0; i < n; ++i) {
            if (!builder.push(PTC_TRY(value(depth + 1)))) break;
        }
        return builder.finish();
    }
    Result<Value> map(unsigned depth) {
        const std::size_t n = PTC_TRY(count(2));
        Value result = empty_map();
        for (std::size_t i = 0; i < n; ++i) {
            Value key = PTC_TRY(value(depth + 1));
            result =
                PTC_TRY(map_assoc_exact(program_->heap, std::move(result), std::move(key), PTC_TRY(value(depth + 1))));
        }
        return with_view(std::move(result));
    }
    Result<Value> set(unsigned depth) {
        const std::size_t n = PTC_TRY(count(1));
        Value result = empty_set();
        for (std::size_t i = 0; i < n; ++i)
            result = PTC_TRY(set_conj(program_->heap, std::move(result), PTC_TRY(value(depth + 1))));
        return with_view(std::move(result));
    }
    /// As constants have it when they were just compiled: what a run costs must not depend on where its code comes
    /// from.
    Value with_view(Value collection) {
        if (!collection.is(ObjectType::Record)) prepare_views(program_->heap, collection);
        return collection;
    }
    /// An item of a collection: anything but a shape, and no function that captures.
    Result<Value> value(unsigned depth) {
        Value v = PTC_TRY(constant(depth));
        if (v.is(ObjectType::Shape)) return bad("a shape as a value");
        if (v.is_static_function() && static_cast<const FunctionProto*>(v.static_function())->capture_count != 0)
            return bad("a closure as a constant");
        return v;
    }

    Result<Value> shape() {
        const std::size_t n = PTC_TRY(count(2));
        if (n == 0 || n > ShapeObject::kMaxFields) return bad("a shape of impossible size");
        std::vector<Value> keys;
        for (std::size_t i = 0; i < n; ++i) {
            Value key = PTC_TRY(constant(kMaxDepth));
            if ((!key.is_string() && !key.is_keyword()) || text_of(key).size() > 64)
                return bad("a field name that is no key");
            freeze_value(key);
            if (i > 0 && !is_before(keys.back(), key)) return bad("a shape out of order");
            keys.push_back(std::move(key));
        }
        ShapeObject* object = program_->shapes.intern(keys);
        if (!object) return program_->heap.out_of_memory();
        object->refs = kImmortal;
        return Value::adopt(bits::kFrozen | reinterpret_cast<Bits>(static_cast<Object*>(object)));
    }
    bool is_before(const Value& a, const Value& b) const { return total_order(program_->heap, a, b) < 0; }

    std::string_view bytes_;
    const FunctionResolver& resolve_;
    const SharedConstants& shared_;
    std::size_t at_ = 0;
    std::unique_ptr<Program> program_ = std::make_unique<Program>();
};

} // namespace

std::string write_program(const Program& program, const SharedConstants& shared) {
    return Writer(program, shared).run();
}

void seal_program_file(std::string& bytes) {
    constexpr std::size_t kHeader = kMagic.size() + sizeof kVersion + sizeof(std::uint64_t);
    if (bytes.size() < kHeader + sizeof(std::uint64_t)) return;
    const std::uint64_t print = fingerprint();
    std::memcpy(bytes.data(), kMagic.data(), kMagic.size());
    std::memcpy(bytes.data() + kMagic.size(), &kVersion, sizeof kVersion);
    std::memcpy(bytes.data() + kMagic.size() + sizeof kVersion, &print, sizeof print);
    const std::uint64_t sum = checksum(std::string_view(bytes).substr(0, bytes.size() - sizeof sum));
    std::memcpy(bytes.data() + bytes.size() - sizeof sum, &sum, sizeof sum);
}

std::uint64_t instruction_set_fingerprint() { return fingerprint(); }

bool is_program_file(std::string_view bytes) { return bytes.starts_with(kMagic); }

Result<std::unique_ptr<Program>> read_program(std::string_view bytes, const FunctionResolver& resolve,
                                              const SharedConstants& shared, const Meter& budget) {
    return Reader(bytes, resolve, shared, budget).run();
}

} // namespace ptc
