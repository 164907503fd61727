# cmake -DBUILD=.. -DSOURCE=.. -DWORK=.. -DCXX=.. -DLIBDIR=.. -DGENERATOR=.. -P install_test.cmake
cmake_minimum_required(VERSION 3.25)

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  message("$ ${ARGN}\n${output}")
  if(result)
    message(FATAL_ERROR "failed: ${result}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_answer program) # and its arguments
  run(${program} ${ARGN})
  if(NOT output MATCHES "42")
    message(FATAL_ERROR "the consumer printed something else")
  endif()
endfunction()

# These are the examples of the README, to the letter.
file(READ ${SOURCE}/../../../README.md readme)
foreach(name main hello)
  file(READ ${SOURCE}/${name}.cpp example)
  string(FIND "${readme}" "```cpp\n${example}```" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "README.md and tests/install/consumer/${name}.cpp have gone apart")
  endif()
endforeach()

file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/installed)
# A moved tree must work too: nothing in it may name the prefix.
file(RENAME ${WORK}/installed ${WORK}/prefix)

run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${SOURCE} -B ${WORK}/cmake -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_CXX_COMPILER=${CXX})
run(${CMAKE_COMMAND} --build ${WORK}/cmake)
expect_answer(${WORK}/cmake/consumer)
expect_answer(${WORK}/cmake/neighbours)
expect_answer(${WORK}/cmake/allocator)
expect_answer(${WORK}/cmake/workers)
expect_answer(${WORK}/cmake/upstream ${WORK}/prefix/bin/ptcc)
# Without a key, the first agent says what it lacks.
execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=OPENAI_API_KEY ${WORK}/cmake/hello
                RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE said)
if(result EQUAL 0 OR NOT said MATCHES "OPENAI_API_KEY")
  message(FATAL_ERROR "hello without a key: ${result}, ${said}")
endif()

set(ENV{PKG_CONFIG_PATH} ${WORK}/prefix/${LIBDIR}/pkgconfig)
function(build_by_pkg_config source) # and the packages
  run(pkg-config --cflags ${ARGN})
  separate_arguments(cflags UNIX_COMMAND "${output}")
  run(pkg-config --libs ${ARGN})
  separate_arguments(libs UNIX_COMMAND "${output}")
  foreach(flag ${cflags})
    if(NOT flag MATCHES "^-I")
      message(FATAL_ERROR "${ARGN} give their users the flag ${flag}")
    endif()
  endforeach()
  run(${CXX} -std=c++20 ${cflags} ${SOURCE}/${source}.cpp ${libs} -o ${WORK}/${source}_by_pkg_config)
  expect_answer(${WORK}/${source}_by_pkg_config)
endfunction()
build_by_pkg_config(main ptc)
build_by_pkg_config(allocator ptc)
build_by_pkg_config(neighbours ptc-checkpoint ptc-telemetry ptc-mcp)
build_by_pkg_config(workers ptc-store)
