import { useEffect, useRef, useState } from "preact/hooks";

const token = document.querySelector<HTMLMetaElement>('meta[name="desk-token"]')?.content ?? "";

/** Asks the desk's server; throws the sentence that it refuses with. */
async function ask<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(`/_local/desk/${path}`, init);
  const answer = await response.json().catch(() => ({ message: `The machine answers ${response.status}.` }));
  if (!response.ok) throw new Error(answer.message);
  return answer as T;
}

/** Has the server change something. */
export function change<T>(path: string, what: object = {}): Promise<T> {
  return ask<T>(path, { method: "POST", headers: { "x-desk-token": token }, body: JSON.stringify(what) });
}

/** An access token of a user, for a day. */
export async function tokenOf(user: number): Promise<string> {
  return (await change<{ token: string }>("token", { user })).token;
}

const listeners = new Set<() => void>();
const live = new EventSource("/_local/desk/live");
live.onmessage = () => {
  for (const listener of listeners) listener();
};

/** Calls back whether the machine answers, and whenever that changes. */
export function watchConnection(listen: (isConnected: boolean) => void): void {
  live.addEventListener("open", () => listen(true));
  live.addEventListener("error", () => listen(false));
}

/** What was read, why it could not be, and how to read it again. */
export interface Live<T> {
  value: T | undefined;
  error: string | undefined;
  refresh(): void;
}

/** Reads a path of the server now, whenever something happens on the machine, and every so many seconds. */
export function useLive<T>(path: string, everySeconds = 0): Live<T> {
  const [state, setState] = useState<{ path: string; value?: T; error?: string }>({ path });
  const [count, setCount] = useState(0);
  const refresh = () => setCount((before) => before + 1);
  const wanted = useRef(path);
  wanted.current = path;
  useEffect(() => {
    // An answer counts though more has happened since it was asked for: else none would count while requests come in.
    const keep = (read: { value?: T; error?: string }) => wanted.current === path && setState({ path, ...read });
    ask<T>(path).then(
      (value) => keep({ value }),
      (error: Error) => keep({ error: error.message }),
    );
  }, [path, count]);
  useEffect(() => {
    listeners.add(refresh);
    const timer = everySeconds > 0 ? setInterval(refresh, everySeconds * 1000) : undefined;
    return () => {
      listeners.delete(refresh);
      clearInterval(timer);
    };
  }, [everySeconds]);
  // What was read for another path is not shown for this one.
  const { value, error } = state.path === path ? state : {};
  return { value, error, refresh };
}
