/** One WebSocket that comes back by itself and never shows an event twice. */
import type { StreamFrame } from "./types";

const LONGEST_WAIT = 5000;
const SILENCE = 40_000; // the server says that it is alive every 15 s

export interface Stream {
  close: () => void;
}

export function follow(
  story: string,
  after: number,
  onEvent: (event: Exclude<StreamFrame, { type: "alive" }>) => void,
  onState: (connected: boolean) => void,
): Stream {
  let cursor = after;
  let tries = 0;
  let closed = false;
  let socket: WebSocket | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let silence: ReturnType<typeof setTimeout> | undefined;

  const heard = () => {
    clearTimeout(silence);
    silence = setTimeout(() => socket?.close(), SILENCE);
  };

  const connect = () => {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(
      `${scheme}://${location.host}/api/stories/${encodeURIComponent(story)}/events?after=${cursor}`,
    );
    socket.onopen = () => {
      tries = 0;
      heard();
      onState(true);
    };
    socket.onmessage = ({ data }) => {
      heard();
      const event = JSON.parse(data) as StreamFrame;
      if (event.type === "alive") return;
      if (event.type !== "reload") {
        if (event.id <= cursor) return; // replayed, and known
        cursor = event.id;
      }
      onEvent(event);
    };
    socket.onclose = () => {
      clearTimeout(silence);
      if (closed) return;
      onState(false);
      retry = setTimeout(connect, Math.min(LONGEST_WAIT, 250 * 2 ** tries++));
    };
  };
  connect();
  return {
    close: () => {
      closed = true;
      clearTimeout(retry);
      clearTimeout(silence);
      socket?.close();
    },
  };
}
