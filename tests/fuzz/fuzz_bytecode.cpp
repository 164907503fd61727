// An input picks a program, an example of anything that there is, which is compiled afresh to a program file, and
// changes that; or it is a whole file itself. Its fingerprint and checksum are made right, so that what lies behind
// them is reached; then it is either refused, or verified and must run under small limits like any other program.
#include "runtime/silent_host.h"
#include "tests/fuzz/grammar.h"
#include "tests/fuzz/tampering.h"
#include "tests/support/core.h"
#include "vm/program_file.h"
#include "vm/vm.h"
#include <string>

namespace {

using namespace ptc;

const FunctionProto* resolve(std::string_view name, std::uint32_t) {
    const CoreFunction* found = test::core().find(name);
    return found ? static_cast<const FunctionProto*>(test::core().value_of(*found)) : nullptr;
}

std::vector<std::string> make_files() {
    std::vector<std::string> files;
    for (const std::string& text : fuzz::program_grammar().forms) {
        Diagnostics diagnostics;
        CompileOptions options;
        options.environment.any_tool = true;
        const auto program = compile(Source("example", text), options, test::core(), diagnostics);
        if (program) files.push_back(write_program(*program));
    }
    return files;
}

const std::vector<std::string>& files() {
    static const std::vector<std::string> kFiles = make_files();
    return kFiles;
}

void run(const Program& program) {
    SilentHost services;
    Vm vm(services);
    Limits limits;
    limits.fuel = 20'000;
    limits.heap_bytes = 1u << 20;
    limits.max_depth = 100;
    Status status = vm.start(program, limits, nullptr, 0);
    for (int rounds = 0; status == Status::Suspended && rounds < 20; ++rounds) {
        for (std::size_t i = 0; i < vm.calls().size(); ++i)
            vm.answer(i, Value());
        status = vm.resume({});
    }
    if (status == Status::Suspended) vm.abandon();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Bytes in(data, size);
    std::string bytes(reinterpret_cast<const char*>(data), size);
    const bool is_whole = is_program_file(bytes);
    if (!is_whole) {
        const auto pick = [&] { return files()[in.below(65'536) % files().size()]; };
        bytes = pick();
        const std::string other = pick();
        fuzz::tamper_often(in, bytes, other);
    }
    seal_program_file(bytes);
    const Result<std::unique_ptr<Program>> program = read_program(bytes, resolve);
    FUZZ_CHECK(program.ok() || is_whole || size > 4);
    if (program.ok())
        run(*program.value());
    else
        FUZZ_CHECK(program.error().reason == Reason::InvalidBytecode ||
                   program.error().reason == Reason::RuntimeError || program.error().reason == Reason::MemoryExceeded ||
                   program.error().reason == Reason::LimitExceeded);
    return 0;
}
