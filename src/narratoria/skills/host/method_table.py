"""Lists the methods of the host channel, in one table.

From it are made the channel's two JSON schemas, the functions of `narratoria.sdk.host` and the methods of the
reference page (docs/generate_host_channel.py, by `make docs`), and by it every call is checked.
"""

from __future__ import annotations

from collections.abc import Mapping

from narratoria.skills.host.method_types import (
    INFO,
    RASTERISE_TIMEOUT_S,
    RECORD_ITEMS,
    Function,
    Method,
    MethodParameter,
    array,
    data_type_parameter,
    filters_parameter,
    identifier_parameter,
    json_object,
    limit_parameter,
    reference,
    value,
)

_ANY_TYPE = "Only records of this type; of every type when it is missing."
_RECORDS = "list[dict[str, Any]]"

_STORE = (
    Method(
        "store.semanticSearch",
        "Return the records about something, the most relevant first.",
        Function("semantic_search", _RECORDS, take="records"),
        reference("entries"),
        "store:read",
        "store",
        (
            MethodParameter(
                "query",
                "What the records should be about, in plain words.",
                {"type": "string", "minLength": 1, "maxLength": 8000},
                required=True,
                annotation="str",
                positional=True,
            ),
            data_type_parameter(_ANY_TYPE, required=False),
            limit_parameter("The most records to return.", 10),
            filters_parameter("Only records whose fields have these values."),
            MethodParameter(
                "minRelevance",
                "Only records at least this relevant; the store has its own threshold when it is missing.",
                {"type": "number", "minimum": 0, "maximum": 1},
                annotation="float | None",
            ),
        ),
        is_optional_read=True,
    ),
    Method(
        "store.exactMatch",
        "Return the records whose fields have these values, in the order in which they were stored.",
        Function(
            "exact_match",
            _RECORDS,
            through="call_pages",
            doc='A filter is a value, a list of which one will do, or a range such as {"from": 3, "to": 7}.',
        ),
        reference("entries"),
        "store:read",
        "store",
        (
            filters_parameter(
                "Only records whose fields have these values; all records when it is missing.",
                positional=True,
            ),
            data_type_parameter(_ANY_TYPE, required=False),
            limit_parameter("The most records to return.", 100),
            MethodParameter(
                "offset",
                "How many matching records to pass over, to go on where an answer ended.",
                {"type": "integer", "minimum": 0, "maximum": 1_000_000_000, "default": 0},
            ),
            MethodParameter(
                "newestFirst",
                "The last record stored comes first; without it, the first one does.",
                {"type": "boolean", "default": False},
                annotation="bool",
                default="False",
            ),
        ),
        is_optional_read=True,
    ),
    Method(
        "store.store",
        "Store a record and return its identifier.",
        Function(
            "store",
            "str",
            take="identifier",
            doc="With an identifier of your own, a tool that is run again stores nothing twice.",
        ),
        reference("entry"),
        "store:write",
        "store",
        (
            data_type_parameter("What kind of record it is."),
            MethodParameter(
                "record", "The record itself.", reference("record"), True, "dict[str, Any]", True
            ),
            MethodParameter(
                "identifier",
                "A name for the record, not in use for its type yet; one is made when it is missing. A skill"
                " that is run again after a failure stores nothing twice when it names its records.",
                reference("identifier"),
                annotation="str | None",
                positional=True,
            ),
        ),
    ),
    Method(
        "store.storeAll",
        "Store several records, all of them or none, and return them.",
        Function(
            "store_all", _RECORDS, take="records", doc="Each is given as (data type, record[, identifier])."
        ),
        json_object(
            "records",
            records=array(
                "The records in the order in which they were given; of opinions, as they are after all"
                " changes up to there.",
                reference("entry"),
            ),
        ),
        "store:write",
        "store",
        (
            MethodParameter(
                "items",
                "The records, each with its `dataType`, its `record` and, if it is to have one, its"
                " `identifier`; 1 to 256 of them.",
                {"type": "array", "minItems": 1, "maxItems": 256, "items": reference("store.store")},
                required=True,
                annotation=RECORD_ITEMS,
                positional=True,
                convert="record_items",
            ),
        ),
    ),
    Method(
        "store.history",
        "Return the changes of an opinion of a faction or a person, the oldest first.",
        Function("history", _RECORDS, take="changes"),
        json_object("changes", changes=array("The changes, the oldest first.", reference("change"))),
        "store:read",
        "store",
        (
            data_type_parameter("`reputation` or `perception`."),
            identifier_parameter("Whose opinion of the player it is: a faction or a person.", name="subject"),
            limit_parameter("The most changes to return, the latest ones.", 100),
        ),
        is_optional_read=True,
    ),
    Method(
        "store.update",
        "Merge changes into a record and return the record as it is now.",
        Function("update", "dict[str, Any]", take="record", doc="None deletes a key."),
        reference("entry"),
        "store:write",
        "store",
        (
            data_type_parameter("The record's type."),
            identifier_parameter(),
            MethodParameter(
                "changes",
                "Merged into the record: a null deletes its key, an object merges into an object, anything"
                " else replaces what was there.",
                reference("record"),
                True,
                "dict[str, Any]",
                True,
            ),
        ),
    ),
    Method(
        "store.delete",
        "Delete a record and return whether there was one.",
        Function("delete", "bool", take="deleted"),
        json_object("deleted", deleted=value("False when there was no such record.", type="boolean")),
        "store:write",
        "store",
        (data_type_parameter("The record's type."), identifier_parameter()),
    ),
)

_OTHERS = (
    Method(
        "embed.embed",
        "Return a vector for each text.",
        Function("embed", "list[list[float]]", through="call_batches"),
        json_object(
            *("model", "dimensions", "vectors"),
            model=value("Which model made them; only vectors of one model can be compared.", type="string"),
            dimensions=value("Numbers in a vector.", type="integer"),
            vectors=array(
                "A vector for each text, in their order.", {"type": "array", "items": {"type": "number"}}
            ),
        ),
        "embed",
        "embedder",
        (
            MethodParameter(
                "texts",
                "The texts to embed, 1 to 64 of them.",
                {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": 64,
                    "items": {"type": "string", "maxLength": 32000},
                },
                True,
                "Sequence[str]",
                True,
            ),
        ),
        is_optional_read=True,
    ),
    Method(
        "model.generate",
        "Generate a text with the language model, piece by piece as it is made.",
        Function(
            "generate",
            "Iterator[str]",
            through="stream_text",
            doc="Whoever leaves the loop over it stops the model.",
        ),
        json_object(
            *("text", "finish"),
            text=value("The whole text, also when it was sent in pieces.", type="string"),
            finish=value("Why it ended: by itself, or at maxTokens.", enum=["stop", "length"]),
        ),
        "model",
        "model",
        (
            MethodParameter(
                "prompt",
                "What the model is asked.",
                {"type": "string", "minLength": 1, "maxLength": 200_000},
                True,
                "str",
                True,
            ),
            MethodParameter(
                "system",
                "What it is told about its task beforehand.",
                {"type": "string", "maxLength": 200_000},
                annotation="str | None",
            ),
            MethodParameter(
                "maxTokens",
                "The most tokens to generate.",
                {"type": "integer", "minimum": 1, "maximum": 8192, "default": 512},
                annotation="int | None",
            ),
            MethodParameter(
                "temperature",
                "0 for always the likeliest word; the model has its own when it is missing.",
                {"type": "number", "minimum": 0, "maximum": 2},
                annotation="float | None",
            ),
            MethodParameter(
                "seed",
                "The same seed and prompt give the same text.",
                {"type": "integer", "minimum": 0, "maximum": 4_294_967_295},
                annotation="int | None",
            ),
            MethodParameter(
                "stop",
                "The text ends before the first of these.",
                {
                    "type": "array",
                    "maxItems": 8,
                    "items": {"type": "string", "minLength": 1, "maxLength": 200},
                },
                annotation="Sequence[str] | None",
            ),
            MethodParameter(
                "schema",
                "A JSON Schema that the text must fit, for models that can hold to one.",
                {"type": "object"},
                annotation="dict[str, Any] | None",
            ),
            MethodParameter(
                "stream",
                "Send the text in pieces as it is made, each in a model.delta notification, before the"
                " answer.",
                {"type": "boolean", "default": False},
            ),
        ),
    ),
    Method(
        "model.count",
        "Count the tokens of texts as the language model reads them.",
        Function("count_tokens", "list[int]", take="tokens"),
        json_object(
            "tokens",
            tokens=array("How many tokens each text has, in their order.", {"type": "integer", "minimum": 0}),
        ),
        "model",
        "model",
        (
            MethodParameter(
                "texts",
                "The texts to count, 1 to 256 of them.",
                {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": 256,
                    "items": {"type": "string", "maxLength": 200_000},
                },
                True,
                "Sequence[str]",
                True,
            ),
        ),
    ),
    Method(
        "narration.check",
        "Return what in these paragraphs contradicts the story.",
        Function(
            "check",
            _RECORDS,
            take="findings",
            doc="Each names the `paragraph`, counted from 0, and has a `message`.",
        ),
        json_object(
            "findings",
            findings=array(
                "What cannot be told so; empty when all of it can.",
                json_object(
                    *("paragraph", "message"),
                    closed=False,
                    paragraph=value("Which paragraph, counted from 0.", type="integer", minimum=0),
                    message=value("What is wrong with it.", type="string"),
                ),
            ),
        ),
        "model",
        "gate",
        (
            MethodParameter(
                "paragraphs",
                "What is to be told, from the beginning of the scene.",
                {
                    "type": "array",
                    "minItems": 1,
                    "maxItems": 12,
                    "items": {"type": "string", "maxLength": 8000},
                },
                True,
                "Sequence[str]",
                True,
            ),
            MethodParameter(
                "facts",
                "What is known of the scene, as the skill's input has it.",
                {"type": "object"},
                annotation="dict[str, Any] | None",
                positional=True,
            ),
        ),
    ),
    Method(
        "picture.rasterise",
        "Draw a square PNG of an SVG that holds all it needs.",
        Function(
            "rasterise", "bytes", take="png", through="call_base64", doc="Crisp leaves its edges unsmoothed."
        ),
        json_object("png", png=value("The picture as PNG, in base64.", type="string")),
        parameters=(
            MethodParameter(
                "svg",
                "The picture, complete in itself: no images, texts, scripts or references to anything outside"
                " it.",
                {"type": "string", "minLength": 1, "maxLength": 1_000_000},
                True,
                "str",
                True,
            ),
            MethodParameter(
                "size",
                "Width and height in pixels.",
                {"type": "integer", "minimum": 16, "maximum": 1024},
                True,
                "int",
                True,
            ),
            MethodParameter(
                "crisp",
                "Edges are not smoothed, as pixel art wants it.",
                {"type": "boolean", "default": False},
                annotation="bool",
                default="False",
            ),
        ),
        timeout_s=RASTERISE_TIMEOUT_S,
    ),
)

METHODS: Mapping[str, Method] = {
    method.name: method
    for method in (
        Method(
            "host.info",
            "Return who the host takes this tool for, what it may call, and the limits.",
            Function("info", "dict[str, Any]"),
            INFO,
        ),
        *_STORE,
        *_OTHERS,
    )
}
