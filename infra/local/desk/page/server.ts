import { useEffect, useState } from "preact/hooks";

const token = document.querySelector<HTMLMetaElement>('meta[name="desk-token"]')?.content ?? "";

async function ask<T>(path: string, init?: RequestInit): Promise<T> {
  const response = await fetch(`/_local/desk/${path}`, init);
  const answer = await response.json().catch(() => ({ message: `The machine answers ${response.status}.` }));
  if (!response.ok) throw new Error(answer.message);
  return answer as T;
}

/** An access token of a user, for a day. */
export async function tokenOf(user: number): Promise<string> {
  const init = { method: "POST", headers: { "x-desk-token": token }, body: JSON.stringify({ user }) };
  return (await ask<{ token: string }>("token", init)).token;
}

/** Calls the API as a user. Throws the code of a refusal, or its status if it has none. */
export async function callAs(user: number, method: string, path: string, body?: object): Promise<Response> {
  const headers = { authorization: `Bearer ${await tokenOf(user)}`, "content-type": "application/json" };
  const answer = await fetch(path, { method, headers, body: body ? JSON.stringify(body) : null });
  if (!answer.ok) throw new Error(`Refused: ${(await answer.json()).code ?? answer.status}`);
  return answer;
}

const listeners = new Set<() => void>();
new EventSource("/_local/desk/live").onmessage = () => {
  for (const listener of listeners) listener();
};

/** The value or the error of a path, which is read now and when something happens on the machine; one read after the other. */
export function useLive<T>(path: string): { value?: T; error?: string } {
  const [state, setState] = useState<{ path: string; value?: T; error?: string }>({ path });
  useEffect(() => {
    const ending = new AbortController();
    const { signal } = ending;
    let isReading = false;
    let isStale = false;
    const read = async () => {
      isStale = isReading;
      if (isReading) return;
      isReading = true;
      const answer = await ask<T>(path, { signal }).then(
        (value) => ({ value }),
        (error: Error) => ({ error: error.message }),
      );
      isReading = false;
      if (signal.aborted) return;
      setState({ path, ...answer });
      if (isStale) void read();
    };
    void read();
    listeners.add(read);
    return () => {
      ending.abort();
      listeners.delete(read);
    };
  }, [path]);
  // A value read for another path is not shown for this one, but for another search it stays until the answer comes.
  return placeOf(state.path) === placeOf(path) ? state : {};
}

function placeOf(path: string): string | undefined {
  return path.split("?")[0];
}
