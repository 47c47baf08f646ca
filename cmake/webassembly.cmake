# The program as WebAssembly for Node, by Emscripten: `emcmake cmake --preset npm`. It does what needs no threads, other processes,
# MPI, or GPU.
set(ARLAB_PUGIXML_SOURCE "" CACHE PATH "For WebAssembly: the folder of pugixml.cpp, as `apt-get source pugixml` brings it")
if(NOT EMSCRIPTEN)
  return()
endif()
if(EMSCRIPTEN_VERSION VERSION_LESS 3.1.60)
  message(FATAL_ERROR "Emscripten ${EMSCRIPTEN_VERSION} has a C++ library without std::ranges: use 3.1.60 or newer, such as Debian 13's package emscripten")
endif()
arlab_leave_out("WebAssembly has neither shared libraries nor GPUs")
set(ARLAB_HARDEN OFF)  # its memory and calls are checked by the engine
set(ARLAB_TESTS OFF)
set(ARLAB_MICRO OFF)
set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)

add_compile_options(-fwasm-exceptions -msimd128 -D_GNU_SOURCE -D_LIBCPP_ENABLE_EXPERIMENTAL)  # std::jthread
add_link_options(-fwasm-exceptions)
# Files are those of the system. Memory may grow to all that 32 bits address.
set(ARLAB_NODE_OPTIONS -sNODERAWFS=1 -sENVIRONMENT=node -sEXIT_RUNTIME=1 -sALLOW_MEMORY_GROWTH=1 -sMAXIMUM_MEMORY=4GB -sSTACK_SIZE=8MB
    --pre-js=${PROJECT_SOURCE_DIR}/cmake/recipes/npm/before.js)
set(ARLAB_NODE_SOURCES ${PROJECT_SOURCE_DIR}/cmake/recipes/npm/missing.cpp)

# Libraries that are headers only, in a folder without the system's C headers. find_package() finds them by what is written here.
find_path(ARLAB_HEADERS CLI/CLI.hpp PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH DOC "For WebAssembly: the folder of the libraries' headers")
mark_as_advanced(ARLAB_HEADERS)
set(ARLAB_HEADER_LINKS ${PROJECT_BINARY_DIR}/libraries)
file(MAKE_DIRECTORY ${ARLAB_HEADER_LINKS})

# arlab_header_library(<package> <target> <folder of headers> [definitions...])
function(arlab_header_library package target folder)
  if(NOT EXISTS ${ARLAB_HEADERS}/${folder})
    message(FATAL_ERROR "no ${ARLAB_HEADERS}/${folder}: ./lab packages installs it; -DARLAB_HEADERS= names another folder")
  endif()
  file(CREATE_LINK ${ARLAB_HEADERS}/${folder} ${ARLAB_HEADER_LINKS}/${folder} SYMBOLIC)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${ARLAB_HEADER_LINKS})
  target_compile_definitions(${target} INTERFACE ${ARGN})
  string(TOLOWER ${package} package_file)
  file(WRITE ${CMAKE_FIND_PACKAGE_REDIRECTS_DIR}/${package_file}-config.cmake "set(${package}_VERSION \"headers of ${ARLAB_HEADERS}\")\n")
endfunction()
arlab_header_library(CLI11 CLI11::CLI11 CLI)
arlab_header_library(fmt fmt::fmt-header-only fmt FMT_HEADER_ONLY=1)
arlab_header_library(nlohmann_json nlohmann_json::nlohmann_json nlohmann)
arlab_header_library(tomlplusplus tomlplusplus::tomlplusplus toml++ TOML_HEADER_ONLY=1)
arlab_header_library(Boost Boost::graph boost)

# pugixml is one source, which packages of headers leave out.
if(NOT EXISTS ${ARLAB_PUGIXML_SOURCE}/pugixml.cpp)
  message(FATAL_ERROR "ARLAB_PUGIXML_SOURCE is '${ARLAB_PUGIXML_SOURCE}', which holds no pugixml.cpp: `apt-get source pugixml` brings it, "
                      "in its folder src (needs Types: deb-src in /etc/apt)")
endif()
add_library(arlab_pugixml OBJECT ${ARLAB_PUGIXML_SOURCE}/pugixml.cpp)
target_include_directories(arlab_pugixml SYSTEM PUBLIC ${ARLAB_PUGIXML_SOURCE})
file(WRITE ${CMAKE_FIND_PACKAGE_REDIRECTS_DIR}/pugixml-config.cmake "set(pugixml_VERSION \"source\")\n")
set(ARLAB_FMT fmt::fmt-header-only)
set(ARLAB_PUGIXML arlab_pugixml $<TARGET_OBJECTS:arlab_pugixml>)
