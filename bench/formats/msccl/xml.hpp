// MSCCL programs from and to XML.
#pragma once

#include <string>

#include "bench/formats/msccl/program.hpp"

namespace arlab::bench {

/// Throws Error(usage) that names the file and, for a wrong part, gpu, tb and step.
MscclProgram parse_msccl(const std::string& text, const std::string& path);

std::string to_xml(const MscclProgram& program);

}  // namespace arlab::bench
