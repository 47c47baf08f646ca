# The configure summary: what is on, what is off, and how to get it.

# arlab_feature(<name> <ON|OFF> <text>): <text> says what was found, or how to get what is missing.
function(arlab_feature name state text)
  if(state)
    set(word "on ")
  else()
    set(word "off")
  endif()
  set_property(GLOBAL APPEND PROPERTY ARLAB_FEATURES "  ${name} ${word}  ${text}")
endfunction()

function(arlab_print_summary)
  get_property(features GLOBAL PROPERTY ARLAB_FEATURES)
  list(JOIN features "\n" lines)
  message(STATUS "Allreduce Lab ${PROJECT_VERSION}, ${CMAKE_BUILD_TYPE}\n${lines}")
endfunction()
