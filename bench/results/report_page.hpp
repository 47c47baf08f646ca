// The text of plots/report/report.html; report_page.cpp is generated from it.
#pragma once

#include <string_view>

namespace arlab::bench {

extern const std::string_view kReportPage;

}  // namespace arlab::bench
