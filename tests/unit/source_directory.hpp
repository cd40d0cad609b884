#pragma once

#include <string>

// The checkout that the tests were built from.
std::string source_directory();
