// An input is a program file. Its fingerprint and checksum are made right, so that what lies behind them is reached;
// then it is either refused, or verified and must run under small limits like any other program.
#include "compiler/compile.h"
#include "runtime/silent_host.h"
#include "tests/fuzz/fuzz_check.h"
#include "vm/program_file.h"
#include "vm/vm.h"
#include <cstring>
#include <string>

namespace {

using namespace ptc;

const CoreLibrary& core() {
    static CoreLibrary library;
    static const bool is_ready = [] {
        Diagnostics diagnostics;
        compile_core(library, diagnostics);
        return !diagnostics.has_errors();
    }();
    FUZZ_CHECK(is_ready);
    return library;
}

const FunctionProto* resolve(std::string_view name, std::uint32_t) {
    const CoreFunction* found = core().find(name);
    return found ? static_cast<const FunctionProto*>(core().value_of(*found)) : nullptr;
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
    std::string bytes(reinterpret_cast<const char*>(data), size);
    (void)core();
    seal_program_file(bytes);
    const Result<std::unique_ptr<Program>> program = read_program(bytes, resolve);
    if (program.ok())
        run(*program.value());
    else
        FUZZ_CHECK(program.error().reason == Reason::InvalidBytecode ||
                   program.error().reason == Reason::RuntimeError || program.error().reason == Reason::MemoryExceeded ||
                   program.error().reason == Reason::LimitExceeded);
    return 0;
}
