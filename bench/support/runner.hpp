#pragma once

#include "options.hpp"
#include "result.hpp"

namespace bench {

// One warm-up round, then options.repeat rounds over all chosen cases, with progress on stderr.
// Throws, naming the case, if a case throws.
results run(const suite& suite, const options& options);

}
