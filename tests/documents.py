"""Read the project's Markdown pages: links, quotations, labels and commands."""

import ast
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])

_FENCE = re.compile(r"^(```+)([^\n]*)\n(.*?)^\1[ ]*$", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_LINK = re.compile(r"!?\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^()\s]+)(?:\s+\"[^\"]*\")?\)")
_ATTRIBUTE = re.compile(r"\b(?:src|srcset|href)=\"([^\"]+)\"")
_HEADING = re.compile(r"^#{1,6}[ ]+(.+?)[ ]*#*$", re.MULTILINE)
_ITALIC = re.compile(r"(?<![*\w])\*(?![*\s])([^*]+?)(?<![*\s])\*(?![*\w])")
_QUOTED = re.compile(r"“([^”]+)”")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language and its text."""

    language: str
    text: str


@dataclass(frozen=True)
class Page:
    """One Markdown file."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @property
    def text(self) -> str:
        return _COMMENT.sub("", self.path.read_text(encoding="utf-8"))

    @property
    def blocks(self) -> list[Block]:
        """Fenced blocks, in their order."""
        return [Block(match[2].strip(), match[3]) for match in _FENCE.finditer(self.text)]

    @property
    def prose(self) -> str:
        """The text without fenced blocks."""
        return _FENCE.sub("", self.text)

    @property
    def plain(self) -> str:
        """The text without any code."""
        return _INLINE.sub("", self.prose)

    @property
    def inline(self) -> list[str]:
        """Everything between single backticks."""
        return _INLINE.findall(self.prose)

    @property
    def targets(self) -> list[str]:
        """Targets of links, pictures and HTML attributes."""
        text = self.plain
        return [*_LINK.findall(text), *_ATTRIBUTE.findall(text)]

    @property
    def anchors(self) -> set[str]:
        """The anchors that GitHub generates for the headings."""
        found: dict[str, int] = {}
        anchors = set()
        for heading in _HEADING.findall(self.prose):
            slug = slug_of(heading)
            n = found.get(slug, 0)
            found[slug] = n + 1
            anchors.add(f"{slug}-{n}" if n else slug)
        return anchors

    @property
    def quotations(self) -> list[str]:
        """Texts in curly quotation marks, without line breaks."""
        return [" ".join(text.split()) for text in _QUOTED.findall(self.plain)]

    @property
    def labels(self) -> list[str]:
        """Texts in italics, without line breaks."""
        return [" ".join(text.split()) for text in _ITALIC.findall(_QUOTED.sub("", self.plain))]

    @property
    def command_lines(self) -> Iterator[str]:
        """Commands in console blocks, with continuation lines joined."""
        for block in self.blocks:
            if block.language in ("console", "shell", "sh"):
                for line in block.text.replace("\\\n", " ").splitlines():
                    if line.startswith("$ "):
                        yield line[2:]


def slug_of(heading: str) -> str:
    """Return the anchor that GitHub generates for a heading."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").replace("*", "")
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


def section_of(page: Page, title: str) -> str:
    """Return the text below a second-level heading, up to the next one."""
    _, _, rest = page.prose.partition(f"## {title}\n")
    return rest.partition("\n## ")[0]


def words_of(line: str) -> list[list[str]]:
    """Split a command line as a shell does, into a list of words for every program in it."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;>")
    lexer.whitespace_split = True
    commands: list[list[str]] = [[]]
    for word in lexer:
        if set(word) <= set("|&;"):
            commands.append([])
        else:
            commands[-1].append(word)
    return [command for command in commands if command]


def pages(*names: str) -> list[Page]:
    """Return the pages with these names, or all of them."""
    return [Page(ROOT / name) for name in names] if names else [Page(path) for path in PAGES]


@cache
def program_texts() -> tuple[str, ...]:
    """Return every string in the program except docstrings, with … for the parts that vary."""
    found = set()
    for folder in ("app", "lmkl_core"):
        for path in (ROOT / folder).rglob("*.py"):
            found.update(_texts(ast.parse(path.read_text(encoding="utf-8"))))
        for path in (ROOT / folder).rglob("*.j2"):
            text = re.sub(r"\{[{%].*?[}%]\}", "…", path.read_text(encoding="utf-8"), flags=re.S)
            found.add(" ".join(text.split()))
    return tuple(sorted(found))


def is_message(quotation: str) -> bool:
    """Whether the program contains this text; … stands for the parts that vary."""
    return any(quotation in text for text in program_texts())


def is_label(text: str) -> bool:
    """Whether the program has exactly this text, apart from the case of the first letter."""
    return text in program_texts() or text[:1].lower() + text[1:] in program_texts()


def _texts(tree: ast.Module) -> Iterator[str]:
    silent = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):  # a docstring
            silent.add(id(node.value))
        if isinstance(node, ast.JoinedStr):
            silent.update(id(part) for part in node.values)
    for node in ast.walk(tree):
        if id(node) in silent:
            continue
        if isinstance(node, ast.JoinedStr):
            yield _as_shown("".join(_part(part) for part in node.values))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield _as_shown(re.sub(r"\{[^{}]*\}", "…", node.value))


def _part(part: ast.expr) -> str:
    return str(part.value) if isinstance(part, ast.Constant) else "…"


def _as_shown(text: str) -> str:
    """Remove the marks of mnemonics, and line breaks."""
    return " ".join(re.sub(r"&(?=\w)", "", text).replace("...", "…").split())
