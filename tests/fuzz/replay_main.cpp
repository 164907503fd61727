// Runs a fuzz target over files: every argument is an input or a folder of inputs, in the order of their names. So that
// compilers without libFuzzer replay corpora and past failures as ordinary tests.
//
//   fuzz_NAME FILE-OR-FOLDER...
//   fuzz_NAME --mutants=N [--seed=S] [--keep=FILE] FILE-OR-FOLDER...   N changed inputs as well, the same for the same
//   seed
//
// Of the mutant that is being tried, FILE holds the bytes, so that it is there after a crash.
#include "tests/fuzz/mutator.h"
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" {
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
__attribute__((weak)) std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                                          unsigned seed);
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
}

namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

struct Options {
    std::size_t mutants = 0;
    std::uint64_t seed = 1;
    std::string keep;
    std::vector<fs::path> paths;
};

std::vector<fs::path> inputs_under(const fs::path& path) {
    if (!fs::is_directory(path)) return {path};
    std::vector<fs::path> files;
    for (const auto& entry : fs::recursive_directory_iterator(path))
        if (entry.is_regular_file()) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

void run(const Bytes& bytes) {
    // A copy of the exact size, so that the address sanitizer sees a read past the end.
    const Bytes exact(bytes.begin(), bytes.end());
    LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

bool replay(const fs::path& file, std::vector<Bytes>& inputs) {
    std::ifstream stream(file, std::ios::binary);
    if (!stream) {
        std::fprintf(stderr, "cannot open %s\n", file.c_str());
        return false;
    }
    inputs.emplace_back((std::istreambuf_iterator<char>(stream)), std::istreambuf_iterator<char>());
    std::printf("%s (%zu bytes)\n", file.c_str(), inputs.back().size());
    std::fflush(stdout); // The last line printed names the input that crashed.
    run(inputs.back());
    return true;
}

void try_mutants(const Options& options, const std::vector<Bytes>& inputs) {
    ptc::fuzz::Random random(options.seed);
    Bytes bytes;
    for (std::size_t i = 0; i < options.mutants; ++i) {
        const Bytes& input = random.pick(inputs);
        const std::size_t max_size = std::max<std::size_t>(4096, input.size() + 64);
        bytes.assign(input.begin(), input.end());
        bytes.resize(max_size);
        const auto seed = static_cast<unsigned>(random.below(1u << 31));
        std::size_t size = input.size();
        for (std::size_t changes = 1 + random.below(4); changes > 0; --changes)
            size = LLVMFuzzerCustomMutator
                       ? LLVMFuzzerCustomMutator(bytes.data(), size, max_size, seed + static_cast<unsigned>(changes))
                       : LLVMFuzzerMutate(bytes.data(), size, max_size);
        bytes.resize(size);
        if (!options.keep.empty())
            std::ofstream(options.keep, std::ios::binary)
                .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(size));
        run(bytes);
        if ((i + 1) % 100'000 == 0) {
            std::printf("%zu mutants\n", i + 1);
            std::fflush(stdout);
        }
    }
    std::printf("%zu mutants tried\n", options.mutants);
}

bool take_option(std::string_view argument, std::string_view name, std::string* value) {
    if (!argument.starts_with(name)) return false;
    *value = argument.substr(name.size());
    return true;
}

Options options_of(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        std::string value;
        if (take_option(argv[i], "--mutants=", &value))
            options.mutants = std::strtoull(value.c_str(), nullptr, 10);
        else if (take_option(argv[i], "--seed=", &value))
            options.seed = std::strtoull(value.c_str(), nullptr, 10);
        else if (!take_option(argv[i], "--keep=", &options.keep))
            options.paths.emplace_back(argv[i]);
    }
    return options;
}

} // namespace

/// Changes of bytes, for targets whose inputs have no grammar and for mutators that ask for some.
extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size) {
    static ptc::fuzz::Random random(7);
    const auto any = [] { return static_cast<std::uint8_t>(random.below(256)); };
    if (size == 0 || random.one_in(4)) { // one more
        if (size >= max_size) return size;
        const std::size_t at = random.below(size + 1);
        std::memmove(data + at + 1, data + at, size - at);
        data[at] = any();
        return size + 1;
    }
    const std::size_t at = random.below(size);
    switch (random.below(4)) {
    case 0: data[at] = any(); return size;
    case 1: data[at] = static_cast<std::uint8_t>(data[at] ^ 1u << random.below(8)); return size;
    case 2: { // some fewer
        const std::size_t count = 1 + random.below(std::min<std::size_t>(8, size - at));
        std::memmove(data + at, data + at + count, size - at - count);
        return size - count;
    }
    default: { // a part of it over another part
        const std::size_t from = random.below(size);
        std::memmove(data + at, data + from, std::min({size - at, size - from, 1 + random.below(32)}));
        return size;
    }
    }
}

int main(int argc, char** argv) {
    const Options options = options_of(argc, argv);
    std::vector<Bytes> inputs;
    for (const fs::path& path : options.paths)
        for (const fs::path& file : inputs_under(path))
            if (!replay(file, inputs)) return 2;
    std::printf("%zu inputs replayed\n", inputs.size());
    if (inputs.empty()) return 2;
    if (options.mutants > 0) try_mutants(options, inputs);
    return 0;
}
