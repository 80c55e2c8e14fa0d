#!/usr/bin/env python3
"""What extract.py and run_page.py make of a page."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import extract
import run_page


def made_of(text):
    with tempfile.TemporaryDirectory() as directory:
        page = pathlib.Path(directory) / "page.md"
        page.write_text(text)
        return extract.make(page)


class blocks_become_code(unittest.TestCase):
    def test_declarations_stand_outside_and_statements_in_a_function(self):
        code = made_of("```cpp\n#include <x.hpp>\n\nstruct a { int n; };\nvoid f(a one);\na one{7};\nf(one);\n```\n")
        self.assertLess(code.index("struct a"), code.index("void block_1()"))
        self.assertLess(code.index("void f(a one);"), code.index("void block_1()"))
        self.assertLess(code.index("void block_1()"), code.index("a one{7};"))

    def test_what_awaits_is_a_coroutine_and_what_returns_gives_an_int(self):
        self.assertIn("awaitable<void> block_1()", made_of("```cpp\n#include <x>\nco_await f();\n```\n"))
        self.assertIn("int block_1()", made_of("```cpp\n#include <x>\nreturn f();\n```\n"))
        self.assertIn("void block_1()", made_of("```cpp\n#include <x>\non([] { return 1; });\n```\n"))

    def test_a_page_that_names_no_include_is_refused_with_its_line(self):
        with self.assertRaisesRegex(extract.wrong, r"page.md:2: the first block of a page names its includes"):
            made_of("```cpp\nf();\n```\n")

    def test_what_is_given_names_no_includes_behind_the_reader(self):
        with self.assertRaisesRegex(extract.wrong, "in the blocks that people read"):
            made_of("<!-- given: #include <y> -->\n```cpp\n#include <x>\nf();\n```\n")

    def test_a_block_that_goes_on_shares_the_function_of_the_one_before(self):
        code = made_of("```cpp\n#include <x>\nint a = 1;\n```\nand\n\n<!-- goes on -->\n```cpp\nf(a);\n```\n")
        self.assertEqual(code.count("block_"), 1)

    def test_a_block_is_left_out_only_with_a_reason(self):
        self.assertNotIn("nonsense", made_of("<!-- not compiled: it is refused -->\n```cpp\nnonsense\n```\n"))
        with self.assertRaisesRegex(extract.wrong, "no meaning for the comment"):
            made_of("<!-- skip -->\n```cpp\n#include <x>\nf();\n```\n")


class pages_are_run(unittest.TestCase):
    def run_on(self, text):
        with tempfile.TemporaryDirectory() as directory:
            page = pathlib.Path(directory) / "page.md"
            page.write_text(text)
            program = pathlib.Path(run_page.__file__)
            return subprocess.run([sys.executable, program, page, "--source", program.parents[2], "--build", directory],
                                  capture_output=True, text=True)

    def test_commands_share_a_shell_and_print_what_is_shown(self):
        ended = self.run_on("```sh\nexport A=x; cd /tmp\n```\n\n```sh\n$ echo $A\nx\n$ printf 'a\\nb\\n'\n…\nb\n```\n")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_a_command_that_fails_or_prints_something_else_is_named(self):
        self.assertIn("page.md:2: false\nends with 1", self.run_on("```sh\nfalse\n```\n").stderr)
        self.assertIn("does not print\nb", self.run_on("```sh\n$ echo a\nb\n```\n").stderr)

    def test_a_page_without_commands_is_refused(self):
        self.assertIn("nothing to run", self.run_on("no commands\n").stderr)

    def test_a_second_terminal_is_another_shell(self):
        ended = self.run_on("```sh\nA=x\n```\n\nIn a second terminal:\n\n```sh\n$ echo \"<$A>\"\n<>\n```\n")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_times_and_ids_of_a_page_stand_for_any(self):
        self.assertIsNone(run_page.missing(["10:47:52.113 info  event_id=01a1e3eb-…  worker=b@host:1:2f"],
                                           "23:00:00.001 info    event_id=01a1eefe-fc64-728b-803c-68ce443624e2 worker=b@vm:9:aa"))
        self.assertEqual(run_page.missing(["a", "b"], "b\na\n"), "b")


if __name__ == "__main__":
    unittest.main()
