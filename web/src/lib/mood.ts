/** The tint for an author's word for a mood; none for words that say nothing about colour. */
const TINTS: [string, RegExp][] = [
  ["danger", /danger|tens|urgent|quick|brisk|fight|battle|ang(er|ry)|fur(y|ious)|violen|peril|chase|alarm/i],
  ["dread", /dread|horror|omin|terror|fear|sinister|menac|grim|dark|haunt|macabre|uneas|foreboding/i],
  ["sorrow", /sorrow|sad|grief|griev|melanchol|mourn|lonel|regret|bitter|elegi|wistful|somber|sombre/i],
  ["hope", /hope|joy|triumph|bright|glad|celebrat|dawn|relief|victor|golden/i],
  ["warm", /warm|cosy|cozy|hearth|homely|friend|tender|comfort|humou?r|playful|intimate|merry/i],
  ["wonder", /wonder|myster|magic|strange|dream|enchant|uncanny|curio|arcane|awe/i],
  ["wild", /wild|forest|green|growth|nature|verdant|lush/i],
  ["cold", /cold|gr[ea]y|winter|snow|ice|frost|storm|rain|bleak|sea/i],
  ["calm", /calm|peace|quiet|seren|still|gentle|rest|hush|reflect/i],
];

export const tint = (mood: string | undefined): string =>
  mood ? (TINTS.find(([, words]) => words.test(mood))?.[0] ?? "") : "";
