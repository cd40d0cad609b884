# Writes OUTPUT, the C++ list of the FILES of the page, byte by byte: they may be anything.
set(list "")
set(texts "")
set(number 0)
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME)
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${hex}")
  string(APPEND texts "constexpr char file_${number}[] = {${bytes}'\\0'};\n")
  string(APPEND list "    {\"${name}\", {file_${number}, sizeof file_${number} - 1}},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUTPUT} "#include <exportd/http/page_asset.hpp>

#include <array>

namespace exportd::http {
namespace {

${texts}
}  // namespace

std::span<const page_asset> page_assets() {
    static constexpr auto all = std::to_array<page_asset>({
${list}    });
    return all;
}

}  // namespace exportd::http
")
