#include "goal.hpp"

namespace bench {

const char* name_of(verdict reached)
{
    switch (reached) {
    case verdict::met:
        return "met";
    case verdict::missed:
        return "missed";
    case verdict::not_measured:
        break;
    }
    return "not measured";
}

}
