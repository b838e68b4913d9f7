#pragma once
#define DAV1D_VERSION "1.0.0"
