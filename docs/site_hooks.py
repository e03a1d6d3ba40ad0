"""Adapt the pages, written for GitHub, to the site that `make docs` builds."""

import re
from importlib.resources import files as files_of
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
MERMAID = "assets/mermaid.js"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add files from outside docs/: pictures, the icon, the script for diagrams."""
    pictures = [ROOT / "assets/icon.svg", *sorted((ROOT / "assets/screenshots").iterdir())]
    sources = {path.relative_to(ROOT).as_posix(): path for path in pictures}
    sources[MERMAID] = Path(str(files_of("mermaidx") / "assets/mermaid.js"))
    for name, path in sources.items():
        files.append(File.generated(config, name, abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Point links to files outside docs/ at the repository."""
    folder = Path(config.docs_dir, page.file.src_uri).parent

    def on_site(link: re.Match[str]) -> str:
        path = (folder / link[1]).resolve()
        if path.is_relative_to(config.docs_dir):
            return link[0]
        return f"]({config.extra['repository']}/blob/main/{path.relative_to(ROOT).as_posix()}"

    return re.sub(r"\]\((\.\./[^)#]+)", on_site, markdown)


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    """Load the script for diagrams on pages that have diagrams."""
    if 'class="mermaid"' not in output:
        return output
    script = File(MERMAID, config.docs_dir, config.site_dir, config.use_directory_urls)
    tag = f'<script src="{script.url_relative_to(page.file)}"></script>'
    return output.replace("</head>", f"{tag}</head>")
