// Data sets that a mission shares with others (MissionOptions::data): nothing of them is copied into the mission.
#pragma once
#include "frontend/bytes.h"
#include "ptc/data_set.h"
#include "ptc/result.h"
#include "subagent/agent/data_excerpt.h"
#include "subagent/agent/firewall.h"
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ptc {

class Template;
using DataSets = std::vector<std::shared_ptr<const DataSet>>;

/// What is firewalled in a data set, looked for once, and only where it was made of a text that may have such names.
/// When the time of the thread's work::Scope ends meanwhile it may be anything (Secrets::is_full), and whoever asks
/// next looks again.
std::shared_ptr<const Secrets> secrets_of(const DataSet& set);

/// The part of a context that the template names, as models may see it: of data sets (in the order in which names are
/// looked up, behind `context`) too. limit_exceeded for values that cannot leave the machine.
Result<Datum> context_shown_by(const Template& prompt, const Datum& context, const DataSets& sets);

/// The names in data sets, each with the first set that has it.
std::vector<std::pair<std::string, const DataSet*>> names_in(const DataSets& sets);

// What a snapshot says of data sets: their names and digests, in order.
void write_data_sets(ByteWriter& out, const DataSets& sets);
/// invalid_request when `sets` are not those that were written: which of them is missing, different or new.
Result<void> check_data_sets(ByteReader& in, const DataSets& sets);

} // namespace ptc
