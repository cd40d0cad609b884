#include "source_directory.hpp"

std::string source_directory() {
    return EXPORTD_SOURCE_DIR;
}
