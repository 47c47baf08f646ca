# The npm package: the program as WebAssembly with its launcher, in ${PROJECT_BINARY_DIR}/package, which `npm pack` packs.
set(recipe ${PROJECT_SOURCE_DIR}/cmake/recipes/npm)
set(package ${PROJECT_BINARY_DIR}/package)
configure_file(${recipe}/package.json.in ${package}/package.json @ONLY)
configure_file(${recipe}/README.md ${package}/README.md COPYONLY)
configure_file(${recipe}/launch.js ${package}/bin/arlab.js COPYONLY)
configure_file(${PROJECT_SOURCE_DIR}/LICENSE ${package}/LICENSE COPYONLY)

# The licenses of libraries whose code the program holds, where Debian puts them. Boost's asks for no copy beside a program.
foreach(library libcli11-dev libfmt-dev libtomlplusplus-dev nlohmann-json3-dev emscripten)
  if(EXISTS /usr/share/doc/${library}/copyright)
    configure_file(/usr/share/doc/${library}/copyright ${package}/licenses/${library} COPYONLY)
  endif()
endforeach()
configure_file(${ARLAB_PUGIXML_SOURCE}/pugixml.hpp ${package}/licenses/pugixml COPYONLY)  # its license is in its last lines

set(programs $<TARGET_FILE_DIR:arlab>)
add_custom_target(arlab_npm ALL DEPENDS arlab VERBATIM
  COMMAND ${CMAKE_COMMAND} -E make_directory ${package}/lib
  COMMAND ${CMAKE_COMMAND} -E copy_if_different ${programs}/arlab.js ${programs}/arlab.wasm ${package}/lib)
