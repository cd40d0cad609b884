#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace exportd::observe {

// The functions of this program by address, as the linker named them: also those that no other
// program could call, coroutines above all, which dladdr() does not know. Reads the program's own
// file, so not on the loop. Without it, or when it was stripped, the dynamic symbols are left.
class symbol_table {
public:
    symbol_table();

    // What is at the address: a name as people write it, without parameters and template
    // arguments, or the library and the offset in it.
    std::string name_of(const void* code) const;

private:
    struct function {
        std::uintptr_t begin;  // in the file's own count
        std::uintptr_t size;
        std::uint32_t name;  // where it begins in names_
    };

    void read(const std::string& file);
    const char* find(std::uintptr_t address) const;

    std::vector<function> functions_;  // by address
    std::string names_;
};

// "a::b<c>::d(e) [clone .actor]" is "a::b::d": what a name is without parameters and arguments.
std::string short_name(std::string_view demangled);

// The names of the frames, the innermost first, joined by " < ". Frames of Asio and the C++
// library, which are in every stack, are left out; at most 24 others are named.
std::string stack_text(const std::vector<void*>& frames, const symbol_table& symbols);

}  // namespace exportd::observe
