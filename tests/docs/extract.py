#!/usr/bin/env python3
"""Makes a C++ file of the ```cpp blocks of a page, so that a compiler can read what people read.

    extract.py PAGE.md OUT.cpp

A block sees the #includes and declarations of the blocks before it on the page. Its own declarations go into a
namespace, its statements into a function that is a coroutine where they await; a block whose comment says so goes
on in the function of the one before. An HTML comment right before a block, which readers do not see, can say:

    <!-- given: extern cuebox::pg::pool& pool; -->      declarations that the page leaves to the imagination
    <!-- with: pg::pool& pool -->                       variables of the function that the statements are in
    <!-- goes on -->                                    the statements follow those of the block before
    <!-- not compiled: it shows what is refused -->     with the reason why

`…` stands for code that is left out.
"""

import pathlib
import re
import sys

declares = re.compile(r"(struct|class|enum|union|namespace|template|using|constexpr|static|inline|extern)\b")
function = re.compile(r"[\w:<>,\s&*]+?\s[&*]?\w+\s*\([^;]*\)\s*(const\s*)?(\{.*\}|;)$", re.S)
call_words = re.compile(r"(co_await|co_return|return|if|for|while|const|auto|else|throw)\b")


class wrong(Exception):
    pass


def blocks(page):
    """(line, comments before it, text) of each ```cpp block."""
    found, comments, inside, comment = [], [], None, None
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if inside is not None:
            if line.strip() == "```":
                found.append((start, before, inside))
                inside = None
            else:
                inside.append(line)
        elif comment is not None or line.startswith("<!--"):
            comment = (comment or "") + line.removeprefix("<!--") + "\n"
            if line.rstrip().endswith("-->"):
                comments.append(comment.rstrip().removesuffix("-->").strip())
                comment = None
        elif line.startswith("```cpp"):
            start, before, inside, comments = number + 1, comments, [], []
        elif line.startswith("```"):
            comments = []
        elif line.strip():
            comments = []
    return found


def without_literals(text):
    """The same length, with comments and what is quoted blanked out."""
    blank = lambda match: re.sub(r"[^\n]", " ", match.group())
    return re.sub(r'//[^\n]*|/\*.*?\*/|R"\(.*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', blank, text, flags=re.S)


def items(text):
    """Top-level declarations and statements, with their offsets."""
    bare, depth, start = without_literals(text), 0, 0
    for at, letter in enumerate(bare):
        if letter in "({[":
            depth += 1
        elif letter in ")}]":
            depth -= 1
        ends = depth == 0 and (letter == ";" or letter == "}" and not re.match(r"\s*[;,).(]", bare[at + 1:]))
        if ends and not re.match(r"\s*else\b", bare[at + 1:]):
            yield start, text[start:at + 1]
            start = at + 1
    if bare[start:].strip():
        yield start, text[start:]


def is_declaration(item):
    bare = without_literals(item).strip()
    if declares.match(bare):
        return not re.match(r"using namespace\b", bare) and not re.match(r"(static|constexpr)\b.*\bco_await", bare)
    return bool(function.match(bare)) and not call_words.match(bare)


def make(page):
    # What stands at namespace level, in order, with the function of each block after its declarations.
    out, body = [], None
    for line, comments, lines in blocks(page):
        try:
            body = add_block(out, body, line, comments, lines)
        except wrong as error:
            raise wrong(f"{page}:{line}: {error}")
    return render(page, out)


def add_block(out, body, line, comments, lines):
    if any(each.startswith("not compiled:") for each in comments):
        return body
    for offset, each in enumerate(lines):
        if each.startswith("#include"):
            out.append(("include", line + offset, each))
    if not any(kind == "include" for kind, *_ in out):
        raise wrong("the first block of a page names its includes")
    given = ""
    for each in comments:
        if each.startswith("given:"):
            if "#include" in each:
                raise wrong("a page names its includes in the blocks that people read")
            out.append(("top", line, each.removeprefix("given:").strip()))
        elif each.startswith("with:"):
            given = each.removeprefix("with:").strip()
        elif each != "goes on":
            raise wrong(f"no meaning for the comment \"{each.splitlines()[0]}\"")
    text = "".join(("" if each.startswith("#include") else each) + "\n" for each in lines)
    bare = without_literals(text)
    text = "".join(";" if letter == bare[i] == "…" else letter for i, letter in enumerate(text))
    statements = []
    for offset, item in items(text):
        hidden = without_literals(item)
        skipped = len(hidden) - len(hidden.lstrip())
        at, item = line + text[:offset + skipped].count("\n"), item[skipped:].strip()
        if is_declaration(item):
            out.append(("top", at, item))
        elif item.strip(" ;\n"):
            statements.append((at, item))
    if not statements:
        return body
    if "goes on" in comments:
        # After what this block has declared.
        out.remove(("body", *body))
        body = (body[0] or given, body[1] + statements)
    else:
        body = (given, statements)
    out.append(("body", *body))
    return body


def render(page, out):
    text, open_, count = [f"// Made of {page.name} by tests/docs/extract.py.\n"], False, 0
    mark = lambda line: f'#line {line} "{page}"\n'
    for kind, line, what in out:  # of a function: its parameters and statements
        if kind == "include":
            if open_:
                text.append("}\n")
            text.append(mark(line) + what + "\n")
            open_ = False
            continue
        if not open_:
            text.append("namespace page {\n")
            open_ = True
        if kind == "top":
            # A specialization of a template of Cuebox stands in no namespace of ours.
            if re.match(r"template\s*<>\s*struct cuebox::", what):
                text.append("}\n" + "using namespace page;\n" + mark(line) + what + "\nnamespace page {\n")
            else:
                text.append(mark(line) + what + "\n")
        else:
            count, given = count + 1, line
            body = "".join(mark(at) + each + "\n" for at, each in what)
            bare = without_literals(body)
            returns = "boost::asio::awaitable<void>" if "co_await" in bare or "co_return" in bare \
                else "int" if any(re.match(r"return\b", each) for _, each in what) else "void"
            text.append(f"{returns} block_{count}({given})\n{{\n{body}}}\n")
    if open_:
        text.append("}\n")
    return "".join(text)


if __name__ == "__main__":
    try:
        page, made = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
        text = make(page)
        made.parent.mkdir(parents=True, exist_ok=True)
        made.write_text(text)
    except wrong as error:
        sys.exit(str(error))
