#pragma once

#include "../support/suite.hpp"

// Each system registers its cases for the workloads of workloads.hpp.
namespace bench::mailbox {

void add_cuebox_cases(suite& suite);
void add_caf_cases(suite& suite);
void add_asio_channel_cases(suite& suite);

}
