#pragma once

#include <string>

namespace exportd::app {

// A token that is to be made, as the command line says it.
struct new_token {
    std::string name;
    std::string exports = "*";  // separated by commas
    bool raw = false;
    std::string max_range = "";    // "92d"; empty: the exports' own
    std::string expires = "365d";  // from now
};

// Prints the token to stdout, alone and for the only time, and its entry of the access file to
// stderr. Returns the exit code: 2, with a message, for a name or days that can't be used.
int make_new_token(const new_token& t);

}  // namespace exportd::app
