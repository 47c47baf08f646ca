// The report page: the text of plots/report/report.html, compiled in through a generated source.
#pragma once

#include <string_view>

namespace arlab::bench {

extern const std::string_view kReportPage;

}  // namespace arlab::bench
