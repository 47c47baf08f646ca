# Public headers: what other projects include as <arlab/...>, and what the package installs.

# arlab_public_headers(<library> <patterns...>): the headers of a library that other projects include, as glob patterns relative
# to the library's folder. The headers that these include become public, too.
function(arlab_public_headers library)
  foreach(pattern ${ARGN})
    file(GLOB headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/${pattern})
    if(NOT headers)
      message(FATAL_ERROR "arlab_public_headers(${library}): no header matches ${pattern}, correct the list")
    endif()
    foreach(header ${headers})
      arlab_add_public_header(arlab_${library} ${header})
    endforeach()
  endforeach()
endfunction()

# In the build tree, <arlab/...> is a link to the sources.
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/include)
file(CREATE_LINK ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/include/arlab SYMBOLIC)

# Adds one header, relative to the root, and those of our headers that it includes. Each goes to the library of its folder.
function(arlab_add_public_header library header)
  get_property(known GLOBAL PROPERTY ARLAB_PUBLIC_HEADERS)
  if(header IN_LIST known)
    return()
  endif()
  set_property(GLOBAL APPEND PROPERTY ARLAB_PUBLIC_HEADERS ${header})
  target_sources(${library} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR} FILES ${PROJECT_SOURCE_DIR}/${header})
  file(STRINGS ${PROJECT_SOURCE_DIR}/${header} includes REGEX "^#include \"")
  foreach(include ${includes})
    string(REGEX REPLACE "^#include \"([^\"]+)\".*" "\\1" include "${include}")
    if(include MATCHES "^([a-z]+)/" AND EXISTS ${PROJECT_SOURCE_DIR}/${include})
      arlab_add_public_header(arlab_${CMAKE_MATCH_1} ${include})
    endif()
  endforeach()
endfunction()
