# Debian packages of what `cmake --install` installs, by `cpack -G DEB` in a build folder: one per component that this build has. Which
# packages they need follows from the libraries that their files name. cmake/debian.cmake adds what Debian asks for.
set(maintainer "The Allreduce Lab maintainers <arlab@example.org>")
if(DEFINED ENV{DEBEMAIL})  # as Debian's own tools
  set(maintainer "$ENV{DEBFULLNAME} <$ENV{DEBEMAIL}>")
endif()
set(ARLAB_PACKAGE_MAINTAINER "${maintainer}" CACHE STRING "Name and mail address of who answers for the Debian packages")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${ARLAB_PACKAGE_MAINTAINER}")

# arlab_debian_package(<component> <package> <section> <synopsis> <lines that describe it>): if there is the target
function(arlab_debian_package component package section synopsis description target)
  if(NOT TARGET ${target})
    return()
  endif()
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  set(CPACK_COMPONENTS_ALL ${CPACK_COMPONENTS_ALL} PARENT_SCOPE)
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section} PARENT_SCOPE)
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${synopsis}\n${description}" PARENT_SCOPE)
endfunction()

arlab_debian_package(program arlab science "allreduce algorithm simulator and benchmarking suite"
  "Proves, counts, simulates, runs, and compares algorithms of allreduce and\nrelated collectives, on threads, MPI, and simulated networks." arlab)
arlab_debian_package(plugins arlab-plugins libs "Allreduce Lab's algorithms inside other software"
  "A library to preload into unmodified MPI programs, and a tuner that NCCL\nloads." arlab_nccl_tuner)
arlab_debian_package(development libarlab-dev libdevel "Allreduce Lab's libraries for C++"
  "Headers, static libraries, and the CMake package arlab: algorithms as\nprograms of one rank, their verifier, simulator, and executors." arlab_algorithms)
arlab_debian_package(python python3-arlab python "allreduce algorithms in Python, proved and simulated"
  "Algorithms of collectives as generators, one for each rank: proofs, counts,\nsimulations, pictures, and real runs." arlab_python)
if(TARGET arlab_python)  # which it is a part of
  arlab_debian_package(torch python3-arlab-torch python "Allreduce Lab's backend of torch.distributed"
    "The module arlab.torch: PyTorch's distributed training through Allreduce\nLab's algorithms, over MPI." arlab_torch_plugin)
endif()

set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "python3-matplotlib, openmpi-bin")  # of charts, and of jobs on several ranks
set(CPACK_DEBIAN_PLUGINS_PACKAGE_SUGGESTS "arlab")  # whose `arlab tune` writes their tables
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "python3-matplotlib, python3-networkx, python3-pandas")
if(TARGET arlab_python)  # a compiled module fits one minor version
  execute_process(COMMAND ${ARLAB_PYTHON} -c "import sys; print('python3 (>= %d.%d), python3 (<< %d.%d)' % (*sys.version_info[:2], sys.version_info[0], sys.version_info[1] + 1))"
                  OUTPUT_VARIABLE CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  set(CPACK_DEBIAN_TORCH_PACKAGE_DEPENDS "${CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS}, python3-arlab (= ${PROJECT_VERSION}), python3-torch")
endif()
# What find_package(arlab) finds first.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "")
foreach(found "MPI:libopenmpi-dev" "Boost:libboost-graph-dev" "Protobuf:libprotobuf-dev" "ZLIB:zlib1g-dev" "fmt:libfmt-dev"
        "nlohmann_json:nlohmann-json3-dev" "CLI11:libcli11-dev")
  string(REGEX MATCHALL "[^:]+" found "${found}")
  list(POP_FRONT found name package)
  if(dependencies MATCHES "find_dependency\\(${name}[ )]")  # of cmake/install.cmake
    list(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ${package})
  endif()
endforeach()
list(JOIN CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS)
foreach(part PYTHON TORCH)
  set(CPACK_DEBIAN_${part}_PACKAGE_CONTROL_EXTRA "")
  foreach(script postinst prerm)
    set(written ${PROJECT_BINARY_DIR}/debian/${part}/${script})
    set(ARLAB_PACKAGE ${CPACK_DEBIAN_${part}_PACKAGE_NAME})
    configure_file(${PROJECT_SOURCE_DIR}/cmake/recipes/debian/${script} ${written} @ONLY
                   FILE_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
    list(APPEND CPACK_DEBIAN_${part}_PACKAGE_CONTROL_EXTRA ${written})
  endforeach()
endforeach()

set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")  # it would be the first line of every package's description
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/debian.cmake)
set(CPACK_ARLAB_SOURCE ${PROJECT_SOURCE_DIR})
set(CPACK_ARLAB_STATIC ${ARLAB_STATIC})
set(CPACK_ARLAB_ARCHITECTURE "${CMAKE_LIBRARY_ARCHITECTURE}")
set(CPACK_ARLAB_PYTHON ${ARLAB_PYTHON})
set(CPACK_GENERATOR DEB)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
