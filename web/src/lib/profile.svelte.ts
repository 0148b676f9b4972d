/** Who plays in this browser, where people are told apart. */
import { get, post } from "./api";
import type { PlayerProfile, ProfileList } from "./schema";

export const profile: { current: PlayerProfile | null } = $state({ current: null });

/** Whether this browser's player may do what the owner may: everybody, where there is one player. */
export const isOwner = () => !profile.current || profile.current.role === "owner";

/** Asks who plays; who cannot be told is shown what everybody may see. */
export async function loadProfile(): Promise<void> {
  try {
    profile.current = (await get<ProfileList>("/profiles")).current;
  } catch {
    // whatever is wrong shows at the first real request
  }
}

export async function leaveProfile(): Promise<void> {
  await post("/profiles/leave");
  location.assign("/");
}
