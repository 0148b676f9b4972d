"""Nothing that a model made gets in as a person's work, and nothing of a person's as a model's."""

from __future__ import annotations

from typing import Any

import pytest

from narratoria.errors import ContractViolation
from narratoria.store import Store

MISSING_PROVENANCE = (
    "Generated asset missing provenance (generated=true requires provenance.source_model, "
    "provenance.generated_at, provenance.seed_data)"
)
UNEXPECTED_PROVENANCE = (
    "Human-created asset must not contain provenance (generated=false conflicts with provenance object)"
)
WHOLE = {"source_model": "m", "generated_at": "2026-02-03T11:00:00Z", "seed_data": "I am bread"}


def asset(**fields: Any) -> dict[str, Any]:
    return {"path": "art/oven.png", "type": "image", **fields}


async def refusal(store: Store, **fields: Any) -> str:
    with pytest.raises(ContractViolation) as refused:
        await store.campaign("mill").store("asset", asset(**fields))
    assert await store.campaign("mill").exact_match("asset") == ()
    return str(refused.value)


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("field", ["source_model", "generated_at", "seed_data"])
@pytest.mark.parametrize("nothing", ["absent", None, "", "  "])
async def test_a_generated_asset_without_its_whole_provenance_is_refused(
    shared_store: Store, field: str, nothing: str | None
) -> None:
    provenance = {name: value for name, value in WHOLE.items() if name != field}
    if nothing != "absent":
        provenance[field] = nothing
    assert await refusal(shared_store, generated=True, provenance=provenance) == MISSING_PROVENANCE


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("provenance", [None, "a model", []])
async def test_a_generated_asset_without_a_provenance_object_is_refused(
    shared_store: Store, provenance: Any
) -> None:
    assert await refusal(shared_store, generated=True, provenance=provenance) == MISSING_PROVENANCE
    assert await refusal(shared_store, generated=True) == MISSING_PROVENANCE


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("generated", [{"generated": False}, {}])
async def test_a_persons_asset_with_a_provenance_is_refused(
    shared_store: Store, generated: dict[str, bool]
) -> None:
    assert await refusal(shared_store, provenance=WHOLE, **generated) == UNEXPECTED_PROVENANCE


@pytest.mark.asyncio(loop_scope="module")
@pytest.mark.parametrize("moment", ["yesterday", "2026-02-30T10:00:00Z", "2026-02-03", "1770000000", "T"])
async def test_a_moment_of_generation_that_is_no_iso_8601_datetime_is_refused(
    shared_store: Store, moment: str
) -> None:
    message = await refusal(shared_store, generated=True, provenance={**WHOLE, "generated_at": moment})
    assert message.startswith(f"/provenance/generated_at: {moment!r} is not an ISO 8601 datetime")


@pytest.mark.parametrize("moment", ["2026-02-03T11:00:00Z", "2026-02-03T11:00+02:00", "20260203T110000Z"])
async def test_a_generated_asset_with_its_provenance_is_kept(store: Store, moment: str) -> None:
    kept = await store.campaign("mill").store(
        "asset", asset(generated=True, provenance={**WHOLE, "generated_at": moment})
    )
    assert kept.record.provenance.source_model == "m"
    assert kept.record.provenance.generated_at == moment


async def test_an_update_cannot_take_the_provenance_from_a_generated_asset(store: Store) -> None:
    shelf = store.campaign("mill")
    kept = await shelf.store("asset", asset(generated=True, provenance=WHOLE))
    with pytest.raises(ContractViolation) as refused:
        await shelf.update("asset", kept.identifier, {"provenance": {"seed_data": None}})
    assert str(refused.value) == MISSING_PROVENANCE
    with pytest.raises(ContractViolation) as refused:
        await shelf.update("asset", kept.identifier, {"generated": False})
    assert str(refused.value) == UNEXPECTED_PROVENANCE
    assert await shelf.get("asset", kept.identifier) == kept
