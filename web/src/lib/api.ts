/** Requests to the server this page came from. */
import type { ErrorAnswer, FieldError } from "./schema";

export type { FieldError };

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly advice = "",
    readonly errors: FieldError[] = [],
  ) {
    super(message);
  }
}

async function send<T>(method: string, path: string, body?: unknown): Promise<T> {
  // what is set is sent even if the page is left
  const init: RequestInit = { method, headers: {}, keepalive: method === "PUT" };
  if (body instanceof Blob) init.body = body;
  else if (body !== undefined) {
    init.body = JSON.stringify(body);
    init.headers = { "content-type": "application/json" };
  }
  let answer: Response;
  try {
    answer = await fetch(`/api${path}`, init);
  } catch {
    throw new ApiError(
      0,
      "unreachable",
      "Narratoria is not responding.",
      "Is it still running in its terminal? The page tries again by itself.",
    );
  }
  const text = await answer.text();
  let data: unknown = null;
  try {
    data = text ? JSON.parse(text) : null;
  } catch {
    data = null; // not JSON: the status says enough
  }
  if (answer.ok) return data as T;
  const error = (data as Partial<ErrorAnswer> | null)?.error;
  if (error?.code === "no_profile") dispatchEvent(new Event("no-profile"));
  const message = error?.message ?? `The server answered ${answer.status}.`;
  throw new ApiError(answer.status, error?.code ?? String(answer.status), message, error?.advice, error?.fields);
}

export const get = <T>(path: string) => send<T>("GET", path);
export const post = <T>(path: string, body: unknown = {}) => send<T>("POST", path, body);
export const put = <T>(path: string, body: unknown) => send<T>("PUT", path, body);
export const patch = <T>(path: string, body: unknown) => send<T>("PATCH", path, body);
export const remove = <T>(path: string) => send<T>("DELETE", path);

export const part = encodeURIComponent;

/** Where a picture or a tune of a campaign lies; addresses stay as they are. */
export function fileAddress(campaign: string, path: string | null | undefined): string {
  if (!path) return "";
  if (path.startsWith("/") || path.startsWith("data:") || path.startsWith("blob:")) return path;
  return `/api/campaigns/${part(campaign)}/files/${path.split("/").map(part).join("/")}`;
}
