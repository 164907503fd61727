// The tables of builtins, one a file of this folder. To add a file: define its function here and name it in kTables of
// runtime/builtin.cpp.
#pragma once
#include "runtime/builtin.h"
#include <span>

namespace ptc {

std::span<const Builtin> arithmetic_builtins();  ///< + - * / quot mod max bit-and ..
std::span<const Builtin> math_builtins();        ///< floor round sqrt pow int double ..
std::span<const Builtin> java_math_builtins();   ///< Math/log Math/sin ..
std::span<const Builtin> java_number_builtins(); ///< .setScale .divide BigDecimal. BigInteger. ..
std::span<const Builtin> comparison_builtins();  ///< = == < compare ..
std::span<const Builtin> predicate_builtins();   ///< nil? map? even? .. and type
std::span<const Builtin>
sequence_builtins(); ///< first take partition distinct range .. : what reads any collection in order
std::span<const Builtin> collection_builtins();     ///< count conj into empty peek vec ..
std::span<const Builtin> map_builtins();            ///< get assoc merge select-keys keys ..
std::span<const Builtin> set_builtins();            ///< set disj union .. and the relations of clojure.set
std::span<const Builtin> sorting_builtins();        ///< sort and what the compiler calls for sort-by
std::span<const Builtin> name_builtins();           ///< keyword, and the keys of nested maps as keywords or strings
std::span<const Builtin> string_builtins();         ///< trim upper-case subs index-of name .. of clojure.string
std::span<const Builtin> printing_builtins();       ///< str join pr-str println ..
std::span<const Builtin> splitting_builtins();      ///< split split-lines replace ..
std::span<const Builtin> format_builtins();         ///< format
std::span<const Builtin> parsing_builtins();        ///< parse-long .. and the parse methods of Java's number classes
std::span<const Builtin> regex_builtins();          ///< re-find re-seq extract ..
std::span<const Builtin> interop_builtins();        ///< .length .substring .. of Java's String, and System
std::span<const Builtin> java_text_builtins();      ///< .getBytes .hashCode, Base64, URLs, Pattern/quote ..
std::span<const Builtin> object_method_builtins();  ///< .equals .toString .get .size ..
std::span<const Builtin> time_builtins();           ///< LocalDate, Instant, Duration, Period, java.util.Date
std::span<const Builtin> time_method_builtins();    ///< .plusDays .isBefore .getYear ..
std::span<const Builtin> time_class_builtins();     ///< LocalDateTime, YearMonth, ZonedDateTime, DayOfWeek, patterns ..
std::span<const Builtin> time_unit_builtins();      ///< .plusDays .plus .between .truncatedTo ..
std::span<const Builtin> time_adjusting_builtins(); ///< .with, TemporalAdjusters, fields of times ..
std::span<const Builtin> agent_builtins();          ///< budget/remaining step-done task-reset ..
std::span<const Builtin> exception_builtins();      ///< ex-info ex-message .getMessage Exception. ..
std::span<const Builtin> json_builtins();           ///< json/parse-string json/generate-string json/parse-lines

} // namespace ptc
