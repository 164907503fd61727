// A PostgreSQL server of the tests' own: in a temporary directory, reached through a socket in it and not by TCP, run
// by a user without rights, stopped and removed with the program.
#pragma once
#include <memory>
#include <string>
#include <sys/types.h>

namespace ptc::test {

class PostgresServer {
public:
    /// The one of this program, started when it is first asked for; null where there is no PostgreSQL, and `why` says
    /// so.
    static PostgresServer* shared();
    static const std::string& why_not();
    /// For the server's own tests: another one.
    static std::unique_ptr<PostgresServer> start(std::string& why_not);
    ~PostgresServer();

    /// Of a store in a schema of this name.
    [[nodiscard]] const std::string& folder() const { return folder_; } ///< of its socket
    [[nodiscard]] std::string url(const std::string& schema) const;
    /// At once, as when the machine's power fails; and on again.
    void kill() { stop("immediate"); }
    void stop(const std::string& how); ///< `fast`: as whoever operates it does, with its transactions rolled back
    bool restart();

private:
    explicit PostgresServer(std::string folder) : folder_(std::move(folder)) {}
    bool run(const std::string& arguments) const;

    std::string folder_;
    pid_t owner_ = 0; ///< the process that started it: forked children leave it alone
};

} // namespace ptc::test
