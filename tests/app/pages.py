"""The tags, text and resources of HTML pages."""

import re
from html.parser import HTMLParser

HOSTILE = "<script>alert(1)</script>\"'&"
VOID = {"meta", "br", "line", "rect", "circle", "polyline"}


class Outline(HTMLParser):
    """Collect tags, attributes and text, and check that tags are closed in order."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.text, self.open = [], [], [], []

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def outline(page):
    parser = Outline()
    parser.feed(page)
    assert parser.open == []
    return parser


def assert_that_nothing_is_loaded(page):
    found = outline(page)
    assert not {"script", "link", "img", "iframe", "object", "use", "image"} & set(found.tags)
    assert not {"src", "href", "xlink:href", "onload"} & {name for name, _ in found.attributes}
    assert not re.search(r"https?:|url\(|@import", page)
    assert "default-src 'none'" in page
