// What a worker says of itself over HTTP: /livez, /readyz, /metrics.
#pragma once
#include "ptc/worker.h"
#include "tools/serve/http_server.h"
#include <memory>

namespace ptc {

/// The metrics as Prometheus reads them (text format 0.0.4).
std::string metrics_text(const WorkerCounts& counts, const std::optional<std::vector<MissionStore::Count>>& missions);

/// Serves the status of `worker` on a thread of its own. All that is given outlives it.
class WorkerStatus {
public:
    /// /metrics needs the key, "" for none; /livez and /readyz do not. invalid_request when the port is taken, and
    /// without a key beyond the loopback. Port 0 picks one.
    static Result<std::unique_ptr<WorkerStatus>> listen(const std::string& host, std::uint16_t port,
                                                        const std::string& key, const Worker& worker,
                                                        std::shared_ptr<MissionStore> store);
    ~WorkerStatus();
    WorkerStatus(const WorkerStatus&) = delete;
    WorkerStatus& operator=(const WorkerStatus&) = delete;
    [[nodiscard]] std::uint16_t port() const;
    /// /readyz says so from now on; /livez goes on.
    void note_draining();

private:
    struct Impl;
    explicit WorkerStatus(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

} // namespace ptc
