# What `cmake --install` writes: libptc.a and the libraries beside it, the public headers, ptcc, and the two ways to find them (CMake package, pkg-config).
include(CMakePackageConfigHelpers)
set(ptc_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ptc)

install(TARGETS ptc ptc_checkpoint ptc_providers ptc_telemetry ptc_mcp ptc_store EXPORT ptcTargets ARCHIVE)
foreach(public_dir ${ptc_public_dirs})
  install(DIRECTORY ${public_dir}/ptc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endforeach()
install(EXPORT ptcTargets NAMESPACE ptc:: DESTINATION ${ptc_package_dir})
configure_package_config_file(tools/ptcConfig.cmake.in ${PROJECT_BINARY_DIR}/ptcConfig.cmake
    INSTALL_DESTINATION ${ptc_package_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ptcConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ptcConfig.cmake ${PROJECT_BINARY_DIR}/ptcConfigVersion.cmake
    DESTINATION ${ptc_package_dir})

file(RELATIVE_PATH ptc_pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" ptc_pc_to_prefix ${ptc_pc_to_prefix})
foreach(name ptc ptc-checkpoint ptc-providers ptc-telemetry ptc-mcp ptc-store)
  configure_file(tools/${name}.pc.in ${PROJECT_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
if(TARGET ptcc)
  install(TARGETS ptcc)
endif()

# All that is installed, as a target: cmake --build .. --target installed, then cmake --install.
add_custom_target(installed DEPENDS ptc ptc_checkpoint ptc_providers ptc_telemetry ptc_mcp ptc_store)
if(TARGET ptcc)
  add_dependencies(installed ptcc)
endif()
