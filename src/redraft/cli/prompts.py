"""prompts: the templates that models are asked with, to read and to replace."""

from __future__ import annotations

from pathlib import Path

import click

from redraft.cli.inform import print_json, print_lines
from redraft.errors import InputError, UsageError

__all__ = ["prompts_command"]


@click.group("prompts", short_help="List, show or export the prompt templates.")
def prompts_command() -> None:
    """The templates that models are asked with. Export them, change some, delete the rest, and give the folder with --prompts."""


@prompts_command.command("list", short_help="List the templates with their variables.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: a list of objects with name and variables.")
def list_command(as_json: bool) -> None:
    """List the templates with their variables."""
    from redraft.catalogue import templates

    if as_json:
        print_json([{"name": name, "variables": dict(template.variables)} for name, template in templates().items()])
        return
    print_lines(f"{name}" + "".join(f" {{{variable}}}" for variable in template.variables) for name, template in templates().items())


@prompts_command.command("show", short_help="Show a template and what its variables hold.")
@click.argument("name")
@click.option("--prompts", "folder", metavar="DIR", help="Show it as a folder of your own replaces it.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def show_command(name: str, folder: str | None, as_json: bool) -> None:
    """Show a template and what its variables hold."""
    from redraft.catalogue import read_prompts, template_named

    template = template_named(name)
    text = read_prompts(folder).text_of(template)
    if as_json:
        print_json({"name": name, "variables": dict(template.variables), "text": text})
        return
    print_lines([f"{{{variable}}}: {meaning}" for variable, meaning in template.variables.items()] or ["(no variables)"])
    print_lines(["", *text.split("\n")])


@prompts_command.command("export", short_help="Write the templates to a folder, one file each.")
@click.argument("folder", metavar="DIR")
def export_command(folder: str) -> None:
    """Write the templates to a folder that is new or empty, as NAME.txt."""
    from redraft.catalogue import SUFFIX, templates

    place = Path(folder)
    if place.exists() and (not place.is_dir() or any(place.iterdir())):
        raise UsageError(f"{folder} is there already and is not an empty folder; name another one, so that nothing of yours is overwritten")
    try:
        place.mkdir(parents=True, exist_ok=True)
        for name, template in templates().items():
            (place / f"{name}{SUFFIX}").write_bytes(f"{template.text}\n".encode())
    except OSError as error:
        raise InputError(f"cannot write to {folder}: {error.strerror or error}") from None
    print_lines([f"{len(templates())} templates in {folder}; those that are not changed may be deleted"])
