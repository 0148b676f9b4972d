/** The story that is open: what was told, what is being told, and every event of the present turn. */
import { ApiError, fileAddress, get, part, post, put, remove } from "./api";
import type { LoreCard, NarratorNote, WhoTells } from "./schema";
import { follow, type Stream } from "./stream";
import { toast } from "./toasts.svelte";
import { named } from "./words";
import type {
  AskedBack,
  AssetRef,
  ModelStatus,
  NoticeText,
  Plan,
  Roll,
  Scene,
  StoryCard,
  StoryEvent,
  StoryPage,
  StreamFrame,
  ToolRun,
} from "./types";

export interface Attempt {
  attempt: number;
  planner: string;
  reasons: string[];
  plan: Plan;
  tools: Record<string, ToolRun>;
}
export interface LiveNotice extends NoticeText {
  id: number;
}
export interface Unknown {
  id: number;
  event: string;
  payload: unknown;
  toolId?: string;
}
export interface Turn {
  turn: number;
  choice: string;
  place: string;
  text: string;
  teller: string; // the model that tells it, once one does
  rolls: Roll[];
  attempts: Attempt[];
  assets: AssetRef[];
  unknown: Unknown[];
  notices: LiveNotice[];
  startedAt: number;
  finished: "" | "told" | "cancelled";
  discarded: number;
}
/** What the player is asked where their words could not be made out. */
export type Question = Pick<AskedBack, "words" | "question" | "readings">;
export interface Violation {
  id: number;
  at: string;
  toolId: string;
  message: string;
}

/** Whether a request was refused because the story stands elsewhere by now. */
function hasMoved(failure: ApiError): boolean {
  return failure.status === 409 && ["stale_scene", "story_moved"].includes(failure.code);
}

export class OpenStory {
  card: StoryCard | null = $state(null);
  scenes: Scene[] = $state([]);
  state: unknown = $state({});
  patch: unknown = $state(null);
  palette: string[] = $state([]);
  places: Record<string, string> = $state({});
  start = ""; // the place of the first scene
  people: Record<string, string> = $state({});
  art: Record<string, string> = $state({});
  notes: NarratorNote[] = $state([]); // of the player to the narrator
  bookmarks: number[] = $state([]); // scenes that the reader wants to find again
  canRedo = $state(false); // whether the last undo can be taken back
  teller: WhoTells | null = $state(null);
  take = $state(0); // which telling of the last scene is shown
  takes = $state(1);
  #nextTake = -1;
  cards: LoreCard[] = $state([]); // what the player has learned
  openCard = $state(""); // the card that is shown
  names: Map<string, string> = $state.raw(new Map()); // the cards' ids, by what they are called in the words
  asksHelp = $state(false);
  noting = $state(false); // whether the notes to the narrator are open
  editing = $state(0); // the scene that is being edited
  sharing = $state(0); // the scene that is shared
  searching = $state(false); // whether the line to search in is wanted
  wanted = $state(0); // a scene that the reader wants to see
  busy = $state(false);
  connected = $state(true);
  wasLost = $state(false);
  problem: ApiError | null = $state(null);
  turn: Turn | null = $state(null);
  streamed: Record<number, boolean> = $state({});
  assets: AssetRef[] = $state([]);
  violations: Violation[] = $state([]);
  isOwn = $state(true); // whether the reader plays it
  ownWords = $state(true); // whether the campaign lets its players say what they do
  question: Question | null = $state(null);
  exhausted: { attempts: number; errors: string[]; open: boolean } | null = $state(null);
  model: ModelStatus | null = $state(null);
  notices: (LiveNotice & { scene: number })[] = $state([]);
  told = $state(0); // counts finished turns, so that panels know when to look again
  #isMoving = false; // a refusal and an event may both say that the story went on elsewhere
  #mark = ""; // of the last scene: what follows it says so
  #stream: Stream | undefined;
  #before: Turn | null = null; // the turn before words that are being made out
  #isSaying = false; // another window's question is not shown in this one

  constructor(readonly id: string) {}

  get path(): string {
    return `/stories/${part(this.id)}`;
  }

  placeName = (id: string) => this.places[id] ?? named(id);
  personName = (id: string) => this.people[id] ?? named(id);

  /** Where something a scene refers to can be loaded from. */
  address(reference: string | undefined, scene?: Scene): string {
    if (!reference) return "";
    const known = [...(scene?.assets ?? []), ...this.assets].some((asset) => asset.assetId === reference);
    if (reference.startsWith("/")) return reference;
    if (known || !/[/.]/.test(reference)) return `/api${this.path}/assets/${part(reference)}`;
    return fileAddress(this.card?.campaign ?? "", reference);
  }

  /** Scenes before those that are shown. */
  async older(): Promise<void> {
    const first = this.scenes[0]?.number ?? 1;
    const page = await get<StoryPage>(`${this.path}?before=${first}&limit=50`);
    this.scenes = [...page.scenes, ...this.scenes];
  }

  /** Brings a scene into view, however far back it is. */
  async show(number: number): Promise<void> {
    while ((this.scenes[0]?.number ?? 1) > number) await this.older();
    this.wanted = number;
  }

  /** Of the scene that is told next: what is told anew stands in the place of what it replaces. */
  get #nextNumber(): number {
    return (this.last?.number ?? 0) + (this.#nextTake < 0 ? 1 : 0);
  }

  get last(): Scene | undefined {
    return this.scenes.at(-1);
  }

  async open(): Promise<void> {
    try {
      const page = await get<StoryPage>(this.path);
      this.#take(page);
      this.#stream?.close();
      this.#stream = follow(
        this.id,
        page.lastEventId,
        (event) => this.on(event),
        (connected) => this.#connection(connected),
      );
      if (page.interrupted && !page.busy) await this.#resume();
    } catch (error) {
      this.problem = error as ApiError;
    }
  }

  /** Looks up what the player has learned; a story is read without it as well. */
  async learn(): Promise<void> {
    this.cards = await get<LoreCard[]>(`${this.path}/cards`).catch(() => this.cards);
    const names = new Map(this.cards.flatMap((card) => card.names.map((name) => [name, card.id] as const)));
    const isKnown = names.size === this.names.size && [...names].every(([name, id]) => this.names.get(name) === id);
    if (!isKnown) this.names = names; // every scene is looked through anew for them
  }

  close(): void {
    this.#stream?.close();
  }

  #take(page: StoryPage): void {
    this.problem = null;
    this.card = page.story;
    this.scenes = page.scenes;
    this.state = page.state;
    this.palette = page.palette ?? [];
    this.places = page.places ?? {};
    this.people = page.people ?? {};
    this.art = page.art ?? {};
    this.start = page.start ?? "";
    this.ownWords = page.ownWords ?? true;
    this.isOwn = page.isOwn ?? true;
    this.busy = page.busy;
    this.#mark = page.mark ?? "";
    [this.take, this.takes] = [page.take, page.takes];
    [this.notes, this.canRedo, this.teller] = [page.notes, page.canRedo, page.teller];
    this.bookmarks = page.bookmarks;
  }

  #connection(connected: boolean): void {
    if (!connected) this.wasLost = true;
    else if (this.wasLost) {
      this.wasLost = false;
      toast("Connected again. Nothing was lost.");
      void this.#catchUp();
    }
    this.connected = connected;
  }

  /** After a restart the server knows whether it is still writing. */
  async #catchUp(): Promise<void> {
    try {
      const page = await get<StoryPage>(this.path);
      const newest = page.scenes.at(-1)?.number ?? 0;
      if (page.busy || newest < (this.last?.number ?? 0)) return;
      this.#take(page);
      if (this.turn && !this.turn.finished) this.turn.finished = "cancelled";
      if (page.interrupted) await this.#resume();
    } catch {
      // still starting: the next reconnection asks again
    }
  }

  /** Looks again at what was changed, in another window perhaps. */
  async #revised(): Promise<void> {
    const page = await get<StoryPage>(`${this.path}?limit=1`);
    [this.notes, this.canRedo, this.bookmarks] = [page.notes, page.canRedo, page.bookmarks];
    this.told += 1;
  }

  /** The story went on elsewhere: loads it anew, and says so. */
  async #moved(): Promise<void> {
    if (this.#isMoving) return;
    this.#isMoving = true;
    toast("This story went on in another window. Updated.");
    await this.reload();
    this.#isMoving = false;
  }

  async reload(): Promise<void> {
    this.close();
    this.turn = null;
    this.question = null;
    await this.open();
    this.told += 1;
  }

  async choose(index: number): Promise<void> {
    const scene = this.last;
    const choice = scene?.choices[index];
    if (!scene || !choice || this.busy) return;
    await this.#ask(
      () => post(`${this.path}/choose`, { choice: index, scene: scene.number, mark: this.#mark }),
      choice.text,
    );
  }

  async say(words: string): Promise<void> {
    const text = words.trim();
    const scene = this.last?.number;
    if (this.busy || !text) return;
    this.#before = this.turn;
    this.#isSaying = true;
    await this.#ask(() => post(`${this.path}/say`, { text, mark: this.#mark, ...(scene ? { scene } : {}) }), text);
  }

  /** Goes to a place of the map. */
  async goTo(place: string): Promise<void> {
    const scene = this.last?.number;
    if (this.busy || !scene) return;
    const words = `Go to ${this.placeName(place).replace(/^The /, "the ")}`;
    await this.#ask(() => post(`${this.path}/go`, { place, scene, mark: this.#mark }), words, place);
  }

  /** Asks somebody one of the questions that are open. */
  async askPerson(topic: string, words: string): Promise<void> {
    const scene = this.last?.number;
    if (this.busy || !scene) return;
    await this.#ask(() => post(`${this.path}/ask`, { topic, scene, mark: this.#mark }), words);
  }

  /** Begins another story that shares the scenes up to this one, and chooses there; its id. */
  async branchAt(scene: Scene, index: number): Promise<string> {
    const title = `${this.card?.title}, from scene ${scene.number}`;
    const made = await post<StoryCard>(`${this.path}/branch`, { turn: scene.number, title });
    await post(`/stories/${part(made.id)}/choose`, { choice: index, scene: scene.number });
    return made.id;
  }

  /** The choice was kept, the scene was not: tells it. */
  async #resume(): Promise<void> {
    await this.#ask(() => post(`${this.path}/retry`, { mark: this.#mark }), this.last?.action ?? "");
  }

  /** Tells the last scene once more. */
  async retry(): Promise<void> {
    if (this.busy) return;
    this.#nextTake = this.takes;
    await this.#ask(() => post(`${this.path}/retry`, { mark: this.#mark }), this.last?.action ?? "");
  }

  /** Tells the last scene as it was told that time. */
  async retell(take: number): Promise<void> {
    if (this.busy) return;
    this.#nextTake = take;
    await this.#ask(() => post(`${this.path}/retry`, { take, mark: this.#mark }), this.last?.action ?? "");
  }

  /** Have the turn told without waiting for a model any longer. */
  async quick(): Promise<void> {
    try {
      await post(`${this.path}/quick`);
    } catch (error) {
      if ((error as ApiError).code !== "idle") toast((error as Error).message); // it has come meanwhile
    }
  }

  async cancel(): Promise<void> {
    try {
      await post(`${this.path}/cancel`);
    } catch (error) {
      toast((error as Error).message);
    }
  }

  async undo(): Promise<void> {
    try {
      await post(`${this.path}/undo?mark=${part(this.#mark)}`);
      await this.reload();
      toast("Undone.", { label: "Redo", run: () => void this.redo() });
    } catch (error) {
      if (hasMoved(error as ApiError)) await this.#moved();
      else toast((error as Error).message);
    }
  }

  /** Brings back what the last undo took. */
  async redo(): Promise<void> {
    if (this.busy || !this.canRedo) return;
    try {
      await post(`${this.path}/redo`);
      await this.reload();
    } catch (error) {
      toast((error as Error).message);
    }
  }

  /** Puts a paragraph into one's own words, or back as it was told. */
  async edit(scene: number, paragraph: number, text: string | null): Promise<Scene> {
    const path = `${this.path}/scenes/${scene}/paragraphs/${paragraph}`;
    const edited = await (text === null ? post<Scene>(`${path}/restore`) : put<Scene>(path, { text }));
    this.#replace(edited);
    return edited;
  }

  /** Sets a bookmark, or takes it away. */
  async bookmark(scene: number): Promise<void> {
    const path = `${this.path}/bookmarks/${scene}`;
    const isSet = this.bookmarks.includes(scene);
    try {
      if (isSet) await remove(path);
      else await put(path, {});
    } catch (error) {
      return toast((error as Error).message);
    }
    toast(isSet ? "Bookmark removed." : "Bookmarked. You find it in the Journal.");
  }

  async addNote(text: string, standing: boolean): Promise<void> {
    const note = await post<NarratorNote>(`${this.path}/notes`, { text, standing });
    this.notes = [...this.notes.filter((other) => other.id !== note.id), note];
  }

  async removeNote(id: string): Promise<void> {
    await remove(`${this.path}/notes/${part(id)}`);
    this.notes = this.notes.filter((note) => note.id !== id);
  }

  #replace(scene: Scene): void {
    this.streamed[scene.number] = false; // its words stand there at once
    this.scenes = this.scenes.map((known) => (known.number === scene.number ? scene : known));
    this.told += 1;
  }

  async #ask(request: () => Promise<unknown>, words: string, place = ""): Promise<void> {
    this.busy = true;
    this.notices = [];
    this.question = null;
    const before = this.turn;
    this.turn = fresh(this.#nextNumber, words, place);
    try {
      await request();
    } catch (error) {
      this.turn = before;
      this.busy = false;
      this.#isSaying = false;
      this.#nextTake = -1;
      const failure = error as ApiError;
      if (hasMoved(failure)) await this.#moved();
      else if (failure.code === "busy") await this.reload();
      else
        toast(
          failure.message,
          failure.status === 0 ? { label: "Retry", run: () => void this.#ask(request, words) } : undefined,
        );
    }
  }

  on(event: Exclude<StreamFrame, { type: "alive" }>): void {
    const turn = this.turn;
    switch (event.type) {
      case "turn_started": {
        this.busy = true;
        this.notices = [];
        this.question = null;
        this.#isSaying = false;
        const { kind, target, text } = event.choice;
        const place = kind === "go" ? target : kind === "begin" || kind === "again" ? target || this.start : "";
        this.turn = fresh(this.#nextNumber, text || turn?.choice || "", place);
        return;
      }
      case "reload":
        void this.reload();
        return;
      case "story_moved":
        void this.#moved();
        return;
      case "asked_back":
        if (!this.#isSaying) return;
        this.#isSaying = false;
        this.turn = this.#before;
        this.busy = false;
        this.question = event;
        return;
      case "turn_undone":
        this.question = null;
        this.canRedo = true;
        this.scenes = this.scenes.filter((known) => known.number <= (event.scene?.number ?? 0));
        this.#mark = ""; // told with the next scene, or when the story is loaded
        this.turn = null;
        this.told += 1;
        return;
      case "story_revised":
        if (event.scene) this.#replace(event.scene);
        else void this.#revised();
        return;
      case "scene_ready":
        this.#mark = event.mark;
        return this.#ready(event.scene);
      case "turn_cancelled":
        if (turn) turn.finished = "cancelled";
        this.busy = false;
        this.#nextTake = -1;
        this.told += 1;
        return;
      case "protocol_violation":
        this.violations.push({ id: event.id, at: event.at, toolId: event.toolId, message: event.message });
        console.warn(`protocol violation by ${event.toolId}: ${event.message}`);
        return;
      case "replan_exhausted":
        this.exhausted = { attempts: event.attempts, errors: event.errors, open: true };
        return;
      case "model_status":
        this.model = event;
        return;
      case "notice": {
        const notice = {
          id: event.id,
          kind: event.kind,
          skill: event.skill,
          message: event.message,
          details: event.details,
        };
        this.notices.push({ ...notice, scene: turn?.turn ?? this.last?.number ?? 0 });
        turn?.notices.push(notice);
        // in short: the whole of it stands under the scene
        if (event.kind === "network" || event.kind === "store" || event.kind === "settings")
          toast(event.message.split(": ")[0] + (event.message.includes(": ") ? "." : ""));
        return;
      }
      case "state_changed":
        this.patch = event.patch;
        return;
      case "asset":
        this.assets.push(event);
        turn?.assets.push(event);
        return;
    }
    if (turn) inTurn(turn, event);
  }

  #ready(scene: Scene): void {
    const kept = this.scenes.filter((known) => known.number < scene.number);
    this.streamed[scene.number] = true;
    this.take = Math.max(0, this.#nextTake);
    this.takes = Math.max(this.#nextTake < 0 ? 1 : this.takes, this.take + 1);
    this.#nextTake = -1;
    this.scenes = [...kept, scene];
    this.notes = this.notes.filter((note) => note.standing !== false); // the others were for this one
    this.canRedo = false;
    if (this.turn) {
      this.turn.turn = scene.number;
      this.turn.finished = "told";
    }
    for (const notice of this.notices) notice.scene = scene.number;
    this.busy = false;
    this.told += 1;
    if (this.card) this.card.scenes = scene.number;
  }
}

function fresh(number: number, choice: string, place = ""): Turn {
  return {
    turn: number,
    choice,
    place,
    text: "",
    teller: "",
    rolls: [],
    attempts: [],
    assets: [],
    unknown: [],
    notices: [],
    startedAt: Date.now(),
    finished: "",
    discarded: 0,
  };
}

/** Events of skills that need no place of their own: the scene has the portrait, the panel of people the opinions. */
const SHOWN_ELSEWHERE = new Set(["portrait", "perception_changed", "reputation_changed"]);

/** What changes only the turn that is being told. */
function inTurn(turn: Turn, event: StoryEvent): void {
  const attempt = turn.attempts.at(-1);
  const tool = "toolId" in event ? attempt?.tools[event.toolId] : undefined;
  switch (event.type) {
    case "plan_made": {
      const { plan } = event;
      const tools = Object.fromEntries(
        plan.tools.map((t) => [
          t.toolId,
          {
            ...nameOf(t),
            toolId: t.toolId,
            state: "pending",
            logs: [],
            attempts: 0,
            dependencies: t.dependencies ?? [],
          },
        ]),
      );
      turn.attempts.push({ attempt: event.attempt, planner: event.planner, reasons: event.reasons, plan, tools });
      return;
    }
    case "tool_started":
      if (!attempt) return;
      attempt.tools[event.toolId] = {
        ...(tool ?? { toolId: event.toolId, logs: [], dependencies: [] }),
        skill: event.skill,
        script: event.script,
        state: "running",
        attempts: event.attempt,
        startedAt: Date.now(),
      };
      return;
    case "tool_log":
      tool?.logs.push({ level: event.level, message: event.message });
      return;
    case "tool_retrying":
      if (tool) {
        tool.state = "retrying";
        tool.logs.push({ level: "warn", message: `tries again in ${event.delayMs} ms: ${event.error.message}` });
      }
      return;
    case "tool_finished":
      if (tool) Object.assign(tool, { state: event.state, ms: event.ms, error: event.error });
      return;
    case "dice_rolled":
      turn.rolls.push(event);
      return;
    case "narration_delta":
      turn.text += event.text;
      return;
    case "narration_discarded":
      turn.text = "";
      turn.discarded += 1;
      return;
    case "ui":
      if (event.event === "telling") turn.teller = String((event.payload as { writer?: unknown })?.writer ?? "");
      else if (!SHOWN_ELSEWHERE.has(event.event))
        turn.unknown.push({ id: event.id, event: event.event, payload: event.payload, toolId: event.toolId });
      return;
    default:
      // from a newer server: shown, not dropped
      turn.unknown.push({ id: event.id, event: event.type, payload: event });
  }
}

function nameOf(tool: { toolPath: string }): { skill: string; script: string } {
  const [skill = "", script = ""] = tool.toolPath.split("/").slice(-2);
  return { skill, script };
}
