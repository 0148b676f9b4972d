/** Who the player will be: what the forms hold, what is missing, what is sent, and what will come of it. */
import type { FieldError } from "./api";
import type { Creation, Trait } from "./types";

export interface Draft {
  name: string;
  preset: string;
  description: string;
  race: string;
  class: string;
  background: string;
  stats: Record<string, number>;
  traits: string[];
  items: string[];
  attributes: Record<string, string>;
}

export function draft(creation?: Creation): Draft {
  const asked = [...(creation?.requiredAttributes ?? []), ...(creation?.optionalAttributes ?? [])];
  return {
    name: "",
    preset: "",
    description: "",
    race: "",
    class: "",
    background: "",
    stats: { ...(creation?.startingStats ?? {}) },
    traits: [],
    items: [],
    attributes: Object.fromEntries(asked.map((attribute) => [attribute.name, attribute.default ?? ""])),
  };
}

function chosen(person: Draft, creation?: Creation): Trait[] {
  const of = (options: Trait[] | undefined, name: string) => options?.find((option) => option.name === name);
  return [
    of(creation?.races, person.race),
    of(creation?.classes, person.class),
    of(creation?.backgrounds, person.background),
  ].filter((trait) => trait !== undefined);
}

/** Points that are left to spread. */
export function pointsLeft(person: Draft, creation: Creation): number {
  const spent = Object.entries(person.stats).reduce(
    (sum, [stat, value]) => sum + value - (creation.startingStats?.[stat] ?? 0),
    0,
  );
  return (creation.statPoints ?? 0) - spent;
}

/** What is sent: the story's own rules make the persona of it. */
export function answers(person: Draft, mode: string) {
  if (mode === "preset") return { preset: person.preset };
  const attributes = Object.fromEntries(Object.entries(person.attributes).filter(([, value]) => value));
  const { name, description, race, background, stats, traits } = person;
  return {
    name: name.trim(),
    description: description.trim(),
    ...(mode === "guided" ? { race, class: person.class, background } : {}),
    stats,
    traits,
    attributes,
  };
}

/** What will come of it: what was chosen brings its traits, stats and things. */
export function total(person: Draft, mode: string, creation?: Creation) {
  const traits = mode === "guided" ? chosen(person, creation) : [];
  const stats = { ...person.stats };
  for (const trait of traits)
    for (const [stat, value] of Object.entries(trait.stats ?? {})) stats[stat] = (stats[stat] ?? 0) + value;
  const unique = (values: string[]) => [...new Set(values)];
  return {
    name: person.name.trim(),
    stats,
    traits: unique([
      ...person.traits,
      ...traits.flatMap((trait) => [...(trait.traits ?? []), ...(trait.abilities ?? [])]),
    ]),
    items:
      mode === "preset"
        ? person.items
        : unique([...(creation?.startingItems ?? []), ...traits.flatMap((trait) => trait.items ?? [])]),
  };
}

export function problemsOf(person: Draft, mode: string, creation?: Creation): FieldError[] {
  if (mode === "preset") return person.preset ? [] : [{ field: "preset", message: "Choose one of these people." }];
  const errors: FieldError[] = [];
  if (!person.name.trim()) errors.push({ field: "name", message: "The others need something to call you." });
  if (mode === "guided") {
    if (creation?.races?.length && !person.race) errors.push({ field: "race", message: "Choose where you come from." });
    if (creation?.classes?.length && !person.class) errors.push({ field: "class", message: "Choose what you do." });
    if (creation?.backgrounds?.length && !person.background)
      errors.push({ field: "background", message: "Choose what lies behind you." });
  }
  for (const attribute of creation?.requiredAttributes ?? []) {
    if (attribute.name.toLowerCase() !== "name" && !person.attributes[attribute.name])
      errors.push({
        field: `attributes.${attribute.name}`,
        message: "The story asks for this; a word or two will do.",
      });
  }
  if (creation && pointsLeft(person, creation) < 0)
    errors.push({ field: "stats", message: "More points are spent than there are; take some back." });
  return errors;
}
