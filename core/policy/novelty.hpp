#pragma once

namespace cuebox::policy {

// Whether keys that are about to be recorded are likely to be new, so that to write them without
// looking pays. Duplicates come in swarms, after a crash say: who has met one expects more for a
// while.
class novelty
{
public:
    static constexpr int wary_for = 100; // Calls.

    // To be asked once for each call.
    bool likely() noexcept
    {
        if (wary_ == 0)
            return true;
        --wary_;
        return false;
    }
    void learn(bool met_duplicates) noexcept
    {
        if (met_duplicates)
            wary_ = wary_for;
    }

private:
    int wary_ = 0;
};

}
