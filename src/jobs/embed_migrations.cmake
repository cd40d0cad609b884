# Writes OUTPUT, the C++ list of the migrations in FILES, whose names are NNNN_NAME.sql.
set(list "")
foreach(file IN LISTS FILES)
  get_filename_component(name ${file} NAME_WE)
  string(REGEX MATCH "^0*([0-9]+)_" ignored ${name})
  if(NOT ignored)
    message(FATAL_ERROR "${file}: expected a name such as 0001_jobs.sql")
  endif()
  file(READ ${file} script)
  string(APPEND list "    {${CMAKE_MATCH_1}, \"${name}\", R\"sql(${script})sql\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include <exportd/jobs/migrations.hpp>

#include <array>

namespace exportd::jobs {

std::span<const migration> migrations() {
    static constexpr auto all = std::to_array<migration>({
${list}    });
    return all;
}

}  // namespace exportd::jobs
")
