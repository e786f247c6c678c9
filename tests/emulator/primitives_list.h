/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of primitives.cuh as tests of cmocka; the includer defines check_all(check). */
#define CHECK(name, ...)                                                                           \
    static void name(void **) {                                                                    \
        check_all([](const tulle__place *place) { return primitives::__VA_ARGS__; });              \
    }
CHECK(flags_of_32_bits, check_chain<int>(place) && primitives::check_chain<float>(place))
CHECK(flags_of_64_bits, check_chain<int64_t>(place) && primitives::check_chain<uint64_t>(place))
CHECK(values_that_are_flags, check_values<double>(place) && primitives::check_values<int>(place))
CHECK(updates_of_32_bits, check_updates<int>(place) && primitives::check_updates<unsigned>(place))
CHECK(updates_of_64_bits,
      check_updates<int64_t>(place) && primitives::check_updates<uint64_t>(place))
CHECK(tiles, check_tile(place))
CHECK(copies, check_copies<16, double>(place) && primitives::check_copies<8, double>(place) &&
                  primitives::check_copies<4, int>(place))
CHECK(resident_blocks, check_resident(place))
CHECK(graphs, check_graph(place))
CHECK(bits_and_scans, check_bits(place))
CHECK(side_by_side, check_side_by_side(place))

static const CMUnitTest all_tests[] = {
    cmocka_unit_test(flags_of_32_bits),
    cmocka_unit_test(flags_of_64_bits),
    cmocka_unit_test(values_that_are_flags),
    cmocka_unit_test(updates_of_32_bits),
    cmocka_unit_test(updates_of_64_bits),
    cmocka_unit_test(tiles),
    cmocka_unit_test(copies),
    cmocka_unit_test(resident_blocks),
    cmocka_unit_test(graphs),
    cmocka_unit_test(bits_and_scans),
    cmocka_unit_test(side_by_side),
    cmocka_unit_test(large_shared),
};
