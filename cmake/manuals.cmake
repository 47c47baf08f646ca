# cmake -D programs=FOLDER -D share=PREFIX/share [-D emulator=PROGRAM] -P manuals.cmake, when the programs in the folder are installed:
# writes their manual pages and completions of shells. The emulator runs programs for another processor.
cmake_minimum_required(VERSION 3.25)
file(MAKE_DIRECTORY ${share}/man/man1 ${share}/bash-completion/completions ${share}/zsh/site-functions ${share}/fish/vendor_completions.d)
set(arlab ${emulator} ${programs}/arlab)
foreach(completion bash:bash-completion/completions/arlab zsh:zsh/site-functions/_arlab fish:fish/vendor_completions.d/arlab.fish)
  string(REPLACE ":" ";" completion ${completion})
  list(POP_FRONT completion shell file)
  execute_process(COMMAND ${arlab} completion ${shell} OUTPUT_FILE ${share}/${file} COMMAND_ERROR_IS_FATAL ANY)
endforeach()

# The page of a program that has no commands, or is more than its commands: what its --help prints.
function(write_manual_of_help program)
  execute_process(COMMAND ${emulator} ${programs}/${program} --help OUTPUT_VARIABLE help COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCH "^([^\n]*)\n+Usage:[^\n]*\n+(.*)" help "${help}")
  set(help "${CMAKE_MATCH_2}")
  string(REGEX REPLACE "^[A-Z][A-Za-z ]*: |\\.$" "" about "${CMAKE_MATCH_1}")
  foreach(text program about help)
    string(REPLACE "\\" "\\e" shown_${text} "${${text}}")
    string(REPLACE "-" "\\-" shown_${text} "${shown_${text}}")
    string(REGEX REPLACE "(^|\n)([.'])" "\\1\\\\&\\2" shown_${text} "${shown_${text}}")
  endforeach()
  string(TOUPPER ${program} title)
  file(WRITE ${share}/man/man1/${program}.1 ".TH ${title} 1 \"\" \"Allreduce Lab\"
.SH NAME
${shown_program} \\- ${shown_about}
.SH SYNOPSIS
.B ${shown_program}
[\\fIoptions\\fR]
.SH DESCRIPTION
.nf
${shown_help}
.fi
.SH \"SEE ALSO\"
${ARGN}
")
endfunction()

execute_process(COMMAND ${arlab} complete -- "" OUTPUT_VARIABLE commands COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "\nhelp\n.*" "" commands "${commands}")
string(REGEX MATCHALL "[^\n]+" commands "${commands}")
set(pages "")
foreach(command ${commands})
  execute_process(COMMAND ${arlab} manual ${command} OUTPUT_FILE ${share}/man/man1/arlab-${command}.1 COMMAND_ERROR_IS_FATAL ANY)
  list(APPEND pages "\\fBarlab\\-${command}\\fR(1)")
endforeach()
list(JOIN pages ", " pages)
write_manual_of_help(arlab "${pages}")
file(GLOB perf RELATIVE ${programs} ${programs}/*_perf ${programs}/*_perf_mpi)
foreach(program ${perf})
  write_manual_of_help(${program} "\\fBarlab\\fR(1), \\fBarlab\\-run\\fR(1)")
endforeach()
