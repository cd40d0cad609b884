#include <exportd/app/text_file.hpp>

#include <array>
#include <fstream>

namespace exportd::app {

std::optional<std::string> read_text_file(const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    if (!in) return std::nullopt;
    std::string text;
    std::array<char, 4096> block;
    do {
        in.read(block.data(), block.size());
        text.append(block.data(), static_cast<std::size_t>(in.gcount()));
    } while (in);
    // Opening a directory succeeds; reading it does not.
    if (in.bad()) return std::nullopt;
    return text;
}

}  // namespace exportd::app
