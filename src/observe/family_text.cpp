#include "family_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>

namespace exportd::observe {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

constexpr std::string_view total = "_total";
constexpr std::array<std::string_view, 4> units{"seconds", "bytes", "ratio", "cores"};

std::string_view type_name(MetricType type) {
    switch (type) {
        case MetricType::Counter:
            return "counter";
        case MetricType::Histogram:
            return "histogram";
        default:
            return "gauge";
    }
}

void append_escaped(std::string& out, std::string_view text, bool quotes) {
    // Most texts need nothing.
    if (text.find_first_of("\n\\\"") == std::string_view::npos) {
        out += text;
        return;
    }
    for (const char c : text) {
        if (c == '\n') {
            out += "\\n";
        } else if (c == '\\' || (c == '"' && quotes)) {
            out += '\\';
            out += c;
        } else {
            out += c;
        }
    }
}

void append_number(std::string& out, double value) {
    constexpr double exact = 9007199254740992.0;  // 2^53: every integer up to here is one
    if (std::isnan(value)) {
        out += "NaN";
    } else if (std::isinf(value)) {
        out += value > 0 ? "+Inf" : "-Inf";
    } else if (std::abs(value) <= exact && std::trunc(value) == value) {
        const fmt::format_int digits{static_cast<std::int64_t>(value)};
        out.append(digits.data(), digits.size());
    } else {
        fmt::format_to(std::back_inserter(out), "{}", value);
    }
}

std::string bound_text(double bound) {
    std::string out;
    append_number(out, bound);
    if (std::isfinite(bound) && out.find_first_of(".e") == std::string::npos) out += ".0";
    return out;
}

class writer {
public:
    writer(std::string& out, exposition form) : out_{out}, form_{form} {}

    void write(const MetricFamily& family) {
        std::string_view name = family.name;
        if (form_ == exposition::openmetrics && family.type == MetricType::Counter)
            name.remove_suffix(total.size());
        comment("TYPE", name, type_name(family.type));
        if (form_ == exposition::openmetrics) unit(name);
        out_ += "# HELP ";
        out_ += name;
        out_ += ' ';
        append_escaped(out_, family.help, form_ == exposition::openmetrics);
        out_ += '\n';
        for (const auto& metric : family.metric)
            write(family, metric);
    }

private:
    void comment(std::string_view what, std::string_view name, std::string_view text) {
        fmt::format_to(std::back_inserter(out_), "# {} {} {}\n", what, name, text);
    }

    void unit(std::string_view name) {
        const auto word = name.substr(name.find_last_of('_') + 1);
        if (std::find(units.begin(), units.end(), word) != units.end()) comment("UNIT", name, word);
    }

    void write(const MetricFamily& family, const ClientMetric& metric) {
        label_text(metric);
        if (family.type == MetricType::Histogram) return write_buckets(family.name, metric);
        const bool counts = family.type == MetricType::Counter;
        begin(family.name, "");
        end(counts ? metric.counter.value : metric.gauge.value);
    }

    void write_buckets(std::string_view name, const ClientMetric& metric) {
        const auto& h = metric.histogram;
        for (std::size_t i = 0; i < h.bucket.size(); ++i) {
            const auto& bucket = h.bucket[i];
            if (i == bounds_.size()) bounds_.emplace_back();
            auto& bound = bounds_[i];
            if (bound.text.empty() || bound.value != bucket.upper_bound)
                bound = {bucket.upper_bound, bound_text(bucket.upper_bound)};
            begin(name, "_bucket", bound.text);
            end(static_cast<double>(bucket.cumulative_count));
        }
        begin(name, "_count");
        end(static_cast<double>(h.sample_count));
        begin(name, "_sum");
        end(h.sample_sum);
    }

    void begin(std::string_view name, std::string_view suffix, std::string_view bound = {}) {
        out_ += name;
        out_ += suffix;
        if (!labels_.empty() || !bound.empty()) {
            out_ += '{';
            out_ += labels_;
            if (!bound.empty()) {
                if (!labels_.empty()) out_ += ',';
                out_ += "le=\"";
                out_ += bound;
                out_ += '"';
            }
            out_ += '}';
        }
        out_ += ' ';
    }

    // The labels of one metric, which all its lines share.
    void label_text(const ClientMetric& metric) {
        labels_.clear();
        for (const auto& label : metric.label) {
            if (!labels_.empty()) labels_ += ',';
            labels_ += label.name;
            labels_ += "=\"";
            append_escaped(labels_, label.value, true);
            labels_ += '"';
        }
    }

    void end(double value) {
        append_number(out_, value);
        out_ += '\n';
    }

    struct bound_name {
        double value = 0;
        std::string text;
    };

    std::string& out_;
    exposition form_;
    std::string labels_;
    std::vector<bound_name> bounds_;  // of the last histogram; those of a family are alike
};

}  // namespace

std::string family_text(std::vector<MetricFamily> families, exposition form) {
    std::sort(families.begin(), families.end(),
              [](const auto& a, const auto& b) { return a.name < b.name; });
    std::string out;
    constexpr std::size_t usual = 64 * 1024;
    out.reserve(usual);
    writer text{out, form};
    for (auto& family : families) {
        std::sort(family.metric.begin(), family.metric.end(),
                  [](const auto& a, const auto& b) { return a.label < b.label; });
        text.write(family);
    }
    if (form == exposition::openmetrics) out += "# EOF\n";
    return out;
}

}  // namespace exportd::observe
