"""The line of every key, against texts whose lines are known and against the parser itself."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmkl_core.features.presets.file import preset_names
from lmkl_core.features.presets.lines import line_of, locate
from tests.features.preset_texts import mutated, shipped_text

EVERYTHING = '''\
# a comment = 1
name = "x" # [not.a.table]
"quoted key" = 1
'literal.key'.inner = 2
a . b = 3

[table]
numbers = [
    1, # one
    [2,
     3],
  { x = 4, y = [5] },
]
text = """
[not.a.table]
key = "no key"
"""""
raw = \'\'\'
it's = 1
\'\'\'
when = 1979-05-27 07:32:00
after = true

[[many]]
x = 1
[many.inside]
y = 1
[[many]]

x = { a.b = "}", "c" = ']' }
[[many.deep]]
z = ""
[[many.deep]]
z = ""
[table.below."and.below"]
end = 1'''

KNOWN = {
    ("name",): 2,
    ("quoted key",): 3,
    ("literal.key", "inner"): 4,
    ("a", "b"): 5,
    ("table",): 7,
    ("table", "numbers"): 8,
    ("table", "numbers", 0): 9,
    ("table", "numbers", 1): 10,
    ("table", "numbers", 1, 0): 10,
    ("table", "numbers", 1, 1): 11,
    ("table", "numbers", 2): 12,
    ("table", "numbers", 2, "y", 0): 12,
    ("table", "text"): 14,
    ("table", "raw"): 18,
    ("table", "when"): 21,
    ("table", "after"): 22,
    ("many",): 24,
    ("many", 0): 24,
    ("many", 0, "x"): 25,
    ("many", 0, "inside"): 26,
    ("many", 0, "inside", "y"): 27,
    ("many", 1): 28,
    ("many", 1, "x"): 30,
    ("many", 1, "x", "a", "b"): 30,
    ("many", 1, "x", "c"): 30,
    ("many", 1, "deep", 0): 31,
    ("many", 1, "deep", 0, "z"): 32,
    ("many", 1, "deep", 1, "z"): 34,
    ("table", "below"): 35,
    ("table", "below", "and.below", "end"): 36,
}


def paths_in(value, path=()):
    """Return the path of everything in a parsed text."""
    if isinstance(value, dict):
        inner = value.items()
    elif isinstance(value, list):
        inner = enumerate(value)
    else:
        inner = ()
    found = {path} if path else set()
    for key, item in inner:
        found |= paths_in(item, (*path, key))
    return found


@pytest.mark.parametrize(("path", "line"), KNOWN.items())
def test_that_a_line_is_the_one_a_person_would_name(path, line):
    assert locate(EVERYTHING)[path] == line


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_that_the_parser_and_the_locator_see_the_same_things(newline):
    text = EVERYTHING.replace("\n", newline)
    lines = locate(text)
    assert set(lines) == paths_in(tomllib.loads(text))
    assert {path: lines[path] for path in KNOWN} == KNOWN


def test_that_something_missing_is_on_the_line_of_what_should_hold_it():
    lines = locate(EVERYTHING)
    assert line_of(lines, ("many", 1, "y", 7)) == 28
    assert line_of(lines, ("nothing",)) == 1
    assert line_of(lines, ()) == 1


@given(text=st.sampled_from(preset_names()).map(shipped_text).flatmap(mutated))
def test_that_the_locator_finds_everything_in_any_text_the_parser_accepts(text):
    try:
        tables = tomllib.loads(text)
    except ValueError:
        return
    assert set(locate(text)) == paths_in(tables)


TOML_KEYS = st.one_of(st.sampled_from(["a", "b-1", "_"]), st.text(max_size=4))
TOML_VALUES = st.recursive(
    st.one_of(st.integers(-9, 9), st.booleans(), st.text(max_size=6)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(TOML_KEYS, inner, max_size=3)
    ),
    max_leaves=8,
)


def quoted(text, draw):
    if not any(mark in text for mark in "'\n\r") and text.isprintable() and draw(st.booleans()):
        return f"'{text}'"
    escaped = "".join(
        char if char.isprintable() and char not in '"\\' else f"\\U{ord(char):08X}" for char in text
    )
    return f'"{escaped}"'


@st.composite
def written(draw, value):
    """Write a value as TOML, with spaces, comments and newlines where these may be."""
    gap = st.sampled_from(["", " ", "\n", ' # no ] } = "\n', "\r\n\t"])
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, str):
        return quoted(value, draw)
    if isinstance(value, list):
        items = [draw(gap) + draw(written(item)) + draw(gap) for item in value]
        comma = "," if items and draw(st.booleans()) else ""
        return "[" + ",".join(items) + comma + draw(gap) + "]"
    pairs = [f" {quoted(key, draw)} = {draw(written(item))}" for key, item in value.items()]
    return "{" + ",".join(pairs) + " }"


@given(data=st.data(), tables=st.dictionaries(TOML_KEYS, TOML_VALUES, max_size=4))
def test_that_the_locator_follows_any_text_written_in_any_manner(data, tables):
    text, at = "", {}
    for key, value in tables.items():
        text += data.draw(st.sampled_from(["", "\n", "# x = [\n", "\t"]))
        at[(key,)] = text.count("\n") + 1
        text += f"{quoted(key, data.draw)} = {data.draw(written(value))}\n"
    assert tomllib.loads(text) == tables
    lines = locate(text)
    assert set(lines) == paths_in(tables)
    assert {path: lines[path] for path in at} == at
