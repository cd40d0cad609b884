#include <exportd/observe/symbol_table.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <fstream>
#include <link.h>
#include <memory>

namespace exportd::observe {
namespace {

constexpr std::size_t most_frames = 24;

template <class T>
bool read_at(std::ifstream& in, std::uint64_t offset, T* to, std::size_t count) {
    in.seekg(static_cast<std::streamoff>(offset));
    in.read(reinterpret_cast<char*>(to), static_cast<std::streamsize>(count * sizeof(T)));
    return in.good();
}

std::string demangled(const char* name) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text{
        abi::__cxa_demangle(name, nullptr, nullptr, &status), &std::free};
    constexpr std::size_t enough = 120;
    return text ? std::string{text.get()} : std::string{name}.substr(0, enough);
}

std::string place(const Dl_info& info, const void* code) {
    const std::string_view path = info.dli_fname == nullptr ? "?" : info.dli_fname;
    const auto offset = static_cast<const char*>(code) - static_cast<const char*>(info.dli_fbase);
    std::array<char, 24> hex{};
    std::snprintf(hex.data(), hex.size(), "+0x%lx", static_cast<unsigned long>(offset));
    return std::string{path.substr(path.rfind('/') + 1)} + hex.data();
}

bool plumbing(std::string_view name) {
    // Names of coroutine templates are beyond the demangler.
    return name.starts_with("boost::asio::") || name.starts_with("_ZN5boost4asio") ||
           name.starts_with("std::");
}

}  // namespace

symbol_table::symbol_table() {
    read("/proc/self/exe");
}

void symbol_table::read(const std::string& file) {
    std::ifstream in{file, std::ios::binary};
    Elf64_Ehdr head{};
    if (!read_at(in, 0, &head, 1) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
        head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_shentsize != sizeof(Elf64_Shdr))
        return;
    std::vector<Elf64_Shdr> sections(head.e_shnum);
    if (!read_at(in, head.e_shoff, sections.data(), sections.size())) return;
    const auto table = std::find_if(sections.begin(), sections.end(),
                                    [](const auto& s) { return s.sh_type == SHT_SYMTAB; });
    if (table == sections.end() || table->sh_link >= sections.size()) return;
    const auto& texts = sections[table->sh_link];
    std::vector<Elf64_Sym> symbols(table->sh_size / sizeof(Elf64_Sym));
    std::string names(texts.sh_size, '\0');
    if (!read_at(in, table->sh_offset, symbols.data(), symbols.size()) ||
        !read_at(in, texts.sh_offset, names.data(), names.size()))
        return;
    for (const auto& s : symbols) {
        if (ELF64_ST_TYPE(s.st_info) != STT_FUNC || s.st_size == 0 || s.st_name >= names.size())
            continue;
        functions_.push_back({s.st_value, s.st_size, s.st_name});
    }
    std::sort(functions_.begin(), functions_.end(),
              [](const function& a, const function& b) { return a.begin < b.begin; });
    names_ = std::move(names);
}

const char* symbol_table::find(std::uintptr_t address) const {
    auto at = std::upper_bound(functions_.begin(), functions_.end(), address,
                               [](std::uintptr_t a, const function& f) { return a < f.begin; });
    if (at == functions_.begin()) return nullptr;
    --at;
    return address - at->begin < at->size ? names_.c_str() + at->name : nullptr;
}

std::string symbol_table::name_of(const void* code) const {
    Dl_info info{};
    link_map* object = nullptr;
    if (dladdr1(code, &info, reinterpret_cast<void**>(&object), RTLD_DL_LINKMAP) == 0) return "?";
    if (object != nullptr && *object->l_name == '\0') {
        const char* name = find(reinterpret_cast<std::uintptr_t>(code) - object->l_addr);
        if (name != nullptr) return short_name(demangled(name));
    }
    return info.dli_sname != nullptr ? short_name(demangled(info.dli_sname)) : place(info, code);
}

std::string short_name(std::string_view text) {
    constexpr std::string_view nameless = "(anonymous namespace)";
    constexpr std::string_view op = "operator";
    std::string name;
    unsigned depth = 0;
    while (!text.empty()) {
        const bool outside = depth == 0;
        if (outside && text.starts_with(nameless)) {
            // Says nothing about who it is, and "::" follows.
            text.remove_prefix(std::min(nameless.size() + 2, text.size()));
            continue;
        }
        if (outside && text.starts_with(op)) {
            // Its signs are a name, too: all up to the parameters.
            const auto end = std::min(text.find('(', op.size() + 1), text.size());
            name += text.substr(0, end);
            text.remove_prefix(end);
            continue;
        }
        const char c = text.front();
        text.remove_prefix(1);
        if (c == '<' || c == '(' || c == '[') {
            ++depth;
        } else if (c == '>' || c == ')' || c == ']') {
            if (depth > 0) --depth;
        } else if (outside && c == ' ') {
            // What was before a blank is the type of the result, what is behind the parameters
            // is const or the name of a clone.
            if (text.starts_with("const") || text.starts_with("(.") || text.starts_with("[")) break;
            name.clear();
        } else if (outside) {
            name += c;
        }
    }
    return name;
}

std::string stack_text(const std::vector<void*>& frames, const symbol_table& symbols) {
    std::string text;
    std::size_t named = 0;
    for (std::size_t i = 0; i < frames.size() && named < most_frames; ++i) {
        // All but the innermost are the instructions after a call.
        const auto* code = static_cast<const char*>(frames[i]) - (i == 0 ? 0 : 1);
        const auto name = symbols.name_of(code);
        if (plumbing(name)) continue;
        if (named++ != 0) text += " < ";
        text += name;
    }
    return text;
}

}  // namespace exportd::observe
