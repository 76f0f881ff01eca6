# What `cmake --install` puts where, and the Debian package that is made of it.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# ---- the programs, and what ships with them ----

install(TARGETS tarry tarry_judge RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARRY_MPI)
  install(TARGETS tarry_mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(TARGETS tarry_simgrid LIBRARY DESTINATION lib/tarry)  # where sim/flow_module.cpp looks: ../lib/tarry
foreach(folder scenarios/cases scenarios/export scenarios/plans scenarios/graphs properties/conform/data properties/placement properties/tensorflow)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder}/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tarry/${folder}
    PATTERN "*.cpp" EXCLUDE PATTERN "*.hpp" EXCLUDE)
endforeach()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

# ---- the manual page and the shells ----

set(manual_page ${PROJECT_BINARY_DIR}/tarry.1.gz)
add_custom_command(OUTPUT ${manual_page} DEPENDS tarry tarry_judge VERBATIM
  COMMAND sh -c "'$<TARGET_FILE:tarry>' --man | gzip -9n > '${manual_page}'")
add_custom_target(tarry_manual_page ALL DEPENDS ${manual_page})
install(FILES ${manual_page} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
set(shells ${PROJECT_SOURCE_DIR}/scenarios/cli/install)
install(FILES ${shells}/tarry.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME tarry)
install(FILES ${shells}/_tarry DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${shells}/tarry.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# ---- the library ----

# A target for each big folder, of the libraries in it.
set(TARRY_LIBRARY tarry_proto)
function(tarry_folder name)
  add_library(tarry_${name}_folder INTERFACE)
  set_target_properties(tarry_${name}_folder PROPERTIES EXPORT_NAME ${name})
  target_link_libraries(tarry_${name}_folder INTERFACE ${ARGN})
  foreach(library ${ARGN})
    set_target_properties(${library} PROPERTIES EXPORT_NAME ${library})
  endforeach()
  set(TARRY_LIBRARY ${TARRY_LIBRARY} ${ARGN} tarry_${name}_folder PARENT_SCOPE)
endfunction()
tarry_folder(placer tarry_core tarry_graph tarry_device tarry_place tarry_lower tarry_partition)
tarry_folder(workers tarry_tensor tarry_rendezvous tarry_state tarry_kernels tarry_work tarry_executor tarry_worker
  tarry_master tarry_build tarry_train tarry_direct)
tarry_folder(sim tarry_sim)
tarry_folder(results tarry_results tarry_tables)
tarry_folder(scenarios tarry_programs tarry_job tarry_scenarios tarry_sweep tarry_cases)
install(TARGETS ${TARRY_LIBRARY} EXPORT tarryTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}/tarry)
foreach(folder placer workers sim results scenarios)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tarry
    FILES_MATCHING PATTERN "*.hpp" PATTERN "cases/*" EXCLUDE PATTERN "cli" EXCLUDE PATTERN "graphs" EXCLUDE
    PATTERN "*_test.hpp" EXCLUDE PATTERN "data" EXCLUDE PATTERN "proto" EXCLUDE)
endforeach()
set(config ${CMAKE_INSTALL_LIBDIR}/cmake/tarry)
install(EXPORT tarryTargets NAMESPACE tarry:: DESTINATION ${config})
set(TARRY_DEVELOPMENT_PACKAGES "g++ cmake pkg-config libboost-dev libfmt-dev libprotobuf-dev protobuf-compiler libabsl-dev \
libxxhash-dev libsqlite3-dev libzstd-dev zlib1g-dev libyaml-cpp-dev nlohmann-json3-dev libeigen3-dev libfarmhash-dev libre2-dev")
configure_package_config_file(${shells}/tarryConfig.cmake.in ${PROJECT_BINARY_DIR}/tarryConfig.cmake
  INSTALL_DESTINATION ${config})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tarryConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/tarryConfig.cmake ${PROJECT_BINARY_DIR}/tarryConfigVersion.cmake
  DESTINATION ${config})

# ---- the Debian package ----

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tarry)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The tarry authors <tarry@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "replays TensorFlow parameter-server clusters and tells what went wrong")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
string(REPLACE " " ", " CPACK_DEBIAN_PACKAGE_SUGGESTS "${TARRY_DEVELOPMENT_PACKAGES}")
include(CPack)
