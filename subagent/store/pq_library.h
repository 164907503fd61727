// PostgreSQL's libpq, loaded when the first store on a server is opened: it brings twenty shared libraries.
#pragma once
#include <libpq-fe.h>
#include <string>

namespace ptc {

/// The functions that we call, named as in libpq without its prefix.
struct PqLibrary {
#define PTC_PQ_FUNCTIONS(row)                                                                                          \
    row(connectdbParams) row(status) row(transactionStatus) row(errorMessage) row(finish) row(sendQuery)               \
        row(sendQueryParams) row(sendPrepare) row(sendQueryPrepared) row(setnonblocking) row(flush) row(isBusy)        \
            row(getResult) row(exec) row(resultStatus) row(resultErrorField) row(ntuples) row(nfields) row(ftype)      \
                row(getvalue) row(getlength) row(getisnull) row(cmdTuples) row(cmdStatus) row(clear)                   \
                    row(conninfoParse) row(conninfoFree) row(socket) row(consumeInput) row(notifies) row(freemem)      \
                        row(setNoticeProcessor) row(enterPipelineMode) row(exitPipelineMode) row(pipelineSync)         \
                            row(user) row(db) row(backendPID)
#define PTC_PQ_MEMBER(name) decltype(&PQ##name) name = nullptr;
    PTC_PQ_FUNCTIONS(PTC_PQ_MEMBER)
#undef PTC_PQ_MEMBER
};

/// Why this machine has no libpq that we can use; "" when it has. Loads it.
const std::string& pq_problem();

/// Only where pq_problem() is "".
const PqLibrary& pq();

} // namespace ptc
