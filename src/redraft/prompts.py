"""Prompt templates as values: each has a name, documented variables, and may be replaced by a text of the user's own with the same variables.

A template stands at the bottom of the step that uses it; `catalogue.py` lists them all. Text that is put into a variable is quoted data (`quoting.py`),
so that a replaced template cannot undo that.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from string import Formatter

from redraft.errors import UnknownName, UsageError

__all__ = ["Prompts", "Template", "checked", "variables_of"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Template:
    """One template. `{name}` stands for a variable, `{{` and `}}` for braces; `variables` says what each variable holds."""

    name: str
    text: str
    variables: Mapping[str, str] = field(default_factory=dict[str, str])


class Prompts:
    """The templates of one run: our own, but for those that are replaced by name (`catalogue.read_prompts` checks them)."""

    def __init__(self, replaced: Mapping[str, str] | None = None) -> None:
        self._replaced = dict(replaced or {})

    @property
    def replaced(self) -> Mapping[str, str]:
        """The texts that stand in for our own, by name."""
        return self._replaced

    def text_of(self, template: Template) -> str:
        """The text that is used for this template."""
        return self._replaced.get(template.name, template.text)

    def fill(self, template: Template, **values: str) -> str:
        """The template with its variables filled in."""
        return self.text_of(template).format(**values)


def variables_of(text: str, where: str) -> frozenset[str]:
    """The variables that a text uses.

    Raises:
        UsageError: a brace stands alone, or a variable is more than a plain name.
    """
    try:
        parts = list(Formatter().parse(text))
    except ValueError as error:
        raise UsageError(f"{where}: {error}; write {{{{ and }}}} for braces that are no variable") from None
    names: set[str] = set()
    for _, name, form, conversion in parts:
        if name is None:
            continue
        if not name.isidentifier() or form or conversion:
            raise UsageError(f"{where}: {{{name}}} is not a plain variable; write {{{{ and }}}} for braces that are no variable")
        names.add(name)
    return frozenset(names)


def checked(template: Template, text: str, where: str) -> str:
    """The text, if it can stand in for the template: it uses all of its variables and no other.

    Raises:
        UnknownName: a variable that the template does not have; the message names the nearest.
        UsageError: a variable is missing, or the text is empty or malformed.
    """
    if not text.strip():
        raise UsageError(f"{where}: it is empty")
    used = variables_of(text, where)
    valid = ", ".join(f"{{{name}}}" for name in sorted(template.variables)) or "none"
    for name in sorted(used - template.variables.keys()):
        raise UnknownName(f"variable in {where}", name, template.variables, f"the variables of {template.name}: {valid}")
    missing = sorted(template.variables.keys() - used)
    if missing:
        raise UsageError(f"{where}: {', '.join(f'{{{name}}}' for name in missing)} is missing; {template.name} must use all its variables: {valid}")
    return text
