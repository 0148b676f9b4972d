"""Writes the reference pages: each `NAME.template.md` under docs/ becomes `NAME.md` beside it.

A template is prose with directives in comments, each on a line of its own, which are replaced by what the
code and the contracts say:

    <!-- fields CONTRACT [/pointer] -->    the fields of an object as a table
    <!-- parts CONTRACT -->                every object that a contract defines, with its fields
    <!-- scene_inputs -->                  which script is handed which of the scene facts, as rows
    <!-- form CONTRACT TITLE -->           one of the alternatives of a contract, and the fields it adds
    <!-- rules DIALECT -->                 what `narratoria tool check` looks at
    <!-- limit NAME -->                    a default, anywhere in a line; host.NAME is the host channel's,
                                           package.NAME that of a skill's package, bytes as MiB
    <!-- constant MODULE:NAME -->          a figure of the code, anywhere in a line
    <!-- host_methods -->                  of the host channel, as rows of a table
    <!-- permissions -->                   what a skill may ask for, as rows of a table
    <!-- names SECTION -->                 of the specification, and where they are (reference/names.toml)
    <!-- endings -->                       of the scripts that can be run, anywhere in a line
    <!-- operations -->                    of the HTTP API, group by group
    <!-- values -->                        what those take and give, each in a line
    <!-- commands PROGRAM -->              every command with its usage, options, exit codes and an example
    <!-- tool_events -->                   the events of the tool protocol, as rows of a table
    <!-- story_events -->                  the events of a story, each with its fields and an example
    <!-- bundled_skills -->                what comes along: scripts, permissions and settings
    <!-- effects -->                       what an answer can change, as rows of a table
    <!-- spans -->                         of time that an effect can take, anywhere in a line
    <!-- tellers -->                       who tells, as rows of a table: a setup, and the sentence for it
    <!-- catalogue_models -->              that can be had by name, as rows of a table
    <!-- services -->                      that tell by key, as rows of a table
    <!-- servers -->                       that are looked for on this machine, as rows of a table
    <!-- kinds -->                         how many kinds acts are divided into
    <!-- units [KIND] -->                  how many units ship: all, plain, light, or for the act `do`

Run it with `make docs`; with --check it writes nothing and fails when a page is not up to date.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Callable, Mapping
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any

from narratoria import contracts
from narratoria.contracts import scene_facts
from narratoria.protocol.conformance.rules import MCTL_RULES, V0_RULES, ConformanceRule
from narratoria.protocol.dialect import Limits
from narratoria.skills.archive import PackageLimits
from narratoria.skills.host.dispatch import ChannelLimits
from narratoria.skills.permissions import MEANINGS
from narratoria.skills.skill import KNOWN_ENDINGS

DOCS = Path(__file__).parent
NOTICE = "<!-- Made from {template} by docs/generate.py: edit that, then run `make docs`. -->\n\n"
LIMITS: Mapping[str, Limits | ChannelLimits | PackageLimits] = {
    "": Limits(),
    "host": ChannelLimits(),
    "package": PackageLimits(),
}
RULES = {"narratoria_v0": V0_RULES, "mctl_v1": MCTL_RULES}
_LONG_PATTERN = 40  # characters; a longer one is told in the words of its rule alone


def fields(contract: str, pointer: str = "") -> str:
    schema = _at(contracts.load(contract), pointer)
    properties = {name: _followed(field, contract) for name, field in schema["properties"].items()}
    return fields_table({**schema, "properties": properties})


def parts(contract: str) -> str:
    """Every object that a contract defines, and the object itself first; fields link to their objects."""
    document = contracts.load(contract)
    objects = {document["title"]: document, **document["$defs"]}
    return "\n\n".join(
        f"### {name}\n\n{schema['description']}\n\n{_parts_table(schema)}" for name, schema in objects.items()
    )


def scene_inputs() -> str:
    from narratoria.planner.script_inputs import SCENE_FIELDS

    known = contracts.load("scene-facts")["properties"]
    return "\n".join(
        f"| `{script}` | {', '.join(f'`{name}`' for name in names if name in known)} |"
        for script, names in SCENE_FIELDS.items()
    )


def _parts_table(schema: Mapping[str, Any]) -> str:
    required = schema.get("required", ())
    rows = [
        f"| `{name}` | {_linked(_value(field))} | {'yes' if name in required else ''} "
        f"| {_cell(field.get('description', ''))} |"
        for name, field in schema["properties"].items()
    ]
    return "\n".join(["| field | value | always there | meaning |", "| --- | --- | --- | --- |", *rows])


def _linked(words: str) -> str:
    return re.sub(r"\*\*(\w+)\*\*", lambda match: f"[{match[1]}](#{match[1].lower()})", words)


def form(contract: str, title: str) -> str:
    schema = next(form for form in contracts.load(contract)["oneOf"] if form["title"] == title)
    own = {name: field for name, field in schema["properties"].items() if name != "type"}
    payload = own.get("payload", {})
    if payload.get("properties"):  # an event whose fields stand in its payload
        table = fields_table({**payload, "properties": _prefixed(payload["properties"])}, "payload.")
    else:
        table = fields_table({**schema, "properties": own}) if own else ""
    return f"{schema['description']}\n\n{table}".rstrip("\n")


def fields_table(schema: Mapping[str, Any], prefix: str = "") -> str:
    required = {f"{prefix}{name}" for name in schema.get("required", ())}
    rows = [
        f"| `{name}` | {kind_of(field)} | {'yes' if name in required else ''} | {_cell(_told(field))} |"
        for name, field in schema["properties"].items()
    ]
    return "\n".join(["| field | value | required | meaning |", "| --- | --- | --- | --- |", *rows])


def kind_of(field: Mapping[str, Any]) -> str:
    """A field's kind of value, in words."""
    if "anyOf" in field:
        return " or ".join(map(kind_of, field["anyOf"]))
    if "const" in field or "enum" in field:
        return ", ".join(f"`{json.dumps(value)}`" for value in field.get("enum", [field.get("const")]))
    if "x-rule" in field:
        rule = _cell(field["x-rule"])
        return rule if rule.startswith(("a ", "an ")) else f"{field['type']}, {rule}"
    if "type" not in field:
        return "any value"
    kind = " or ".join([field["type"]] if isinstance(field["type"], str) else field["type"])
    return kind + _bounds(field)


def _bounds(field: Mapping[str, Any]) -> str:
    if field.get("minLength"):
        return ", not empty"
    if "maximum" in field:
        least = f"{field['minimum']:,} … " if "minimum" in field else "at most "
        return f", {least}{field['maximum']:,}"
    pattern = field.get("pattern", "")
    return f" matching `{_cell(pattern)}`" if 0 < len(pattern) < _LONG_PATTERN else ""


def rules(dialect: str) -> str:
    def row(rule: ConformanceRule) -> str:
        return f"| `{rule.id}` | {'must' if rule.weight == 'fail' else 'should'} | {_cell(rule.expected)} |"

    return "\n".join(["| rule | weight | |", "| --- | --- | --- |", *map(row, RULES[dialect])])


def limit(name: str) -> str:
    of, _, field = name.rpartition(".")
    value = getattr(LIMITS[of], field)
    if of == "package" and field.endswith("bytes"):
        value //= 1024 * 1024  # a page says MiB
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def constant(place: str) -> str:
    module, _, name = place.partition(":")
    value = attrgetter(name)(import_module(f"narratoria.{module}"))
    return f"{value:,}" if isinstance(value, int) else f"{value:g}"


def host_methods() -> str:
    import generate_host_channel

    return generate_host_channel.rows()


def permissions() -> str:
    return "\n".join(f"| `{name}` | {meaning} |" for name, meaning in MEANINGS.items())


def names(section: str) -> str:
    table = tomllib.loads((DOCS / "reference" / "names.toml").read_text(encoding="utf-8"))[section]

    def row(name: str, here: str | list[str]) -> str:
        place, note = (here, "") if isinstance(here, str) else here
        module, _, attribute = place.partition(":")
        attrgetter(attribute)(import_module(module))  # a page names nothing that is not there
        return f"| `{name}` | `{attribute}` | `{module}` | {_cell(note)} |"

    head = ["| there | here | module | |", "| --- | --- | --- | --- |"]
    return "\n".join([*head, *(row(*entry) for entry in table.items())])


def endings() -> str:
    *most, last = (f"`{ending}`" for ending in sorted(KNOWN_ENDINGS))
    return f"{', '.join(most)} or {last}"


def operations() -> str:
    from narratoria.web.openapi import describe
    from narratoria.web.server import GROUPS

    document = describe(GROUPS)
    parts: list[str] = []
    for tag in document["tags"]:
        parts.append(f"### {tag['name']}\n\n{tag['description']}")
        for path, methods in document["paths"].items():
            for method, operation in methods.items():
                if operation["tags"] == [tag["name"]]:
                    parts.append(_operation(method.upper(), path, operation))
    return "\n\n".join(parts)


def _operation(method: str, path: str, operation: Mapping[str, Any]) -> str:
    lines = [f"#### `{method} {path}`", f"{operation['summary']} {operation.get('description', '')}".rstrip()]
    asked = [_parameter(one) for one in operation["parameters"] if one["in"] == "query"]
    if asked:
        lines.append("Query: " + "; ".join(asked) + ".")
    body = operation.get("requestBody", {}).get("content", {})
    if body:
        lines.append(f"Body: {_value(next(iter(body.values()))['schema'])}.")
    status, answer = next(iter(operation["responses"].items()))
    content = answer.get("content", {})
    given = "nothing" if not content else _value(next(iter(content.values()))["schema"])
    lines.append(f"Answer: {status}, {given}.")
    return "\n\n".join(lines)


def _parameter(parameter: Mapping[str, Any]) -> str:
    needed = "" if parameter["required"] else ", optional"
    told = f", {parameter['description']}" if "description" in parameter else ""
    return f"`{parameter['name']}`, {_value(parameter['schema'])}{needed}{told}"


def values() -> str:
    from narratoria.web.openapi import describe
    from narratoria.web.server import GROUPS

    schemas = describe(GROUPS)["components"]["schemas"]
    return "\n\n".join(_described(name, schema) for name, schema in sorted(schemas.items()))


def _described(name: str, schema: Mapping[str, Any]) -> str:
    if "properties" not in schema:
        return f"**{name}**: {_value(schema)}"
    required = schema.get("required", ())
    listed = [
        f"`{key}`{'' if key in required else '?'} {_value(field)}"
        for key, field in schema["properties"].items()
    ]
    # what msgspec says of a class without a docstring is its signature
    told = schema.get("description", "").strip().replace("\n", " ")
    return f"**{name}**{f' ({told})' if told else ''}: {' · '.join(listed) or 'nothing'}"


def _value(schema: Mapping[str, Any]) -> str:
    """A JSON schema in a few words."""
    match schema:
        case {"$ref": str(reference)}:
            words = f"**{reference.rpartition('/')[2]}**"
        case {"anyOf": [*options]}:
            words = " or ".join(_value(option) for option in options)
        case {"enum": [*options]}:
            words = ", ".join(f"`{option}`" for option in options)
        case {"const": constant}:
            words = f"`{constant}`"
        case {"type": "array"}:
            words = f"list of {_value(schema.get('items') or {})}"
        case {"type": "object", "additionalProperties": {**of}}:
            words = f"object of {_value(of)}"
        case {"format": "binary"}:
            words = "a file"
        case _:
            words = str(schema.get("type", "any value"))
    return words


def commands(program: str) -> str:
    from generate_commands import commands

    return commands(program)


def tool_events() -> str:
    becomes = {
        "log": "[`tool_log`](#tool_log)",
        "state_patch": "part of [`state_changed`](#state_changed), where the tool succeeds",
        "asset": "[`asset`](#asset)",
        "ui_event": "see below",
        "error": "the reason in [`tool_finished`](#tool_finished) and [`notice`](#notice)",
        "done": "[`tool_finished`](#tool_finished); its `output` goes to tools that depend on this one",
    }
    forms = contracts.load("tool-event")["oneOf"]
    return "\n".join(
        f"| [`{form['title']}`](tool-protocol.md#{form['title']}) | {_cell(form['description'])} "
        f"| {becomes[form['title']]} |"
        for form in forms
    )


def story_events() -> str:
    from generate_events import story_events

    return story_events()


def bundled_skills() -> str:
    from generate_skills import bundled_skills

    return bundled_skills()


def effects() -> str:
    import generate_effects

    return generate_effects.effects()


def spans() -> str:
    import generate_effects

    return generate_effects.spans()


def units(kind: str = "all") -> str:
    from narratoria.narrator.repertoire import ANY_DEED, load_repertoire

    repertoire = load_repertoire()
    counts = {
        "all": len(repertoire),
        "plain": sum(not unit.tone for unit in repertoire),
        "light": sum(unit.tone == "light" for unit in repertoire),
        "do": sum(ANY_DEED in unit.acts for unit in repertoire),
    }
    return f"{counts[kind]:,}"


def tellers() -> str:
    import generate_tellers

    return generate_tellers.tellers()


def catalogue_models() -> str:
    import generate_tellers

    return generate_tellers.catalogue_models()


def services() -> str:
    import generate_tellers

    return generate_tellers.services()


def servers() -> str:
    import generate_tellers

    return generate_tellers.servers()


def kinds() -> str:
    from narratoria.planner.intent import load_act_kinds

    return str(len(load_act_kinds()))


DIRECTIVES: dict[str, Callable[..., str]] = {
    function.__name__: function
    for function in (
        fields,
        parts,
        scene_inputs,
        form,
        rules,
        limit,
        constant,
        host_methods,
        permissions,
        names,
        endings,
        operations,
        values,
        commands,
        tool_events,
        story_events,
        bundled_skills,
        effects,
        spans,
        units,
        tellers,
        catalogue_models,
        services,
        servers,
        kinds,
    )
}
_DIRECTIVE = re.compile(r"<!-- (\w+)([^>]*?) ?-->")


def render(template: Path) -> str:
    """The page that a template stands for."""

    def replace(match: re.Match[str]) -> str:
        return DIRECTIVES[match[1]](*match[2].split())

    page = _DIRECTIVE.sub(replace, template.read_text(encoding="utf-8"))
    return NOTICE.format(template=template.name) + page


def pages() -> dict[Path, str]:
    """Every generated page by its path."""
    return {
        template.with_name(template.name.replace(".template.", ".")): render(template)
        for template in sorted(DOCS.rglob("*.template.md"))
    }


def schemas() -> dict[Path, str]:
    """Every contract that is made from types by its path."""
    folder = Path(contracts.__file__).parent
    return {folder / "scene-facts.schema.json": json.dumps(scene_facts.schema(), indent=2) + "\n"}


def _at(schema: Any, pointer: str) -> Any:
    for part in filter(None, pointer.split("/")):
        schema = schema[int(part) if isinstance(schema, list) else part]
    return schema


def _followed(field: Mapping[str, Any], contract: str) -> Mapping[str, Any]:
    """The field with what it refers to, in this contract or another."""
    if reference := field.get("$ref"):
        name, _, pointer = reference.partition("#")
        name = name.removeprefix("urn:narratoria:contract:") or contract
        return {**_followed(_at(contracts.load(name), pointer), name), **_without(field, "$ref")}
    if "anyOf" in field:
        return {**field, "anyOf": [_followed(option, contract) for option in field["anyOf"]]}
    return field


def _without(field: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {name: value for name, value in field.items() if name != key}


def _prefixed(properties: Mapping[str, Any]) -> dict[str, Any]:
    return {f"payload.{name}": field for name, field in properties.items()}


def _told(field: Mapping[str, Any]) -> str:
    default = f" Default: `{json.dumps(field['default'])}`." if "default" in field else ""
    return field.get("description", "") + default


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def sources() -> dict[Path, str]:
    """Every generated schema and module by its path: what is made from the table of host methods."""
    if not (DOCS.parent / "src").is_dir():
        return {}  # a copy of the pages alone
    import generate_host_channel

    return generate_host_channel.files()


def main(arguments: list[str]) -> int:
    # the sources first: the pages are made from the schemas
    is_stale = [_bring_up_to_date(made(), check="--check" in arguments) for made in (sources, schemas, pages)]
    return 1 if any(is_stale) and "--check" in arguments else 0


def _bring_up_to_date(made: Mapping[Path, str], *, check: bool) -> bool:
    stale = {
        file: text
        for file, text in made.items()
        if not file.exists() or file.read_text(encoding="utf-8") != text
    }
    for file, text in stale.items():
        if check:
            print(f"{file.relative_to(DOCS.parent)} is not up to date; run `make docs`")
        else:
            file.write_text(text, encoding="utf-8")
            print(f"wrote {file.relative_to(DOCS.parent)}")
    return bool(stale)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
