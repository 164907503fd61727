// The tests' PostgreSQL server for tests in other languages: prints the URL of a store in the schema that is named, and
// goes on until its standard input ends. Where there is none, it says why on standard error and exits 77.
#include "tests/store/postgres_server.h"
#include <cstdio>

int main(int argc, char** argv) {
    using ptc::test::PostgresServer;
    PostgresServer* const server = PostgresServer::shared();
    if (!server) {
        std::fprintf(stderr, "%s\n", PostgresServer::why_not().c_str());
        return 77;
    }
    std::printf("%s\n", server->url(argc > 1 ? argv[1] : "missions").c_str());
    std::fflush(stdout);
    while (std::getchar() != EOF) {
    }
    return 0;
}
