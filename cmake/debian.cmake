# Run by `cpack -G DEB` when the files of all packages lie in folders, one per component, and before they are packed: adds and moves
# what Debian's policy asks for, and `cmake --install` does not know.
cmake_minimum_required(VERSION 3.25)
if(NOT CPACK_GENERATOR STREQUAL "DEB")
  return()
endif()

# The notes of the version, and their date, are those of CHANGELOG.md.
file(READ ${CPACK_ARLAB_SOURCE}/CHANGELOG.md notes)
if(NOT notes MATCHES "## \\[${CPACK_PACKAGE_VERSION}\\] - ([0-9-]+)")
  message(FATAL_ERROR "CHANGELOG.md has no version ${CPACK_PACKAGE_VERSION}: write what is new in it")
endif()
execute_process(COMMAND date --utc --rfc-email --date=${CMAKE_MATCH_1} OUTPUT_VARIABLE date OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "^[0-9]+" year "${CMAKE_MATCH_1}")

function(write_compressed file text)
  file(WRITE ${file} "${text}")
  execute_process(COMMAND gzip -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(add_documents root package)
  set(documents ${root}/share/doc/${package})
  file(REMOVE ${root}/share/doc/arlab/LICENSE)  # of which Debian has one copy for all packages
  file(GLOB others ${root}/share/doc/arlab/*)
  if(NOT others)
    file(REMOVE_RECURSE ${root}/share/doc/arlab)
  endif()
  file(WRITE ${documents}/copyright "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Allreduce Lab

Files: *
Copyright: ${year} The Allreduce Lab maintainers
License: Apache-2.0
 On Debian systems, the full text of the Apache License 2.0 is in
 /usr/share/common-licenses/Apache-2.0.
")
  write_compressed(${documents}/changelog "${package} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Allreduce Lab ${CPACK_PACKAGE_VERSION}. NEWS.gz of the package arlab lists what is new.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}
")
endfunction()

# To /usr/lib/python3, where the system's Python looks, with what pip lists; not the folder that pip would install.
function(move_python_package root component)
  set(from ${root}/share/arlab/python)
  set(to ${root}/lib/python3/dist-packages)
  file(MAKE_DIRECTORY ${to})
  if(component STREQUAL "python")
    execute_process(COMMAND ${CPACK_ARLAB_PYTHON} -B -c "import sys, zipfile, arlab_wheel; zipfile.ZipFile(sys.argv[1] + arlab_wheel.build_wheel(sys.argv[1])).extractall(sys.argv[2])"
                    ${from}/ ${to} WORKING_DIRECTORY ${from} COMMAND_ERROR_IS_FATAL ANY)
    file(REMOVE ${to}/arlab-${CPACK_PACKAGE_VERSION}.dist-info/RECORD)  # the package manager's task
    file(GLOB modules ${to}/arlab/*.so)
    file(CHMOD ${modules} PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  else()
    file(MAKE_DIRECTORY ${to}/arlab)
    file(RENAME ${from}/arlab/torch ${to}/arlab/torch)
  endif()
  file(REMOVE_RECURSE ${root}/share/arlab)
endfunction()

# What programs load by its path lies in a folder of its own, as Debian wants it: the linker's folders are for what programs link.
function(move_plugins root)
  file(GLOB plugins ${root}/lib/*.so)
  set(to ${root}/lib/${CPACK_ARLAB_ARCHITECTURE}/arlab)
  file(MAKE_DIRECTORY ${to})
  foreach(plugin ${plugins})
    cmake_path(GET plugin FILENAME name)
    file(RENAME ${plugin} ${to}/${name})
  endforeach()
endfunction()

# Without search paths for what packages of the system hold: the loader finds that by itself.
function(remove_system_paths root)
  file(GLOB_RECURSE files ${root}/bin/* ${root}/lib/*.so)
  foreach(file ${files})
    if(IS_SYMLINK ${file})
      continue()
    endif()
    file(READ_ELF ${file} RUNPATH paths CAPTURE_ERROR error)
    string(REPLACE ":" ";" paths "${paths}")
    list(FILTER paths EXCLUDE REGEX "^/usr/lib/")
    if(paths STREQUAL "" AND NOT error)
      file(RPATH_REMOVE FILE ${file})
    endif()
  endforeach()
endfunction()

# A program without shared libraries holds parts of several, on purpose.
function(explain_static_program root package)
  file(WRITE ${root}/share/lintian/overrides/${package} "# The program needs no library of the system: it is for machines that have other ones.
${package}: embedded-library
${package}: shared-library-lacks-prerequisites
")
endfunction()

foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX})
  if(NOT IS_DIRECTORY ${root})
    message(FATAL_ERROR "No files of component ${component} in ${root}: build all targets first")
  endif()
  add_documents(${root} ${package})
  if(component MATCHES "^(python|torch)$")
    move_python_package(${root} ${component})
  endif()
  if(component STREQUAL "plugins")
    move_plugins(${root})
  endif()
  remove_system_paths(${root})
  if(component STREQUAL "program")
    file(COPY_FILE ${CPACK_ARLAB_SOURCE}/CHANGELOG.md ${root}/share/doc/${package}/NEWS)
    file(GLOB pages ${root}/share/man/man1/*.1)
    execute_process(COMMAND gzip -9n ${root}/share/doc/${package}/NEWS ${pages} COMMAND_ERROR_IS_FATAL ANY)
    if(CPACK_ARLAB_STATIC)
      explain_static_program(${root} ${package})
    endif()
  endif()
endforeach()
