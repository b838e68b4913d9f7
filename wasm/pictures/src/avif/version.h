/* dav1d's version of its interface, which its build writes. */
#pragma once
#define DAV1D_API_VERSION_MAJOR 6
#define DAV1D_API_VERSION_MINOR 6
#define DAV1D_API_VERSION_PATCH 0
