# What `cmake --install` installs: the package that find_package(arlab) finds (component development: libraries arlab::*, headers), the
# programs (program), plugins of other software (plugins), and the Python package (python) with its backend of torch.distributed (torch).
include(CMakePackageConfigHelpers)

get_property(libraries GLOBAL PROPERTY ARLAB_LIBRARIES)
list(REMOVE_ITEM libraries arlab_training_torch)  # below: only users who ask for it need LibTorch
set(headers DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/arlab COMPONENT development)
install(TARGETS ${libraries} EXPORT arlab ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development FILE_SET HEADERS ${headers})
foreach(program arlab arlab_train)
  if(TARGET ${program})
    install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  endif()
endforeach()

# Manual pages and completions of shells, which the program that is installed writes itself.
if(TARGET arlab)
  install(CODE "
    execute_process(COMMAND \"${CMAKE_COMMAND}\" \"-Dprograms=$<TARGET_FILE_DIR:arlab>\"
                            \"-Demulator=${CMAKE_CROSSCOMPILING_EMULATOR}\"
                            \"-Dshare=\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\"
                            -P \"${PROJECT_SOURCE_DIR}/cmake/manuals.cmake\" COMMAND_ERROR_IS_FATAL ANY)
  " COMPONENT program)
endif()

# The license, and on Debian those of libraries whose code the programs hold. Boost's asks for no copy beside a program.
foreach(component program plugins development python torch)
  install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/arlab COMPONENT ${component})
endforeach()
set(held libcli11-dev libfmt-dev libtomlplusplus-dev nlohmann-json3-dev)
if(ARLAB_STATIC)
  list(APPEND held libc6 libpugixml-dev libstdc++6 zlib1g-dev)
endif()
foreach(library ${held})
  if(EXISTS /usr/share/doc/${library}/copyright)
    install(FILES /usr/share/doc/${library}/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/arlab/licenses RENAME ${library} COMPONENT program)
  endif()
endforeach()

# The packages that a user of those libraries must find first.
set(dependencies "set(THREADS_PREFER_PTHREAD_FLAG ON)")
foreach(library ${libraries})
  get_target_property(links ${library} INTERFACE_LINK_LIBRARIES)
  foreach(package "Threads" "MPI COMPONENTS CXX" "Boost COMPONENTS graph" "CUDAToolkit" "Protobuf" "ZLIB" "fmt" "nlohmann_json" "CLI11")
    string(REGEX MATCH "^[A-Za-z0-9_]+" namespace ${package})
    string(REPLACE "CUDAToolkit" "CUDA" namespace ${namespace})
    string(REPLACE "Protobuf" "protobuf" namespace ${namespace})
    if(links MATCHES "(^|[;:])${namespace}::")
      list(APPEND dependencies "find_dependency(${package})")
    endif()
  endforeach()
endforeach()
list(REMOVE_DUPLICATES dependencies)
list(JOIN dependencies "\n" dependencies)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/arlab)
if(TARGET arlab_training_torch)
  install(TARGETS arlab_training_torch EXPORT arlab_torch ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
          FILE_SET HEADERS ${headers})
  install(EXPORT arlab_torch NAMESPACE arlab:: FILE arlabTorchTargets.cmake DESTINATION ${package} COMPONENT development)
endif()
install(EXPORT arlab NAMESPACE arlab:: FILE arlabTargets.cmake DESTINATION ${package} COMPONENT development)
list(TRANSFORM libraries REPLACE "^arlab_" "" OUTPUT_VARIABLE components)
list(JOIN components ", " components)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/arlabConfig.cmake @ONLY CONTENT [[
include(CMakeFindDependencyMacro)
@dependencies@
include(${CMAKE_CURRENT_LIST_DIR}/arlabTargets.cmake)
foreach(component ${arlab_FIND_COMPONENTS})
  set(arlab_${component}_FOUND FALSE)
  if(component STREQUAL "torch" AND EXISTS ${CMAKE_CURRENT_LIST_DIR}/arlabTorchTargets.cmake)
    find_dependency(Torch)
    include(${CMAKE_CURRENT_LIST_DIR}/arlabTorchTargets.cmake)
    set(arlab_torch_FOUND TRUE)
  elseif(TARGET arlab::${component})
    set(arlab_${component}_FOUND TRUE)
  endif()
  if(NOT arlab_${component}_FOUND AND arlab_FIND_REQUIRED_${component})
    set(arlab_FOUND FALSE)
    if(component STREQUAL "torch")
      set(arlab_NOT_FOUND_MESSAGE "this arlab was built without torch: install LibTorch, then build and install arlab again")
    else()
      set(arlab_NOT_FOUND_MESSAGE "this arlab has no component '${component}': use @components@, or torch")
    endif()
  endif()
endforeach()
]])
write_basic_package_version_file(${PROJECT_BINARY_DIR}/arlabConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/arlabConfig.cmake ${PROJECT_BINARY_DIR}/arlabConfigVersion.cmake
        DESTINATION ${package} COMPONENT development)
