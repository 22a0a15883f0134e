"""The modules of examples that mypy checks."""

from tools.typed_examples import module_program, page_program

PAGE = """Text.
```python
>>> a = 1
>>> a
1
```
More.
```python
b = 2
```
"""

MODULE = '''"""Arithmetic."""
import math

def root(number):
    """Return a root.

    >>> root(4)
    2.0
    """
    return math.sqrt(number)
'''


def test_the_examples_of_a_page_keep_their_lines():
    assert page_program(PAGE).splitlines() == ["", "", "a = 1", "a", "", "", "", "", "b = 2", ""]
    assert page_program("Text.\n") == ""


def test_the_examples_of_a_docstring_are_a_function_that_knows_what_the_module_knows():
    first, *rest, last = module_program("roots", MODULE).splitlines()

    assert first == "import math; from roots import root"
    assert rest == ["", "", "", "", "def _6() -> None:", "    root(4)", "", "", ""]
    assert last.startswith("# mypy: ")
    assert module_program("empty", "import math\n") == ""
