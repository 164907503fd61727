// Clojure's and Java's spellings of namespaces, each with the category of the functions that it holds, so that
// `clojure.string/join`, `str/join` and `join` are one function; and Java's constants. A category is what a builtin's
// row or a core function's metadata says; nothing here names a function.
#include "compiler/language/namespaces.h"
#include "compiler/language/name_index.h"
#include "compiler/language/prelude.h"
#include "compiler/language/scope.h"
#include "runtime/number.h"
#include <algorithm>
#include <limits>
#include <numbers>

namespace ptc {
namespace {

constexpr LanguageNamespace kNamespaces[] = {
    {"clojure.core", "clojure.core", Category::Core},
    {"core", "clojure.core", Category::Core},
    {"clojure.string", "clojure.string", Category::String},
    {"str", "clojure.string", Category::String},
    {"string", "clojure.string", Category::String},
    {"clojure.set", "clojure.set", Category::Set},
    {"s", "clojure.string", Category::String},
    {"st", "clojure.string", Category::String},
    {"set", "clojure.set", Category::Set},
    {"clojure.walk", "clojure.walk", Category::Walk},
    {"walk", "clojure.walk", Category::Walk},
    {"clojure.data", "clojure.data", Category::Interop},
    {"clojure.zip", "clojure.zip", Category::Interop},
    {"zip", "clojure.zip", Category::Interop},
    {"clojure.pprint", "clojure.pprint", Category::Core},
    {"regex", "regex", Category::Regex},
    {"Math", "Math", Category::Math},
    {"clojure.math", "Math", Category::Math},
    {"math", "Math", Category::Math},
    {"json", "json", Category::Json},
    {"cheshire.core", "json", Category::Json},
    {"clojure.data.json", "json", Category::Json},
    {"clojure.edn", "edn", Category::Interop},
    {"edn", "edn", Category::Interop},
    {"System", "System", Category::Interop},
    {"Boolean", "Boolean", Category::Interop},
    {"Double", "Double", Category::Interop},
    {"Float", "Float", Category::Interop},
    {"Integer", "Integer", Category::Interop},
    {"Long", "Long", Category::Interop},
    {"String", "String", Category::Interop},
    {"Character", "Character", Category::Interop},
    {"LocalDate", "LocalDate", Category::Interop},
    {"Instant", "Instant", Category::Interop},
    {"Duration", "Duration", Category::Interop},
    {"Period", "Period", Category::Interop},
    {"LocalDateTime", "LocalDateTime", Category::Interop},
    {"LocalTime", "LocalTime", Category::Interop},
    {"ZonedDateTime", "ZonedDateTime", Category::Interop},
    {"OffsetDateTime", "OffsetDateTime", Category::Interop},
    {"YearMonth", "YearMonth", Category::Interop},
    {"Year", "Year", Category::Interop},
    {"Month", "Month", Category::Interop},
    {"DayOfWeek", "DayOfWeek", Category::Interop},
    {"ChronoUnit", "ChronoUnit", Category::Interop},
    {"DateTimeFormatter", "DateTimeFormatter", Category::Interop},
    {"TextStyle", "TextStyle", Category::Interop},
    {"Locale", "Locale", Category::Interop},
    {"ZoneId", "ZoneId", Category::Interop},
    {"ZoneOffset", "ZoneOffset", Category::Interop},
    {"RoundingMode", "RoundingMode", Category::Interop},
    {"BigDecimal", "BigDecimal", Category::Interop},
    {"BigInteger", "BigInteger", Category::Interop},
    {"TemporalAdjusters", "TemporalAdjusters", Category::Interop},
    {"ChronoField", "ChronoField", Category::Interop},
    {"IsoFields", "IsoFields", Category::Interop},
    {"WeekFields", "WeekFields", Category::Interop},
    {"TimeZone", "TimeZone", Category::Interop},
    {"Base64", "Base64", Category::Interop},
    {"URLEncoder", "URLEncoder", Category::Interop},
    {"URLDecoder", "URLDecoder", Category::Interop},
    {"StandardCharsets", "StandardCharsets", Category::Interop},
    {"Pattern", "Pattern", Category::Interop},
    {"Collections", "Collections", Category::Interop},
    {"Arrays", "Arrays", Category::Interop},
    {"PersistentQueue", "PersistentQueue", Category::Interop},
};

/// Namespaces of hosts and sessions, and one kept for later.
constexpr std::string_view kReserved[] = {"tool", "data", "ctx", "budget", "memory", "user", "ptc.core"};
/// The longer of two first.
constexpr std::string_view kJavaPackages[] = {"java.time.temporal.", "java.time.format.", "java.time.",   "java.lang.",
                                              "java.util.regex.",    "java.util.",        "java.math.",   "java.text.",
                                              "java.nio.charset.",   "java.net.",         "clojure.lang."};

constexpr NamedConstant whole(std::string_view name, std::int64_t value) {
    return {.name = name, .integer = value, .is_integer = true};
}
constexpr NamedConstant of_bits(std::string_view name, Bits value) { return {.name = name, .value = value}; }
constexpr NamedConstant real(std::string_view name, double value) { return of_bits(name, bits::from_double(value)); }
constexpr NamedConstant text(std::string_view name, std::string_view value) { return {.name = name, .text = value}; }
/// The value that a builtin makes of a text.
constexpr NamedConstant made(std::string_view name, std::string_view value, const char* maker) {
    return {.name = name, .text = value, .maker = maker};
}
/// DayOfWeek/MONDAY, the value of DayOfWeek/valueOf.
constexpr NamedConstant day(std::string_view name) { return made(name, name.substr(10), "DayOfWeek/valueOf"); }
constexpr NamedConstant month(std::string_view name) { return made(name, name.substr(6), "Month/valueOf"); }
constexpr NamedConstant unit(std::string_view name) { return made(name, name.substr(11), "ChronoUnit/valueOf"); }
/// A formatter is its name where it has no pattern.
constexpr NamedConstant formatter(std::string_view name) { return text(name, name.substr(18)); }
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr NamedConstant kConstants[] = {
    real("Double/POSITIVE_INFINITY", kInfinity),
    real("Double/NEGATIVE_INFINITY", -kInfinity),
    real("Double/NaN", kNaN),
    real("Double/MAX_VALUE", std::numeric_limits<double>::max()),
    real("Double/MIN_VALUE", std::numeric_limits<double>::denorm_min()),
    real("Float/POSITIVE_INFINITY", kInfinity),
    real("Float/NEGATIVE_INFINITY", -kInfinity),
    real("Float/NaN", kNaN),
    real("Math/PI", std::numbers::pi),
    real("Math/E", std::numbers::e),
    real("clojure.math/PI", std::numbers::pi),
    real("clojure.math/E", std::numbers::e),
    whole("Integer/MAX_VALUE", std::numeric_limits<std::int32_t>::max()),
    whole("Integer/MIN_VALUE", std::numeric_limits<std::int32_t>::min()),
    whole("Long/MAX_VALUE", std::numeric_limits<std::int64_t>::max()),
    whole("Long/MIN_VALUE", std::numeric_limits<std::int64_t>::min()),
    real("POSITIVE_INFINITY", kInfinity),
    real("NEGATIVE_INFINITY", -kInfinity),
    real("NaN", kNaN),
    of_bits("Boolean/TRUE", bits::kTrue),
    of_bits("Boolean/FALSE", bits::kFalse),
    day("DayOfWeek/MONDAY"),
    day("DayOfWeek/TUESDAY"),
    day("DayOfWeek/WEDNESDAY"),
    day("DayOfWeek/THURSDAY"),
    day("DayOfWeek/FRIDAY"),
    day("DayOfWeek/SATURDAY"),
    day("DayOfWeek/SUNDAY"),
    month("Month/JANUARY"),
    month("Month/FEBRUARY"),
    month("Month/MARCH"),
    month("Month/APRIL"),
    month("Month/MAY"),
    month("Month/JUNE"),
    month("Month/JULY"),
    month("Month/AUGUST"),
    month("Month/SEPTEMBER"),
    month("Month/OCTOBER"),
    month("Month/NOVEMBER"),
    month("Month/DECEMBER"),
    unit("ChronoUnit/NANOS"),
    unit("ChronoUnit/MICROS"),
    unit("ChronoUnit/MILLIS"),
    unit("ChronoUnit/SECONDS"),
    unit("ChronoUnit/MINUTES"),
    unit("ChronoUnit/HOURS"),
    unit("ChronoUnit/HALF_DAYS"),
    unit("ChronoUnit/DAYS"),
    unit("ChronoUnit/WEEKS"),
    unit("ChronoUnit/MONTHS"),
    unit("ChronoUnit/YEARS"),
    unit("ChronoUnit/DECADES"),
    unit("ChronoUnit/CENTURIES"),
    formatter("DateTimeFormatter/ISO_LOCAL_DATE"),
    formatter("DateTimeFormatter/ISO_DATE"),
    formatter("DateTimeFormatter/ISO_LOCAL_TIME"),
    formatter("DateTimeFormatter/ISO_LOCAL_DATE_TIME"),
    formatter("DateTimeFormatter/ISO_DATE_TIME"),
    formatter("DateTimeFormatter/ISO_OFFSET_DATE_TIME"),
    formatter("DateTimeFormatter/ISO_ZONED_DATE_TIME"),
    formatter("DateTimeFormatter/ISO_INSTANT"),
    formatter("DateTimeFormatter/BASIC_ISO_DATE"),
    formatter("DateTimeFormatter/RFC_1123_DATE_TIME"),
    text("TextStyle/FULL", "FULL"),
    text("TextStyle/SHORT", "SHORT"),
    text("TextStyle/NARROW", "NARROW"),
    text("Locale/ENGLISH", "en"),
    text("Locale/US", "en_US"),
    text("Locale/UK", "en_GB"),
    text("Locale/ROOT", "root"),
    text("ZoneOffset/UTC", "Z"),
    text("RoundingMode/UP", "UP"),
    text("RoundingMode/DOWN", "DOWN"),
    text("RoundingMode/CEILING", "CEILING"),
    text("RoundingMode/FLOOR", "FLOOR"),
    text("RoundingMode/HALF_UP", "HALF_UP"),
    text("RoundingMode/HALF_DOWN", "HALF_DOWN"),
    text("RoundingMode/HALF_EVEN", "HALF_EVEN"),
    text("RoundingMode/UNNECESSARY", "UNNECESSARY"),
    whole("BigDecimal/ROUND_UP", 0),
    whole("BigDecimal/ROUND_DOWN", 1),
    whole("BigDecimal/ROUND_CEILING", 2),
    whole("BigDecimal/ROUND_FLOOR", 3),
    whole("BigDecimal/ROUND_HALF_UP", 4),
    whole("BigDecimal/ROUND_HALF_DOWN", 5),
    whole("BigDecimal/ROUND_HALF_EVEN", 6),
    whole("BigDecimal/ROUND_UNNECESSARY", 7),
    real("BigDecimal/ZERO", 0),
    whole("BigInteger/ZERO", 0),
    real("BigDecimal/ONE", 1),
    whole("BigInteger/ONE", 1),
    real("BigDecimal/TEN", 10),
    whole("BigInteger/TEN", 10),
    whole("BigInteger/TWO", 2),
    text("ChronoField/DAY_OF_WEEK", "DayOfWeek"),
    text("ChronoField/DAY_OF_MONTH", "DayOfMonth"),
    text("ChronoField/DAY_OF_YEAR", "DayOfYear"),
    text("ChronoField/EPOCH_DAY", "EpochDay"),
    text("ChronoField/ALIGNED_WEEK_OF_MONTH", "AlignedWeekOfMonth"),
    text("ChronoField/ALIGNED_WEEK_OF_YEAR", "AlignedWeekOfYear"),
    text("ChronoField/MONTH_OF_YEAR", "MonthOfYear"),
    text("ChronoField/PROLEPTIC_MONTH", "ProlepticMonth"),
    text("ChronoField/YEAR", "Year"),
    text("ChronoField/YEAR_OF_ERA", "YearOfEra"),
    text("ChronoField/ERA", "Era"),
    text("ChronoField/HOUR_OF_DAY", "HourOfDay"),
    text("ChronoField/HOUR_OF_AMPM", "HourOfAmPm"),
    text("ChronoField/CLOCK_HOUR_OF_AMPM", "ClockHourOfAmPm"),
    text("ChronoField/AMPM_OF_DAY", "AmPmOfDay"),
    text("ChronoField/MINUTE_OF_HOUR", "MinuteOfHour"),
    text("ChronoField/MINUTE_OF_DAY", "MinuteOfDay"),
    text("ChronoField/SECOND_OF_MINUTE", "SecondOfMinute"),
    text("ChronoField/SECOND_OF_DAY", "SecondOfDay"),
    text("ChronoField/MILLI_OF_SECOND", "MilliOfSecond"),
    text("ChronoField/MILLI_OF_DAY", "MilliOfDay"),
    text("ChronoField/NANO_OF_SECOND", "NanoOfSecond"),
    text("ChronoField/INSTANT_SECONDS", "InstantSeconds"),
    text("ChronoField/OFFSET_SECONDS", "OffsetSeconds"),
    text("IsoFields/DAY_OF_QUARTER", "DayOfQuarter"),
    text("IsoFields/QUARTER_OF_YEAR", "QuarterOfYear"),
    text("IsoFields/WEEK_OF_WEEK_BASED_YEAR", "WeekOfWeekBasedYear"),
    text("IsoFields/WEEK_BASED_YEAR", "WeekBasedYear"),
    text("WeekFields/ISO", "WeekFields[MONDAY,4]"),
    text("WeekFields/SUNDAY_START", "WeekFields[SUNDAY,1]"),
    text("StandardCharsets/UTF_8", "UTF-8"),
    text("StandardCharsets/US_ASCII", "US-ASCII"),
    whole("Pattern/CASE_INSENSITIVE", 2),
    whole("Pattern/COMMENTS", 4),
    whole("Pattern/MULTILINE", 8),
    whole("Pattern/DOTALL", 32),
    whole("Pattern/UNICODE_CASE", 64),
    made("PersistentQueue/EMPTY", "", "as-queue%"),
    made("Duration/ZERO", "PT0S", "Duration/parse"),
    made("Period/ZERO", "P0D", "Period/parse"),
    made("LocalDate/EPOCH", "1970-01-01", "LocalDate/parse"),
    made("LocalTime/MIDNIGHT", "00:00", "LocalTime/parse"),
    made("LocalTime/NOON", "12:00", "LocalTime/parse"),
    made("Instant/EPOCH", "1970-01-01T00:00:00Z", "Instant/parse"),
};

/// Members of the classes of numbers that are functions of the language under another name.
struct MemberAlias {
    std::string_view member, name;
};
constexpr MemberAlias kNumberMembers[] = {{"compare", "compare"}, {"sum", "+"}, {"max", "max"}, {"min", "min"}};
constexpr std::string_view kNumberClasses[] = {"Integer", "Long", "Double", "Float"};

/// The function of the language that `member` of a class of numbers is; "" for none.
std::string_view number_member(std::string_view space, std::string_view member) {
    if (std::find(std::begin(kNumberClasses), std::end(kNumberClasses), space) == std::end(kNumberClasses)) return {};
    for (const MemberAlias& alias : kNumberMembers) {
        if (alias.member == member) return alias.name;
    }
    return {};
}

/// clojure.math writes `floor-mod` where Java writes `floorMod`.
std::string java_spelling(std::string_view member) {
    std::string name;
    for (std::size_t i = 0; i < member.size(); ++i) {
        const bool is_hump = member[i] == '-' && i + 1 < member.size() && member[i + 1] >= 'a' && member[i + 1] <= 'z';
        if (is_hump)
            name += static_cast<char>(member[++i] - 'a' + 'A');
        else
            name += member[i];
    }
    return name;
}

bool is_plain_name(std::string_view name) { return name == "/" || name.find('/') == std::string_view::npos; }

} // namespace

std::span<const LanguageNamespace> language_namespaces() { return kNamespaces; }

std::span<const std::string_view> java_packages() { return kJavaPackages; }

std::string_view without_package(std::string_view name) {
    for (const std::string_view package : kJavaPackages) {
        if (name.starts_with(package)) return name.substr(package.size());
    }
    return name;
}

const CoreName* find_constructor(const CoreLibrary& core, std::string_view name) {
    if (!name.ends_with('.') || name.starts_with('.')) return nullptr;
    if (const CoreName* entry = core.lookup(name, name_hash(name))) return entry;
    const std::string_view plain = without_package(name);
    if (plain.size() < name.size()) return core.lookup(plain, name_hash(plain));
    for (const std::string_view package : kJavaPackages) {
        const std::string whole = std::string(package).append(name);
        if (const CoreName* entry = core.lookup(whole, name_hash(whole))) return entry;
    }
    return nullptr;
}

std::span<const NamedConstant> named_constants() { return kConstants; }

const LanguageNamespace* find_namespace(std::string_view spelling) {
    static constexpr NameIndex<std::size(kNamespaces)> kIndex([](std::size_t i) { return kNamespaces[i].spelling; });
    const std::size_t found = kIndex.find(spelling);
    return found < std::size(kNamespaces) ? &kNamespaces[found] : nullptr;
}

const NamedConstant* find_constant(std::string_view name) {
    static constexpr NameIndex<std::size(kConstants)> kIndex([](std::size_t i) { return kConstants[i].name; });
    const std::size_t found = kIndex.find(name);
    return found < std::size(kConstants) ? &kConstants[found] : nullptr;
}

bool holds(const LanguageNamespace& space, const CoreName& entry) {
    if (!is_plain_name(entry.name) || entry.name.front() == '.' || entry.name.back() == '%') return false;
    if (space.category == Category::Core) return true;
    if (space.category == Category::Interop) return false; // members are written out: Integer/parseInt
    if (entry.core) {
        switch (space.category) {
        case Category::String: return entry.core->category == "string";
        case Category::Walk: return entry.core->category == "walk";
        case Category::Set: return entry.core->category == "set";
        default: return false;
        }
    }
    return entry.builtin >= 0 && builtin_at(static_cast<std::uint32_t>(entry.builtin)).category == space.category;
}

std::string_view written_out_member(const LanguageNamespace& space, const CoreName& entry) {
    const std::size_t slash = namespace_end(entry.name);
    if (slash == std::string_view::npos || entry.name.back() == '%') return {};
    const LanguageNamespace* other = find_namespace(entry.name.substr(0, slash));
    return other && other->name == space.name ? entry.name.substr(slash + 1) : std::string_view();
}

const CoreName* find_written_out(const CoreLibrary& core, const LanguageNamespace& space, std::string_view member) {
    if (const std::string_view name = number_member(space.name, member); !name.empty())
        return core.lookup(name, name_hash(name));
    const std::string spelt = space.category == Category::Math ? java_spelling(member) : std::string(member);
    std::string name;
    for (const LanguageNamespace& other : kNamespaces) {
        if (!same_name(other.name, space.name)) continue;
        name.assign(other.spelling).append("/").append(spelt);
        if (const CoreName* entry = core.lookup(name, name_hash(name))) return entry;
    }
    return nullptr;
}

bool is_language_namespace(std::string_view name) {
    if (find_namespace(name) || std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved))
        return true;
    return std::any_of(std::begin(kJavaPackages), std::end(kJavaPackages), [&](std::string_view package) {
        return name.starts_with(package) || name == package.substr(0, package.size() - 1);
    });
}

bool in_namespace(std::string_view space, const CoreName& name) {
    const LanguageNamespace* known = find_namespace(space);
    if (known) return holds(*known, name) || !written_out_member(*known, name).empty();
    return name.name.size() > space.size() + 1 && name.name.starts_with(space) && name.name[space.size()] == '/';
}

} // namespace ptc
