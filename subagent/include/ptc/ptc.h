// Everything a host needs: #include <ptc/ptc.h>, link ptc::ptc.
#pragma once
#include "ptc/agent.h"
#include "ptc/cache_key.h"
#include "ptc/data_set.h"
#include "ptc/datum.h"
#include "ptc/engine.h"
#include "ptc/llm.h"
#include "ptc/mission.h"
#include "ptc/signature.h"
#include "ptc/step.h"
#include "ptc/template.h"
#include "ptc/tool.h"
#include "ptc/trace.h"
