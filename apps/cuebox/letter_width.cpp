#include "letter_width.hpp"

#include <clocale>
#include <cwchar>

namespace cuebox::cli {

std::size_t letter_width(char32_t letter)
{
    // The C library knows them all, in a locale of Unicode; which one the user has makes no
    // difference to what a terminal draws.
    static const locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
    constexpr char32_t first_combining = 0x300;
    if (letter < first_combining || !unicode)
        return 1;
    const locale_t own = uselocale(unicode);
    const int columns = wcwidth(static_cast<wchar_t>(letter));
    uselocale(own);
    return columns < 0 ? 1 : static_cast<std::size_t>(columns);
}

}
