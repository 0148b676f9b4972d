/** Who plays in this browser, where people are told apart. */
import { post } from "./api";
import type { Profile } from "./schema";

export const profile: { current: Profile | null } = $state({ current: null });

/** Whether this browser's player may do what the owner may: everybody, where there is one player. */
export const isOwner = () => !profile.current || profile.current.role === "owner";

export async function leaveProfile(): Promise<void> {
  await post("/profiles/leave");
  location.assign("/");
}
