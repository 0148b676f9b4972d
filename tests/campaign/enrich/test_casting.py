"""A plot is chosen and cast: the premise's own people first, then names for its kind of world."""

from __future__ import annotations

from tests.campaign.enrich.premises import PREMISES, make_campaign

from narratoria.campaign.enrich.casting import cast_plot, choose_names, name_groups, rank_plots, seeded_pick
from narratoria.campaign.enrich.kits import load_kit
from narratoria.campaign.enrich.premise import kinds_of_world, read_premise


def cast(text: str, seed: int = 0):
    premise = read_premise(make_campaign("untitled", text))
    kit = load_kit(premise.kind)
    return cast_plot(premise, kit, rank_plots(premise, kit, seed)[0], seed)


def test_somebody_with_a_name_gets_the_part_that_fits():
    made = cast("You are adrift in space. Captain Ines Okoro will not leave the bridge of the ship.")
    captain = next(member for member in made.people if member.name == "Captain Ines Okoro")
    assert "captain" in captain.seed.fits
    assert captain in made.members


def test_somebody_whose_role_no_plot_has_is_there_all_the_same():
    made = cast(
        "The village of Little Oaken. The philosopher Edda Moss wants your goat, and the miller laughs."
    )
    assert [member.name for member, _ in made.named] == ["Edda Moss"]


def test_names_come_from_the_kind_of_world():
    text, kind = PREMISES["loaf"]
    group = name_groups()[kinds_of_world()[kind].names]
    for member in cast(text).members:
        assert member.name.split()[0] in getattr(group, member.they)


def test_the_same_text_gives_the_same_people_and_another_seed_others():
    text = PREMISES["museum"][0]
    assert cast(text).people == cast(text).people
    assert {one.name for one in cast(text).people} != {one.name for one in cast(text, seed=7).people}


def test_nobody_of_the_premise_lends_their_name_to_another():
    made = cast("You live in space, with Captain Juno Weir and nobody else.")
    firsts = [member.name.split()[0] for member in made.people]
    assert firsts.count("Juno") == 0
    assert len(set(firsts)) == len(firsts)


def test_the_fittest_plot_is_taken_and_everything_else_is_left_to_the_seed():
    pick = seeded_pick("a title", 1)
    assert pick("plot", ("the fittest", "another")) == "the fittest"
    assert {seeded_pick("a title", seed)("place/1", ("a", "b", "c")) for seed in range(20)} == {"a", "b", "c"}


def test_somebody_without_a_name_takes_the_part_that_fits():
    text = "We are the committee of a cooperative. My cousin is the treasurer. The farmer wants the field."
    premise = read_premise(make_campaign("orchard", text))
    kit = load_kit("council")
    cast = cast_plot(premise, kit, kit.plots[0], 0)
    roles = {member.role: member for member in cast.people if member.role}
    assert {"treasurer", "farmer", "cousin"} <= set(roles)
    assert roles["farmer"].key == "c"
    assert roles["cousin"].phrase == "your cousin"
    assert all(member.name for member in cast.people)


def test_people_have_the_names_of_the_country_that_is_spoken_of():
    premise = read_premise(make_campaign("rila", "A village council in Bulgaria, and a cow."))
    assert choose_names(premise) is name_groups()["slavic"]
    premise = read_premise(make_campaign("any", "A village council, and a cow."))
    assert choose_names(premise) is not name_groups()["slavic"]
