// See frontend/json_writer.h.
#pragma once
#include "frontend/json_writer.h"
