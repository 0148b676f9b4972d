// Generated from the API's description by web/dev/generate_types.py. Do not edit; run `make web`.

export interface Alive {
  version: string;
}

export interface Answers {
  preset?: string;
  name?: string;
  race?: string;
  class?: string;
  background?: string;
  traits?: string[];
  stats?: Record<string, number>;
  attributes?: Record<string, string>;
  description?: string;
}

export interface AskedBack {
  type: "asked_back";
  id: number;
  turn: number;
  at: string;
  words: string;
  question: string;
  readings: string[];
}

export interface Asking {
  topic: string;
  scene: number;
  mark?: string;
}

export interface AssetMade {
  type: "asset";
  id: number;
  turn: number;
  at: string;
  assetId: string;
  kind: string;
  mediaType: string;
  path: string;
  toolId: string;
  metadata: Record<string, unknown>;
  url: string | null;
}

export interface AssetOrigin {
  path: string;
  type: string;
  generated: boolean;
  sourceModel?: string | null;
  generatedAt?: string | null;
}

export interface AssetPage {
  assetId: string;
  kind: string;
  mediaType: string;
  url: string;
  metadata: Record<string, unknown>;
  generated: boolean;
  provenance: Record<string, unknown> | null;
  turn: number;
  toolId: string;
  referred: boolean;
}

export interface AssetReference {
  assetId: string;
  kind: string;
  mediaType: string;
  path: string;
  toolId: string;
  metadata: Record<string, unknown>;
}

export interface Attribute {
  name: string;
  prompt: string;
  kind: "choice" | "number" | "text";
  options: string[];
  default: string;
}

export interface AuditEntry {
  when: string;
  who: string;
  account: string;
  address: string;
  what: string;
  target: string;
  status: number;
}

export interface AuditPage {
  entries: AuditEntry[];
}

export interface Backup {
  name: string;
  madeAt: string;
  bytes: number;
}

export interface Begun {
  turn: number;
}

export interface Branching {
  turn: number;
  title?: string | null;
}

export interface CampaignCard {
  name: string;
  title: string;
  description: string;
  author: string;
  genre: string;
  tone: string;
  contentRating: string;
  beyondLimits: string;
  warnings: string[];
  cover: string | null;
  hours: number | null;
  palette: string[];
  generatedCount: number;
  problems: ProblemCount;
  playable: boolean;
  creation: CreationPage;
}

export interface CampaignText {
  editable: boolean;
  files: TextFile[];
}

export interface ChangedText {
  path: string;
  text: string;
}

export interface CharacterPage {
  name: string;
  description: string;
  portrait: string | null;
  lines: SheetLine[];
  stats: Stat[];
  traits: string[];
  abilities: string[];
  condition: string[];
  company: string[];
  things: Thing[];
  left: Thing[];
}

export interface Choice {
  text: string;
  kind?:
    | "again"
    | "beat"
    | "begin"
    | "branch"
    | "continue"
    | "free"
    | "go"
    | "leave"
    | "look"
    | "look-back"
    | "talk"
    | "wait";
  target?: string;
  beat?: string;
  act?: string;
  thing?: string;
  topic?: string;
  skill?: string;
  risky?: boolean;
  difficulty?: "" | "easy" | "hard" | "risky" | "unlikely";
  hint?: string;
  because?: Receipt[];
}

export interface Choosing {
  choice: number;
  scene: number;
  mark?: string;
}

export interface ChosenProvider {
  provider: string;
  baseUrl: string;
  model: string;
  place: string;
  hasKey: boolean;
  budgetTokens: number;
  budgetMoney: number;
  budgetPer: string;
}

export interface Comparison {
  common: number;
  left: SceneSummary[];
  right: SceneSummary[];
}

export interface ConfigChange {
  values: Record<string, unknown>;
}

export interface ConfigPage {
  schema: Form;
  values: Record<string, unknown>;
  secretsSet: string[];
  sources: Record<string, "config" | "default" | "environment">;
}

export interface ContentLimits {
  violence: "full" | "mild" | "none";
  fear: "full" | "mild" | "none";
  romance: "full" | "mild" | "none";
  children: boolean;
}

export interface ContentLimitsChange {
  violence?: "full" | "mild" | "none" | null;
  fear?: "full" | "mild" | "none" | null;
  romance?: "full" | "mild" | "none" | null;
  children?: boolean | null;
}

export interface CreationPage {
  mode: "freeform" | "guided" | "preset";
  guidance: string;
  races: Trait[];
  classes: Trait[];
  backgrounds: Trait[];
  presets: Preset[];
  requiredAttributes: Attribute[];
  optionalAttributes: Attribute[];
  startingStats: Record<string, number>;
  statPoints: number;
  statRange: Range;
  startingItems: string[];
  prompts: Record<string, string>;
}

export interface Day {
  day: number;
  stays: Stay[];
}

export interface DiceRolled {
  type: "dice_rolled";
  id: number;
  turn: number;
  at: string;
  formula: string;
  total: number;
  rolls: number[];
  outcome: string;
  modifiers: Record<string, number>;
}

export interface Entering {
  profile: string;
  pin?: string;
}

export interface ErrorAnswer {
  error: ErrorBody;
}

export interface ErrorBody {
  code: string;
  message: string;
  advice?: string;
  fields?: FieldError[];
}

export interface FieldError {
  field: string;
  message: string;
}

export interface ForgottenMemory {
  id: string;
  body: Record<string, unknown>;
  skill: string;
}

export interface Form {
  title: string;
  description: string;
  fields: FormField[];
}

export interface FormField {
  key: string;
  type: "array" | "boolean" | "integer" | "number" | "object" | "string";
  widget: "dropdown" | "group" | "list" | "number" | "password" | "text" | "textarea" | "toggle";
  title: string;
  description: string;
  required: boolean;
  sensitive: boolean;
  category: string;
  envVar: string;
  default: unknown;
  enum: unknown[];
  minimum: number | null;
  maximum: number | null;
  exclusiveMinimum: number | null;
  exclusiveMaximum: number | null;
  multipleOf: number | null;
  minLength: number | null;
  maxLength: number | null;
  pattern: string;
  fields: FormField[];
}

export interface FoundServers {
  servers: ServerPage[];
}

export interface Going {
  place: string;
  scene: number;
  mark?: string;
}

export interface Grant {
  permission: string;
  granted: boolean;
}

export interface Guarantee {
  what: string;
  held: boolean;
  note: string;
}

export interface Heartbeat {
  type: "alive";
}

export interface Home {
  version: string;
  campaigns: CampaignCard[];
  stories: StoryCard[];
  moreStories: boolean;
  teller: WhoTells;
  freeText: boolean;
  profile: PlayerProfile | null;
  damage: StoreDamage | null;
}

export interface Imported {
  kind: "campaign" | "story";
  id: string;
  title: string;
  playable: boolean;
  notes: string[];
}

export interface JournalPage {
  days: Day[];
  matters: OpenMatter[];
  known: KnownFact[];
}

export interface JournalScene {
  number: number;
  action: string;
  opening: string;
  roll: string;
  effects: string[];
}

export interface KnownFact {
  text: string;
  scene: number;
  person: string;
  place: string;
  source: string;
}

export interface LogLine {
  level: string;
  message: string;
}

export interface LoreCard {
  id: string;
  kind: "lore" | "person" | "place";
  title: string;
  about: string;
  names: string[];
  facts: KnownFact[];
}

export interface MapPage {
  places: MapPlace[];
}

export interface MapPlace {
  id: string;
  name: string;
  isSeen: boolean;
  isHere: boolean;
  canGo: boolean;
  picture: string | null;
  visits: number;
  people: string[];
  ways: string[];
}

export interface MemoryMarking {
  mark: "none" | "pinned" | "struck";
}

export interface MemoryPage {
  id: string;
  summary: string;
  relevance: number | null;
  turn: number;
  episodic: boolean;
  significance: string;
  characters: string[];
  witnesses: string[];
  tags: string[];
  skill: string;
  addedBy: string;
  mark: "none" | "pinned" | "struck";
}

export interface ModelAddress {
  address: string;
}

export interface ModelFile {
  path: string;
  name?: string;
}

export interface ModelList {
  models: ModelPage[];
  offered: string | null;
  teller: WhoTells;
}

export interface ModelPage {
  name: string;
  title: string;
  summary: string;
  licence: string;
  sizeBytes: number;
  memoryBytes: number;
  checked: boolean;
  installed: boolean;
  active: boolean;
  removable: boolean;
  recommended: boolean;
  tier: string | null;
  tokensPerSecond: number | null;
  verdict: string;
  state: "absent" | "failed" | "fetching" | "here" | "missing" | "stopped";
  progress: number;
  reason: string;
}

export interface ModelStatus {
  type: "model_status";
  id: number;
  turn: number;
  at: string;
  model: string;
  tier: string;
  state: "downloading" | "failed" | "loading" | "ready";
  progress: number;
}

export interface Music {
  volume: number;
  on: boolean;
}

export interface MusicChange {
  volume?: number | null;
  on?: boolean | null;
}

export interface NarrationDelta {
  type: "narration_delta";
  id: number;
  turn: number;
  at: string;
  text: string;
}

export interface NarrationDiscarded {
  type: "narration_discarded";
  id: number;
  turn: number;
  at: string;
  reason: string;
}

export interface NarratorNote {
  id: string;
  text: string;
  standing?: boolean;
}

export interface NetworkAttempt {
  when: string;
  who: string;
  what: string;
  allowed: boolean;
}

export interface NewNote {
  text: string;
  standing?: boolean;
}

export interface NewProfile {
  name: string;
  role?: "author" | "owner" | "player";
  pin?: string;
}

export interface NewStory {
  campaign: string;
  character?: Answers | null;
  persona?: Record<string, unknown> | null;
  seed?: number | null;
  title?: string | null;
}

export interface NewTrial {
  place?: string;
  beat?: string;
}

export interface Notice {
  type: "notice";
  id: number;
  turn: number;
  at: string;
  kind: "model" | "network" | "plan_failure" | "settings" | "store" | "tool_failure";
  message: string;
  skill: string | null;
  details: Record<string, unknown>;
}

export interface OpenMatter {
  kind: "claim" | "debt" | "promise";
  person: string;
  text: string;
  scene: number;
}

export interface OriginalText {
  paragraphs: string[];
  passages?: Passage[];
  summary?: string;
  memories?: ForgottenMemory[];
  matters?: (Record<string, unknown>)[];
  findings?: (Record<string, unknown>)[];
}

export interface ParagraphText {
  text: string;
}

export interface Passage {
  by: "author" | "composer" | "model" | "player";
  model?: string;
  because?: Receipt[];
}

export interface PeoplePage {
  people: PersonPage[];
  factions: StandingPage[];
}

export interface Permission {
  name: string;
  granted: boolean;
  why: string;
}

export interface PersonPage {
  id: string;
  name: string;
  role: string;
  portrait: string | null;
  isHere: boolean;
  isDead: boolean;
  isWithPlayer: boolean;
  lastSeenAt: string;
  lastSeenIn: number;
  standing: StandingPage | null;
  known: KnownFact[];
  knowsOfPlayer: string[];
  topics: TopicQuestion[];
  asked: TopicQuestion[];
}

export interface PhonePage {
  address: string;
  code: string;
  command: string;
}

export interface Plan {
  requestId: string;
  narrative: string | null;
  tools: ToolInvocation[];
  parallel: boolean;
  disabledSkills: string[];
  metadata: PlanMetadata;
}

export interface PlanMade {
  type: "plan_made";
  id: number;
  turn: number;
  at: string;
  plan: Plan;
  attempt: number;
  planner: string;
  reasons: string[];
}

export interface PlanMetadata {
  generationAttempt: number;
  parentPlanId: string | null;
  planner: string;
  reasons: string[];
}

export interface PlayerProfile {
  id: string;
  name: string;
  role: "author" | "owner" | "player";
  hasPin: boolean;
}

export interface PlayerProfileChange {
  name?: string | null;
  role?: "author" | "owner" | "player" | null;
  pin?: string | null;
}

export interface Preset {
  name: string;
  description: string;
  race: string;
  class: string;
  background: string;
  traits: string[];
  stats: Record<string, number>;
  items: string[];
  portrait: string;
}

export interface PrivacyReport {
  networkAttempts: NetworkAttempt[];
  skillsWithNetwork: string[];
  ran: Ran[];
  sandbox: Sandbox;
  places: Record<string, string>;
}

export interface ProblemCount {
  errors: number;
  warnings: number;
}

export interface ProfileList {
  kind: "household" | "none" | "proxy";
  profiles: PlayerProfile[];
  current: PlayerProfile | null;
}

export interface ProtocolViolation {
  type: "protocol_violation";
  id: number;
  turn: number;
  at: string;
  toolId: string;
  message: string;
}

export interface ProvenancePage {
  assets: AssetOrigin[];
}

export interface ProviderList {
  services: ServicePage[];
  chosen: ChosenProvider | null;
  used: UsedPage;
  teller: WhoTells;
}

export interface Ran {
  skill: string;
  runs: number;
  network: boolean;
}

export interface Range {
  min: number;
  max: number | null;
}

export interface ReadAloud {
  voice: string;
  rate: number;
}

export interface ReadAloudChange {
  voice?: string | null;
  rate?: number | null;
}

export interface Readers {
  readers: string[];
}

export interface Reason {
  kind: "beat" | "evidence" | "memory" | "place" | "roll" | "standing" | "state" | "topic" | "unit";
  id: string;
  title: string;
  text: string;
  turn: number | null;
  record: Record<string, unknown>;
}

export interface Receipt {
  kind: "beat" | "evidence" | "memory" | "place" | "roll" | "standing" | "state" | "topic" | "unit";
  id: string;
  text?: string;
}

export interface Reload {
  type: "reload";
}

export interface Renaming {
  title: string;
}

export interface ReplanExhausted {
  type: "replan_exhausted";
  id: number;
  turn: number;
  at: string;
  attempts: number;
  errors: string[];
}

export interface RestoredStore {
  backup: Backup;
  keptAside: string;
}

export interface Retelling {
  take?: number | null;
  mark?: string;
}

export interface RetryPolicy {
  maxRetries: number;
  backoffMs: number;
}

export interface Roll {
  formula: string;
  total: number;
  outcome?: string;
  rolls?: number[];
  modifier?: number;
  modifiers?: Record<string, number>;
}

export interface Sandbox {
  kind: string;
  isolates: boolean;
  enforced: string[];
  guarantees: Guarantee[];
  advice: string;
}

export interface Saying {
  text: string;
  scene?: number | null;
  mark?: string;
}

export interface Scene {
  number: number;
  action: string;
  place: string;
  paragraphs: string[];
  choices: Choice[];
  roll?: Roll | null;
  beats?: string[];
  source?: "fallback" | "narrator" | "storyteller";
  type?: "danger" | "dialogue" | "resolution" | "travel" | null;
  mood?: string;
  music?: string;
  background?: string;
  people?: string[];
  portraits?: Record<string, string>;
  assets?: AssetReference[];
  passages?: Passage[];
  ending?: string;
  gameTime?: number;
  notices?: string[];
  effects?: string[];
  limitNote?: string;
  fact?: string;
  original?: OriginalText | null;
}

export interface SceneReady {
  type: "scene_ready";
  id: number;
  turn: number;
  at: string;
  scene: Scene;
  mark: string;
}

export interface SceneSummary {
  number: number;
  action: string;
  place: string;
  opening: string;
  roll: string;
  beats: string[];
}

export interface Script {
  name: string;
  description: string;
  timeoutSeconds: number;
  required: boolean;
}

export interface SentFile {
  kind: "campaign" | "story";
  title: string;
  description: string;
  parts: number;
  signedBy: string;
  key: string;
  knownAs: string;
  passages: SentPassage[];
  more: boolean;
}

export interface SentPassage {
  heading: string;
  text: string;
}

export interface ServerPage {
  name: string;
  title: string;
  provider: string;
  baseUrl: string;
  models: string[];
  needsKey: boolean;
  consent: string;
}

export interface ServicePage {
  name: string;
  title: string;
  about: string;
  provider: string;
  baseUrl: string;
  model: string;
  keyPage: string;
  pricePerScene: number | null;
  inputPrice: number | null;
  outputPrice: number | null;
  priceNoted: string;
  consent: string;
}

export interface SettingsChange {
  freeText?: boolean | null;
  showEffects?: boolean | null;
  textSize?: number | null;
  spacing?: number | null;
  theme?: "black" | "contrast" | "dark" | "light" | "sepia" | "system" | null;
  font?: "legible" | "sans" | "serif" | null;
  lineWidth?: "narrow" | "normal" | "wide" | null;
  music?: MusicChange | null;
  readAloud?: ReadAloudChange | null;
  motion?: "full" | "reduced" | "system" | null;
  contentLimits?: ContentLimitsChange | null;
}

export interface SharedStories {
  stories: StoryCard[];
}

export interface SheetLine {
  name: string;
  value: string;
}

export interface ShownSettings {
  freeText: boolean;
  showEffects: boolean;
  textSize: number;
  spacing: number;
  theme: "black" | "contrast" | "dark" | "light" | "sepia" | "system";
  font: "legible" | "sans" | "serif";
  lineWidth: "narrow" | "normal" | "wide";
  music: Music;
  readAloud: ReadAloud;
  motion: "full" | "reduced" | "system";
  contentLimits: ContentLimits;
  problem: string;
}

export interface SkillPage {
  name: string;
  displayName: string;
  version: string;
  description: string;
  author: string;
  license: string;
  bundled: boolean;
  enabled: boolean;
  available: boolean;
  condition: "disabled" | "misconfigured" | "ready";
  health: "degraded" | "healthy" | "permanentFailure" | "temporaryFailure";
  problems: string[];
  warnings: string[];
  permissions: Permission[];
  scripts: Script[];
  config: ConfigPage;
}

export interface StandingPage {
  id: string;
  name: string;
  score: number;
  words: string;
  portrait: string | null;
  history: StandingPoint[];
}

export interface StandingPoint {
  turn: number;
  score: number;
  reason: string;
}

export interface Standings {
  people: StandingPage[];
  factions: StandingPage[];
}

export interface StartPoint {
  id: string;
  title: string;
}

export interface StartPoints {
  places: StartPoint[];
  beats: StartPoint[];
  people: Record<string, string>;
}

export interface Stat {
  name: string;
  value: number;
  most: number;
}

export interface StateChanged {
  type: "state_changed";
  id: number;
  turn: number;
  at: string;
  patch: Record<string, unknown>;
}

export interface StateView {
  state: Record<string, unknown>;
  changed: string[];
}

export interface Stay {
  place: string;
  scenes: JournalScene[];
}

export interface StoreDamage {
  message: string;
  backup: Backup | null;
}

export interface StoryCard {
  id: string;
  title: string;
  campaign: string;
  campaignTitle: string;
  cover: string | null;
  place: string;
  scenes: number;
  minutesPlayed: number;
  createdAt: string;
  playedAt: string;
  parent: string | null;
  branchedAt: number | null;
  ended: string;
  isTrial: boolean;
}

export type StoryEvent =
  | TurnStarted
  | PlanMade
  | ToolBegan
  | ToolLog
  | ToolTriedAgain
  | ToolEnded
  | AssetMade
  | Ui
  | DiceRolled
  | NarrationDelta
  | NarrationDiscarded
  | StateChanged
  | SceneReady
  | Notice
  | ReplanExhausted
  | ProtocolViolation
  | TurnCancelled
  | TurnUndone
  | StoryRevised
  | StoryMoved
  | AskedBack
  | ModelStatus;

export interface StoryList {
  stories: StoryCard[];
  more: boolean;
}

export interface StoryMoved {
  type: "story_moved";
  id: number;
  turn: number;
  at: string;
}

export interface StoryPage {
  story: StoryCard;
  scenes: Scene[];
  first: number;
  state: Record<string, unknown>;
  busy: boolean;
  lastEventId: number;
  palette: string[];
  places: Record<string, string>;
  people: Record<string, string>;
  art: Record<string, string>;
  start: string;
  take: number;
  takes: number;
  interrupted: Choice | null;
  kept: boolean;
  ownWords: boolean;
  notes: NarratorNote[];
  bookmarks: number[];
  canRedo: boolean;
  teller: WhoTells;
  mark: string;
  isOwn: boolean;
}

export interface StoryRevised {
  type: "story_revised";
  id: number;
  turn: number;
  at: string;
  scene: Scene | null;
}

export type StreamFrame = StoryEvent | Heartbeat | Reload;

export interface TextFile {
  path: string;
  text: string;
}

export interface TextHit {
  scene: number;
  before: string;
  match: string;
  after: string;
}

export interface TextHits {
  hits: TextHit[];
  total: number;
}

export interface Thing {
  name: string;
  condition: string;
  whereabouts: string;
}

export interface ToolBegan {
  type: "tool_started";
  id: number;
  turn: number;
  at: string;
  toolId: string;
  skill: string;
  script: string;
  attempt: number;
}

export interface ToolEnded {
  type: "tool_finished";
  id: number;
  turn: number;
  at: string;
  toolId: string;
  state: "failed" | "skipped" | "success" | "timeout";
  ms: number;
  error: ToolError | null;
}

export interface ToolError {
  code: string;
  message: string;
  category: "circular_dependency" | "invalid_json" | "process_error" | "timeout" | "tool_failure";
  details: Record<string, unknown>;
}

export interface ToolInvocation {
  toolId: string;
  toolPath: string;
  input: Record<string, unknown>;
  dependencies: string[];
  required: boolean;
  async: boolean;
  retryPolicy: RetryPolicy;
}

export interface ToolLog {
  type: "tool_log";
  id: number;
  turn: number;
  at: string;
  toolId: string;
  level: string;
  message: string;
}

export interface ToolRow {
  toolId: string;
  skill: string;
  script: string;
  state: "failed" | "pending" | "running" | "skipped" | "success" | "timeout";
  ms: number;
  attempts: number;
  logs: LogLine[];
  error: ToolError | null;
  dependencies: string[];
  output: Record<string, unknown> | null;
}

export interface ToolTriedAgain {
  type: "tool_retrying";
  id: number;
  turn: number;
  at: string;
  toolId: string;
  error: ToolError;
  delayMs: number;
}

export interface TopicQuestion {
  id: string;
  text: string;
}

export interface Trait {
  name: string;
  description: string;
  traits: string[];
  abilities: string[];
  stats: Record<string, number>;
  items: string[];
}

export interface Tree {
  nodes: TreeNode[];
}

export interface TreeNode {
  id: string;
  title: string;
  parent: string | null;
  branchedAt: number | null;
  scenes: number;
}

export interface TurnCancelled {
  type: "turn_cancelled";
  id: number;
  turn: number;
  at: string;
}

export interface TurnPage {
  turn: number;
  choice: Choice;
  ms: number;
  plan: Plan | null;
  failures: string[];
  tools: ToolRow[];
  events: StoryEvent[];
}

export interface TurnRow {
  turn: number;
  choice: Choice;
  ms: number;
  tools: number;
  failed: number;
}

export interface TurnStarted {
  type: "turn_started";
  id: number;
  turn: number;
  at: string;
  choice: Choice;
}

export interface TurnUndone {
  type: "turn_undone";
  id: number;
  turn: number;
  at: string;
  scene: Scene | null;
}

export interface Ui {
  type: "ui";
  id: number;
  turn: number;
  at: string;
  event: string;
  payload: Record<string, unknown>;
  toolId: string;
}

export interface UseProvider {
  provider: "claude" | "ollama" | "openai";
  baseUrl?: string;
  model?: string;
  apiKey?: string | null;
  budgetTokens?: number | null;
  budgetMoney?: number | null;
  budgetPer?: "day" | "story" | null;
  consent?: boolean;
}

export interface UsedPage {
  requests: number;
  input: number;
  cached: number;
  output: number;
  money: number;
  estimated: number;
}

export interface Validation {
  problems: ValidationProblem[];
}

export interface ValidationProblem {
  severity: "error" | "info" | "warning";
  code: string;
  file: string;
  line: number;
  column: number;
  pointer: string;
  message: string;
}

export interface WhereToLook {
  ports?: number[];
}

export interface WhoTells {
  state: "blocked" | "none" | "partly" | "preparing" | "tells";
  teller: "campaign" | "model" | "provider";
  name: string;
  sentence: string;
  advice: string;
  sends: string;
}
