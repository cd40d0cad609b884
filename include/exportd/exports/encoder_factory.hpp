#pragma once

#include <exportd/exports/catalog.hpp>
#include <exportd/exports/request.hpp>
#include <exportd/exports/row_encoder.hpp>
#include <exportd/rows/column.hpp>

#include <memory>
#include <string>
#include <vector>

namespace exportd::exports {

// Makes the encoder of an export from the columns its query really has. Holds the formatters of
// every locale and zone in the catalog, each made once here and used by all encoders, which
// therefore belong to one thread, together with the factory that made them.
class encoder_factory {
public:
    // Takes some ten milliseconds per locale. Throws std::runtime_error naming the export whose
    // locale or style ICU does not know.
    explicit encoder_factory(const catalog& c);
    ~encoder_factory();

    // Cheap enough for every request. Throws std::runtime_error in words for the export's author:
    // a configured column that the query lacks, a format that does not fit the type, a type
    // without a decoder ("cast column x of type inet to text in the query").
    std::unique_ptr<row_encoder> make(const definition& d, values v, bool excel,
                                      const std::vector<rows::column>& columns) const;

    // A line per locale: which formatters write without ICU.
    std::vector<std::string> describe() const;

private:
    class formatters;
    std::unique_ptr<column_encoder> make_formatted(const definition& d,
                                                   const column_definition& shown,
                                                   const std::vector<rows::column>& columns,
                                                   std::size_t index) const;

    std::unique_ptr<formatters> formatters_;
};

// The header row of an export, as far as it is known without its query.
std::vector<std::string> configured_headings(const definition& d);

}  // namespace exportd::exports
