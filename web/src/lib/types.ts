/** What the server says, as the page reads it. Fields that an older server may leave out are optional. */
export interface Trait { name: string; description?: string; traits?: string[]; abilities?: string[]; stats?: Record<string, number>; items?: string[] }
export interface Preset extends Trait { race?: string; class?: string; background?: string; portrait?: string }
export interface Attribute { name: string; prompt?: string; kind?: "text" | "choice" | "number"; options?: string[]; default?: string }
export interface Creation {
  mode: "freeform" | "guided" | "preset"; guidance?: string; races?: Trait[]; classes?: Trait[]; backgrounds?: Trait[]; presets?: Preset[];
  requiredAttributes?: Attribute[]; optionalAttributes?: Attribute[]; startingStats?: Record<string, number>; statPoints?: number;
  statRange?: { min: number; max: number | null }; startingItems?: string[]; prompts?: Record<string, string>;
}
export interface CampaignCard {
  name: string; title: string; description: string; author?: string; genre?: string; tone?: string; contentRating?: string; warnings?: string[];
  cover?: string | null; hours?: number | null; playable?: boolean; generatedCount?: number; palette?: string[]; problems?: { errors: number; warnings: number }; creation?: Creation;
}
export interface StoryCard {
  id: string; title: string; campaign: string; campaignTitle: string; cover?: string | null; place?: string; scenes: number; minutesPlayed?: number;
  createdAt?: string; playedAt?: string; parent?: string | null; branchedAt?: number | null; ended?: string | boolean;
}
export interface Receipt { kind: string; id: string; text: string }
export interface Choice { text: string; kind?: string; difficulty?: string; hint?: string; risky?: boolean; because?: (Receipt | string)[]; target?: string }
export interface Roll { formula: string; total: number; outcome?: string; rolls?: number[]; modifier?: number; modifiers?: Record<string, number> }
export interface Passage { by?: string; model?: string; because?: (Receipt | string)[] }
export interface Notice { kind: string; skill?: string; message: string; details?: unknown }
export interface Scene {
  number: number; action: string; place: string; paragraphs: string[]; choices: Choice[]; roll?: Roll | null; type?: string; mood?: string; music?: string;
  background?: string; people?: string[]; portraits?: Record<string, string>; assets?: AssetRef[]; passages?: Passage[]; ending?: string | { title?: string; epilogue?: string[] };
  gameTime?: string | number; notices?: (Notice | string)[]; source?: string;
}
export interface AssetRef { assetId: string; kind: string; mediaType: string; url?: string; path?: string; toolId?: string; metadata?: Record<string, unknown>; generated?: boolean; provenance?: unknown; turn?: number }
export interface PlanTool { toolId: string; toolPath?: string; skill?: string; script?: string; dependencies?: string[]; required?: boolean }
export interface Plan { requestId?: string; narrative?: string; tools: PlanTool[]; parallel?: boolean }
export interface ToolRun {
  toolId: string; skill?: string; script?: string; state: string; ms?: number; attempts?: number; attempt?: number;
  logs: { level: string; message: string }[]; error?: { code?: string; message?: string } | string | null; dependencies?: string[]; startedAt?: number;
}
export interface ModelStatus { name?: string; model?: string; title?: string; tier?: string; state?: string; progress?: number | null }
export interface Home { version: string; campaigns: CampaignCard[]; stories: StoryCard[]; model?: ModelStatus | null; freeText: boolean }
export interface StoryPage { story: StoryCard; scenes: Scene[]; state: unknown; busy: boolean; lastEventId: number; palette?: string[]; first?: number; interrupted?: Choice | null; kept?: boolean; places?: Record<string, string>; people?: Record<string, string> }
export interface Settings {
  freeText: boolean; textSize: number; spacing: number; theme: "dark" | "light" | "system";
  music: { volume: number; on: boolean }; readAloud: { voice: string; rate: number }; motion: string;
}
export interface Standing { id: string; name: string; score: number; words?: string; portrait?: string; history?: { turn: number; score: number; reason?: string }[] }
export interface Memory { id: string; summary: string; relevance?: number; turn?: number; episodic?: boolean; characters?: string[]; witnesses?: string[] }
export interface Permission { name: string; granted: boolean; why?: string }
export interface FormField {
  key: string; type: "string" | "number" | "integer" | "boolean" | "array" | "object"; widget: "text" | "password" | "textarea" | "number" | "toggle" | "dropdown" | "list" | "group";
  title?: string; description?: string; required?: boolean; sensitive?: boolean; category?: string; envVar?: string; default?: unknown; enum?: unknown[];
  minimum?: number | null; maximum?: number | null; multipleOf?: number | null; minLength?: number | null; maxLength?: number | null; pattern?: string; fields?: FormField[];
}
export interface SkillInfo {
  name: string; displayName?: string; version?: string; description?: string; author?: string; bundled?: boolean; enabled: boolean; available?: boolean; condition?: string; health?: string;
  problems?: string[]; warnings?: string[]; permissions?: Permission[]; scripts?: { name: string; description?: string }[];
  config: { schema: { title?: string; description?: string; fields: FormField[] }; values: Record<string, unknown>; secretsSet?: string[]; sources?: Record<string, string> };
}
export interface ModelInfo { name: string; title?: string; summary?: string; licence?: string; removable?: boolean; reason?: string; sizeBytes?: number; installed: boolean; active?: boolean; tier?: string | null; tokensPerSecond?: number | null; recommended?: string | boolean; state?: string; progress?: number | null }
export type StoryEvent = { id: number; turn: number; at?: string; type: string } & Record<string, any>;
