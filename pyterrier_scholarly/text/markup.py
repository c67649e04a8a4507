"""Take markup out of texts: elements of HTML, JATS and MathML, and entities.

>>> remove_markup("<jats:p>CO<sub>2</sub> &amp; a <b and c> d</jats:p>")
'CO2 & a <b and c> d'
"""

import html
import re

from .cleaning import writable

#: elements that stand between sentences, not within a word; they may lack their partner
BLOCKS = (
    "p|div|br|hr|title|sec|section|abstract|li|ul|ol|dl|dt|dd|h[1-6]|list|list-item|blockquote"
    "|table|tr|td|th|tbody|thead|label|disp-formula"
)
INLINE = (
    "i|b|u|a|s|em|strong|sub|sup|inf|span|italic|bold|underline|scp|sc|tt|small|big|font|strike"
    "|cite|code|q|math|inline-formula|tex-math|alternatives|xref|ext-link|uri|named-content"
    "|monospace|styled-content|m(?:i|n|o|row|sup|sub|subsup|frac|text|sqrt|style|over|under)"
)
#: elements of HTML, JATS and MathML as publishers leave them; not any "<q and r>": what follows a
#: name is an attribute with a value
ELEMENT = re.compile(
    rf"<(?P<end>/?)(?P<name>(?:jats|mml):[\w-]+|{BLOCKS}|{INLINE})"
    r"(?:\s+[\w:.-]+\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s<>\"']+))*\s*(?P<empty>/?)>",
    re.IGNORECASE,
)
BLOCK_NAME = re.compile(rf"(?:jats:)?(?:{BLOCKS})", re.IGNORECASE)


def remove_markup(text: str) -> str:
    """Return a text without markup and entities, with one blank between words."""
    if "&" in text:
        text = html.unescape(html.unescape(text))  # publishers escape twice: "&amp;lt;"
    if "<" in text:
        text = re.sub(r"<!\[CDATA\[|\]\]>|<!--.*?-->", " ", text, flags=re.DOTALL)
        # an inline element has a partner; "a <b> c" is an inequality
        partners = {(match["end"], match["name"].lower()) for match in ELEMENT.finditer(text)}

        def take_out(match: re.Match[str]) -> str:
            if BLOCK_NAME.fullmatch(match["name"]):
                return " "
            has_partner = ("" if match["end"] else "/", match["name"].lower()) in partners
            return "" if has_partner or match["empty"] else match[0]

        text = ELEMENT.sub(take_out, text)
    return writable(" ".join(text.split()))
