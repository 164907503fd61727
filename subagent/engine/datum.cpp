// Datum as JSON and back. Reading goes through a VM's heap, as programs read JSON, so that numbers and keys come out
// the same on both sides of the boundary; writing is a walk over the tree. DEL stays as it is, as
// traces and cache keys have always had it.
#include "ptc/datum.h"
#include "frontend/json_text.h"
#include "frontend/try.h"
#include "frontend/utf8.h"
#include "runtime/json.h"
#include "runtime/number.h"
#include "subagent/engine/convert.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

namespace ptc {
namespace {

void write_string(std::string_view s, std::string& out) {
    // Hosts' texts may be any bytes: what is no UTF-8 is replaced, as JSON with it cannot be read.
    append_json_string(out, s, utf8::find_invalid(s) != utf8::kValid);
}

/// Within a key, keys that are no texts are not quoted once more: their text would double with each level.
enum class Within : std::uint8_t { Value, Key };

void write(const Datum& d, std::string& out, Within inside = Within::Value);

void write_items(const Datum::List& items, std::string& out, Within inside) {
    out += '[';
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i) out += ',';
        write(items[i], out, inside);
    }
    out += ']';
}

/// The texts of those keys of a map that are no keywords, when it has keywords too: sorted, for is_taken.
std::vector<std::string_view> texts_beside_keywords(const Datum::Map& entries) {
    std::vector<std::string_view> texts;
    bool has_keyword = false;
    for (const auto& [key, value] : entries) {
        if (const std::string* s = key.text()) texts.emplace_back(*s);
        has_keyword = has_keyword || key.get_if<Datum::Keyword>();
    }
    if (!has_keyword) texts.clear();
    std::sort(texts.begin(), texts.end());
    return texts;
}

/// No object has a name twice: a keyword beside the text of the same name keeps its colon.
void write_key(const Datum& key, const std::vector<std::string_view>& texts, std::string& out, Within inside) {
    if (const std::string* s = key.text()) return write_string(*s, out);
    if (const auto* k = key.get_if<Datum::Keyword>()) {
        const bool is_taken = std::binary_search(texts.begin(), texts.end(), std::string_view(k->name));
        return write_string(is_taken ? ":" + k->name : k->name, out);
    }
    if (inside == Within::Key) return write(key, out, Within::Key);
    std::string text;
    write(key, text, Within::Key);
    write_string(text, out);
}

void write(const Datum& d, std::string& out, Within inside) {
    if (d.is_nil()) {
        out += "null";
    } else if (const bool* b = d.get_if<bool>()) {
        out += *b ? "true" : "false";
    } else if (const auto* i = d.get_if<std::int64_t>()) {
        out += std::to_string(*i);
    } else if (const double* x = d.get_if<double>()) {
        if (std::isfinite(*x))
            append_double(*x, out);
        else
            out += "null";
    } else if (const auto* big = d.get_if<Datum::BigInteger>()) {
        out += big->digits;
    } else if (const std::string* s = d.text()) {
        write_string(*s, out);
    } else if (const auto* k = d.get_if<Datum::Keyword>()) {
        write_string(k->name, out);
    } else if (const auto* o = d.get_if<Datum::Opaque>()) {
        write_string(o->text, out);
    } else if (const auto* items = d.list()) {
        write_items(*items, out, inside);
    } else if (const auto* set = d.get_if<Datum::Set>()) {
        write_items(set->items, out, inside);
    } else if (const auto* entries = d.map()) {
        out += '{';
        const std::vector<std::string_view> texts = texts_beside_keywords(*entries);
        bool first = true;
        for (const auto& [key, value] : *entries) {
            if (!first) out += ',';
            first = false;
            write_key(key, texts, out, inside);
            out += ':';
            write(value, out, inside);
        }
        out += '}';
    }
}

} // namespace

// ---- Special members

static_assert(sizeof(Datum::Opaque) >= sizeof(Datum::Map) && sizeof(Datum::Opaque) >= sizeof(Datum::BigInteger));
static_assert(alignof(Datum::Opaque) == alignof(std::string) && alignof(std::string) >= alignof(Datum::Map));

template <class Act> void Datum::with_alternative(Kind kind, Act act) {
    switch (kind) {
    case Kind::Nil: return;
    case Kind::Bool: return act(std::type_identity<bool>());
    case Kind::Integer: return act(std::type_identity<std::int64_t>());
    case Kind::Float: return act(std::type_identity<double>());
    case Kind::BigInteger: return act(std::type_identity<BigInteger>());
    case Kind::Text: return act(std::type_identity<std::string>());
    case Kind::Keyword: return act(std::type_identity<Keyword>());
    case Kind::Opaque: return act(std::type_identity<Opaque>());
    case Kind::List: return act(std::type_identity<List>());
    case Kind::Set: return act(std::type_identity<Set>());
    case Kind::Map: return act(std::type_identity<Map>());
    }
}

// In front of the constructors, which begin with nil and are compiled without it then.
void Datum::clear() noexcept {
    const auto destroy = [this]() __attribute__((noinline)) {
        with_alternative(kind_, [this]<class T>(std::type_identity<T>) { std::destroy_at(part<T>()); });
    };
    if (kind_ == Kind::Text) // as most are that are not simply forgotten
        std::destroy_at(part<std::string>());
    else if (kind_ > Kind::Float)
        destroy();
    kind_ = Kind::Nil;
}

Datum::Datum() noexcept = default;
Datum::Datum(std::nullptr_t) noexcept {}
Datum::Datum(bool b) noexcept { emplace<bool>(b); }
Datum::Datum(int i) noexcept { emplace<std::int64_t>(i); }
Datum::Datum(std::int64_t i) noexcept { emplace<std::int64_t>(i); }
Datum::Datum(double d) noexcept { emplace<double>(d); }
Datum::Datum(std::string s) noexcept { emplace<std::string>(std::move(s)); }
Datum::Datum(std::string_view s) { emplace<std::string>(s); }
Datum::Datum(const char* s) { emplace<std::string>(s); }
Datum::Datum(Keyword k) noexcept { emplace<Keyword>(std::move(k)); }
Datum::Datum(BigInteger i) noexcept { emplace<BigInteger>(std::move(i)); }
Datum::Datum(Opaque o) noexcept { emplace<Opaque>(std::move(o)); }
Datum::Datum(List items) noexcept { emplace<List>(std::move(items)); }
Datum::Datum(Set items) noexcept { emplace<Set>(std::move(items)); }
Datum::Datum(Map entries) noexcept { emplace<Map>(std::move(entries)); }

Datum::Datum(const Datum& other) {
    if (const std::string* text = other.text())
        emplace<std::string>(*text);
    else
        with_alternative(other.kind_, [&]<class T>(std::type_identity<T>) { emplace<T>(*other.part<T>()); });
}

Datum::Datum(Datum&& other) noexcept { take(other); }

Datum& Datum::operator=(const Datum& other) { return *this = Datum(other); }

Datum& Datum::operator=(Datum&& other) noexcept {
    if (this == &other) return *this;
    // Either may be a part of the other: an item that its list becomes. What is to be there is made before that ends.
    Datum before;
    if (kind_ >= Kind::List) before.take(*this);
    clear();
    take(other);
    return *this;
}

Datum::~Datum() { clear(); }

void Datum::take(Datum& other) noexcept {
    if (other.kind_ <= Kind::Float) {
        std::memcpy(value_, other.value_, sizeof(double));
        kind_ = other.kind_;
    } else if (other.kind_ == Kind::Text) {
        emplace<std::string>(std::move(*other.part<std::string>()));
    } else {
        with_alternative(other.kind_, [&]<class T>(std::type_identity<T>) { emplace<T>(std::move(*other.part<T>())); });
    }
}

bool operator==(const Datum& a, const Datum& b) {
    if (a.kind_ != b.kind_) return false;
    bool is_same = true;
    Datum::with_alternative(a.kind_,
                            [&]<class T>(std::type_identity<T>) { is_same = *a.get_if<T>() == *b.get_if<T>(); });
    return is_same;
}

// ---- Making and reading

Datum Datum::texts(const std::vector<std::string>& items) { return Datum(List(items.begin(), items.end())); }

Datum Datum::object(std::vector<std::pair<std::string, Datum>> entries) {
    Map map;
    map.reserve(entries.size());
    for (auto& [key, value] : entries)
        map.emplace_back(Datum(std::move(key)), std::move(value));
    return Datum(std::move(map));
}

const Datum* Datum::find(std::string_view key) const {
    const Map* entries = map();
    if (!entries) return nullptr;
    for (const auto& [k, v] : *entries) {
        const std::string* s = k.text();
        if (!s) {
            const Keyword* keyword = k.get_if<Keyword>();
            s = keyword ? &keyword->name : nullptr;
        }
        if (s && *s == key) return &v;
    }
    return nullptr;
}

const Datum& Datum::nil() {
    static const Datum& nil = *new Datum; // never destroyed: a host may look at values when its statics end
    return nil;
}

const Datum& Datum::item(std::size_t index) const {
    const List* items = list();
    return items && index < items->size() ? (*items)[index] : nil();
}

Datum Datum::operator[](std::string_view key) && { return std::as_const(*this)[key]; }
Datum::List Datum::items() && { return std::as_const(*this).items(); }
Datum::Map Datum::entries() && { return std::as_const(*this).entries(); }

const Datum::List& Datum::items() const& {
    static const List& kNone = *new List;
    const Set* set = get_if<Set>();
    return set ? set->items : list() ? *list() : kNone;
}

const Datum::Map& Datum::entries() const& {
    static const Map& kNone = *new Map;
    return map() ? *map() : kNone;
}

void Datum::set_unsigned(std::uint64_t i) { emplace<BigInteger>().digits = std::to_string(i); }

bool Datum::to_int64(std::int64_t* out) const {
    if (const auto* i = get_if<std::int64_t>()) {
        *out = *i;
        return true;
    }
    const double* x = get_if<double>();
    if (!x || !(*x >= -9.2e18 && *x <= 9.2e18) || std::trunc(*x) != *x) return false;
    *out = static_cast<std::int64_t>(*x);
    return true;
}

bool Datum::to_double(double* out) const {
    if (const double* x = get_if<double>()) {
        *out = *x;
        return true;
    }
    if (const auto* big = get_if<BigInteger>()) {
        *out = std::strtod(big->digits.c_str(), nullptr);
        return true;
    }
    const auto* i = get_if<std::int64_t>();
    if (i) *out = static_cast<double>(*i);
    return i != nullptr;
}

Result<Datum> Datum::from_json(std::string_view json, const ImportLimits& limits) {
    // What no tree can hold is not read to its end: its values share nothing, and half of it is on a stack meanwhile.
    constexpr std::size_t kMostOfATree = 64 * kMaxBoundaryValues + 4 * kMaxBoundaryBytes;
    const ImportScope scope(limits);
    Heap heap;
    heap.set_limit(std::min(limits.max_bytes.value_or(import_bytes(json.size())), std::uint64_t{kMostOfATree}));
    ShapeTable shapes(heap);
    const Value value = PTC_TRY(import_json(heap, shapes, json));
    heap.meter.start_in_scope(Meter::kUnlimited);
    Result<Datum> read = to_datum(heap, value);
    return read.ok() ? std::move(read) : import_error(read.error());
}

std::string Datum::to_json() const {
    std::string out;
    write(*this, out);
    return out;
}

} // namespace ptc
