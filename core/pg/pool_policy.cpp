#include <cuebox/pg/pool_policy.hpp>

namespace cuebox::pg::detail {

verdict when_returned(const connection_facts& facts, const pool_rules& rules)
{
    const bool spoilt = facts.broken || facts.in_transaction || facts.listening || facts.cancelling;
    return spoilt || facts.age > rules.lifetime ? verdict::discard : verdict::use;
}

verdict when_lent(const connection_facts& facts, const pool_rules& rules)
{
    if (when_returned(facts, rules) == verdict::discard)
        return verdict::discard;
    return facts.idle > rules.check_after ? verdict::check : verdict::use;
}

}
