// Micro-benchmarks: the inner loops of the lab, one file for each, timed with Google Benchmark.
//
// bench/micro/<stem>.cpp defines `void register_<stem>()` in namespace arlab::bench::micro and
// registers its benchmarks there, looping over catalogs. The build finds the file.
#pragma once

namespace arlab::bench::micro {

/// Calls every register_<stem>().
void register_all();

}  // namespace arlab::bench::micro
