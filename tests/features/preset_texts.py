"""Preset files as texts, whole and broken."""

from importlib import resources

from hypothesis import strategies as st

SNIPPETS = [
    "", "\n", " ", "=", "[", "]", "[[", "]]", "{", "}", '"', "'", '"""', ",", ".", "#", "\\", "-",
    "0", "1", "9" * 30, "-1", "0.0", "1e400", "inf", "nan", "true", "false", "1979-05-27",
    '"block2"', '"face"', '"last"', "[]", "{}", "[[]]", '["face", "face"]', "size = 64\n",
    "side = 0\n", "native = true\n", 'of = "image"\n', "[crops.face]\n", "[[branches]]\n",
    "[crops]\n", "branches = []\n", "\x00", "\x7f", "\r", "\ufeff", "é", "\U0001f600",
]  # fmt: skip


def shipped_text(name):
    """Return the text of a shipped preset."""
    file = resources.files("lmkl_core.features.presets") / f"{name}.toml"
    return file.read_text(encoding="utf-8")


@st.composite
def mutated(draw, text):
    """Return the text with some parts cut out, put in, replaced, swapped or doubled."""
    for _ in range(draw(st.integers(1, 3))):
        lines = text.splitlines(keepends=True)
        kind = draw(st.sampled_from(["cut", "put", "replace", "line", "double", "swap", "token"]))
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        row = draw(st.integers(0, max(0, len(lines) - 1)))
        if kind == "cut":
            text = text[:start] + text[end:]
        elif kind == "put":
            text = text[:start] + draw(st.sampled_from(SNIPPETS)) + text[start:]
        elif kind == "replace":
            text = text[:start] + draw(st.text(max_size=6)) + text[end:]
        elif kind == "line":
            text = "".join(lines[:row] + lines[row + 1 :])
        elif kind == "double":
            text = "".join(lines[:row] + lines[row : row + 3] + lines[row:])
        elif kind == "swap":
            other = draw(st.integers(0, max(0, len(lines) - 1)))
            if lines:
                lines[row], lines[other] = lines[other], lines[row]
            text = "".join(lines)
        elif lines and "=" in lines[row]:
            key = lines[row].partition("=")[0]
            lines[row] = f"{key}= {draw(st.sampled_from(SNIPPETS))}\n"
            text = "".join(lines)
    return text
