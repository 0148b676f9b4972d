/** The API's types as the pages name them, and what the page itself makes of the events of a turn. */
import type { AssetMade, AssetPage, AssetReference, LogLine, Notice, ShownSettings, ToolError } from "./schema";

export type {
  AskedBack,
  AssetPage,
  Attribute,
  CampaignCard,
  Choice,
  CreationPage as Creation,
  FormField,
  Home,
  MemoryPage as Memory,
  ModelPage as ModelInfo,
  ModelStatus,
  Passage,
  Permission,
  Plan,
  Preset,
  Receipt,
  Roll,
  Scene,
  ShownSettings,
  SkillPage as SkillInfo,
  StandingPage as Standing,
  StoryCard,
  StoryEvent,
  StoryPage,
  StreamFrame,
  ServerPage as FoundServer,
  ServicePage as Service,
  ProviderList,
  Trait,
  WhoTells,
} from "./schema";

export type Settings = Omit<ShownSettings, "problem">;
export type AssetRef = AssetReference | AssetMade | AssetPage;
export type NoticeText = Pick<Notice, "kind" | "message" | "skill" | "details">;

/** A tool of the present plan, as far as its events have come, or of a past one. */
export interface ToolRun {
  toolId: string;
  skill: string;
  script: string;
  state: string;
  ms?: number;
  attempts: number;
  logs: LogLine[];
  error?: ToolError | null;
  dependencies: string[];
  startedAt?: number;
}
