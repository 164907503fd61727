#include "tests/store/postgres_server.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <unistd.h>
#include <vector>

namespace ptc::test {
namespace {

namespace fs = std::filesystem;

/// How long pg_ctl waits, in seconds: as long as it takes, on a machine as busy as may be.
constexpr const char* kWaits = " -w -t 600 -D data";

/// The newest on this machine; PTC_POSTGRES names another folder of programs.
std::string programs() {
    if (const char* named = std::getenv("PTC_POSTGRES")) return named;
    std::string newest;
    std::error_code error;
    for (const auto& version : fs::directory_iterator("/usr/lib/postgresql", error)) {
        const std::string bin = version.path().string() + "/bin";
        if (fs::exists(bin + "/initdb") && bin > newest) newest = bin;
    }
    return newest;
}

/// More settings of the server, for measurements: PTC_POSTGRES_SETTINGS="-c fsync=on".
std::string settings() {
    const char* given = std::getenv("PTC_POSTGRES_SETTINGS");
    return given ? " " + std::string(given) : "";
}

/// PostgreSQL refuses to run as root.
std::string as_user() { return ::geteuid() == 0 ? "setpriv --reuid=nobody --regid=nogroup --clear-groups " : ""; }

std::string& problem() {
    static std::string text;
    return text;
}

} // namespace

const std::string& PostgresServer::why_not() { return problem(); }

PostgresServer* PostgresServer::shared() {
    static const std::unique_ptr<PostgresServer> server = start(problem());
    return server.get();
}

bool PostgresServer::run(const std::string& arguments) const {
    const std::string command =
        "cd " + folder_ + " && " + as_user() + programs() + "/" + arguments + " >>" + folder_ + "/log 2>&1";
    return std::system(command.c_str()) == 0;
}

std::unique_ptr<PostgresServer> PostgresServer::start(std::string& why_not) {
    if (programs().empty()) {
        why_not = "PostgreSQL is not installed (Debian: postgresql)";
        return nullptr;
    }
    std::string folder = (fs::temp_directory_path() / "ptc-postgres-XXXXXX").string();
    if (!::mkdtemp(folder.data())) {
        why_not = "no temporary directory";
        return nullptr;
    }
    std::unique_ptr<PostgresServer> server(new PostgresServer(folder));
    server->owner_ = ::getpid();
    std::ofstream(folder + "/log") << "";
    const std::string chown = "chown -R nobody:nogroup " + folder;
    if (::geteuid() == 0 && std::system(chown.c_str()) != 0) why_not = "the folder cannot be given away";
    if (!server->run("initdb --no-sync --auth=trust --username=ptc --encoding=UTF8 --locale=C -D " + folder +
                     "/data") ||
        !server->restart()) {
        std::ifstream log(folder + "/log");
        why_not = "PostgreSQL does not start: " + std::string(std::istreambuf_iterator<char>(log), {});
        return nullptr;
    }
    return server;
}

bool PostgresServer::restart() {
    return run(std::string("pg_ctl start") + kWaits + " -o \"-k " + folder_ +
               " -c listen_addresses='' -c fsync=off -c max_connections=60 -c shared_buffers=32MB" + settings() + "\"");
}

void PostgresServer::stop(const std::string& how) { run("pg_ctl stop -m " + how + kWaits); }

PostgresServer::~PostgresServer() {
    if (owner_ != ::getpid()) return;
    stop("fast");
    std::error_code error;
    fs::remove_all(folder_, error);
}

std::string PostgresServer::url(const std::string& schema) const {
    return "postgres://ptc@/postgres?host=" + folder_ + "&options=-csearch_path%3D" + schema;
}

} // namespace ptc::test
