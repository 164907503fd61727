// The version of the headers, for hosts that build with several. CMake and `ptcc --version` read it here.
#pragma once

#define PTC_VERSION_MAJOR 0
#define PTC_VERSION_MINOR 1
#define PTC_VERSION_PATCH 0
#define PTC_VERSION "0.1.0"
/// For comparisons by the preprocessor: 200 is 0.2.0, and what is at least 200 is later or the same.
#define PTC_VERSION_NUMBER (PTC_VERSION_MAJOR * 10000 + PTC_VERSION_MINOR * 100 + PTC_VERSION_PATCH)
