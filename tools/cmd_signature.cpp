// `ptcc signature`: a signature in its other forms, and JSON checked against it; --batch answers requests by
// signature_batch.
#include "compiler/signature/signature_compiler.h"
#include "runtime/signature/malli.h"
#include "tools/command.h"
#include "tools/report.h"
#include "tools/signature_batch.h"
#include "tools/tagged_json.h"
#include "vm/disassembler.h"

namespace ptc {
namespace {

constexpr const char* kFooter =
    R"help(SIGNATURE is `(params) -> type`, a type alone, or the Malli form. Without options its normal form is printed.
--validate checks JSON against the result, or with --direction input against the parameters; it prints the value, faults
and warnings go to standard error, and the exit code is 1 when something is wrong.

With --batch, each line of standard input is a request, answered by a line on standard output, in order:
  {"id", "signature", "style"?}                          -> {"id", "ok", "canonical", "json_schema", .., "errors"}
  {"id", "signature", "direction", "mode"?, "data"}      -> {"id", "ok", "data", "errors", "warnings"}

Examples:
  ptcc signature '(query :string, limit :int?) -> [{id :int}]' --json-schema
  echo '{"id": "7"}' | ptcc signature '(id :int) -> :any' --validate - --direction input)help";

struct Options {
    std::string signature;
    bool batch = false;
    bool json_schema = false;
    bool malli = false;
    bool disasm = false;
    std::string style = "structured";
    std::string validate;
    std::string direction = "output";
    std::string mode = "enabled";
};

std::string schema_text(const Signature& signature, const Options& options) {
    const SchemaStyle style = *schema_style(options.style);
    return options.direction == "input" ? json_schema(argument_type(signature), style)
                                        : result_schema(signature.returns, style);
}

int validate_file(const CompiledSignature& compiled, const Options& options, Console& console) {
    const Result<std::string> text = read_file(options.validate, kMaxDataBytes);
    if (!text.ok()) return console.usage_error(text.error());
    Result<Datum> json = Datum::from_json(text.value());
    if (json.ok()) json = untag(json.value());
    if (!json.ok()) return console.usage_error(options.validate + ": " + json.error().message);
    ValidationOptions validation_options{.mode = *validation_mode(options.mode), .is_json_text = true};
    const Direction direction = options.direction == "input" ? Direction::Input : Direction::Output;
    const Result<Validation> result = validate(compiled, direction, json.value(), validation_options);
    if (!result.ok()) return console.usage_error(result.error());
    const Validation& validation = result.value();
    if (!validation.warnings.empty()) console.message(validation_warnings_text(validation.warnings));
    if (!validation.ok) {
        console.message(validation_errors_text(validation.errors, validation.more_errors));
        return kFailed;
    }
    console.out.line(tagged_json(validation.data));
    return kSuccess;
}

int show(const Options& options, Console& console) {
    Result<Signature> signature = parse_signature(options.signature);
    if (!signature.ok()) {
        report_diagnostics(Source("signature", options.signature), {{Severity::Error, signature.error()}}, false,
                           console);
        return kFailed;
    }
    const Result<SignaturePtr> compiled = compile_signature(std::move(signature).value());
    if (!compiled.ok()) return console.usage_error(compiled.error());
    const CompiledSignature& known = *compiled.value();
    if (!options.validate.empty()) return validate_file(known, options, console);
    if (options.json_schema) console.out.line(schema_text(known.signature, options));
    if (options.malli) console.out.line(malli_text(known.signature));
    if (options.disasm) {
        console.out.write("parameters\n" + disassemble(*known.arguments));
        console.out.write("result\n" + disassemble(*known.result));
    }
    if (!options.json_schema && !options.malli && !options.disasm) console.out.line(signature_text(known.signature));
    return kSuccess;
}

int run(const Options& options, bool has_signature, Console& console) {
    if (options.batch == has_signature) return console.usage_error("signature takes a signature or --batch.");
    if (!options.batch) return show(options, console);
    LineReader reader(0);
    const Result<void> served = answer_lines(reader, console.out, answer_signature_request);
    return served.ok() ? kSuccess : console.usage_error(served.error());
}

Action declare(CommandLine& line) {
    line.footer(kFooter);
    const auto options = std::make_shared<Options>();
    const DeclaredOption signature = line.text("SIGNATURE", &options->signature, "The signature's text");
    line.flag("--batch", &options->batch, "Answers requests, one JSON object a line, until the input ends");
    line.flag("--json-schema", &options->json_schema, "Prints the JSON Schema of the result (see --direction)");
    line.text("--style", &options->style, "Of the JSON Schema: structured (what providers take), tool, exact, closed")
        .one_of({"structured", "tool", "exact", "closed"});
    line.flag("--malli", &options->malli, "Prints the Malli form");
    line.flag("--disasm", &options->disasm, "Shows the validation bytecode");
    line.text("--validate", &options->validate, "Checks the JSON of a file, - for standard input");
    line.text("--direction", &options->direction, "What is meant: the parameters (input) or the result (output)")
        .one_of({"input", "output"});
    line.text("--mode", &options->mode, "enabled, warn_only, disabled or strict (no undeclared fields)")
        .one_of({"enabled", "warn_only", "disabled", "strict"});
    return [options, signature](Console& console) { return run(*options, signature.is_given(), console); };
}

} // namespace

const Command kSignatureCommand{"signature", "Parses a signature, shows it in other forms, checks JSON against it.",
                                declare};

} // namespace ptc
