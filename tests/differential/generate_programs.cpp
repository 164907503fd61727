// generate_programs SEED COUNT [SIZE]: that many requests for `ptcc eval --batch`, a line each.
#include "tests/differential/program_generator.h"
#include <boost/json.hpp>
#include <cstdlib>
#include <iostream>

int main(int argc, char** argv) {
    if (argc < 3) {
        std::cerr << "usage: generate_programs SEED COUNT [SIZE]\n";
        return 2;
    }
    const std::uint64_t first = std::strtoull(argv[1], nullptr, 10), count = std::strtoull(argv[2], nullptr, 10);
    const int size = argc > 3 ? std::atoi(argv[3]) : 60;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const bool tools = seed % 3 == 0;
        boost::json::object request{{"id", seed}, {"src", ptc::test::ProgramGenerator(seed, size, tools).program()}};
        std::cout << boost::json::serialize(request) << '\n';
    }
}
