#include "../support/program.hpp"
#include "cases.hpp"
#include "database.hpp"
#include "goals.hpp"

int main(int argc, char** argv)
{
    namespace publish = bench::publish;
    bench::suite suite{"publish", {.name = "k events/s", .per_second = 1e3}};
    suite.describe([] { return publish::the_database().settings(); });
    publish::add_single_cases(suite);
    publish::add_bulk_cases(suite);
    publish::add_prepare_cases(suite);
    return bench::run_program(suite, publish::systems::cuebox, publish::judge, argc, argv);
}
