#pragma once

#include <cuebox/compose/kinds.hpp>
#include <cuebox/compose/spec.hpp>
#include <cuebox/runtime/tree.hpp>

#include <map>
#include <memory>
#include <string>

namespace cuebox {

// The loops that a description may name. The tree's root runs on the one it is composed with.
using loops = std::map<std::string, loop*, std::less<>>;

// Builds the tree that `spec` describes, ready to be started. Throws config::error, naming the
// path, for whatever is wrong with it: an unknown kind, parameters it does not take, an unknown
// loop, a name used twice. Nothing runs before everything has been checked.
std::unique_ptr<tree> compose(const child_spec& spec, const kinds& kinds, loop& home,
                              const loops& others = {});

}
