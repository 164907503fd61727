// The tests' PostgreSQL server for tests in other languages: prints the URL of a store in the schema that is named, and
// goes on until its standard input ends. A line `fast` or `immediate` there has it stopped in this way and started
// again, which it says by a line. Where there is none, it says why on standard error and exits 77.
#include "tests/store/postgres_server.h"
#include <cstdio>
#include <iostream>

int main(int argc, char** argv) {
    using ptc::test::PostgresServer;
    PostgresServer* const server = PostgresServer::shared();
    if (!server) {
        std::fprintf(stderr, "%s\n", PostgresServer::why_not().c_str());
        return 77;
    }
    std::printf("%s\n", server->url(argc > 1 ? argv[1] : "missions").c_str());
    std::fflush(stdout);
    for (std::string how; std::getline(std::cin, how);) {
        server->stop(how);
        std::printf("%s\n", server->restart() ? "restarted" : "gone");
        std::fflush(stdout);
    }
    return 0;
}
