import { ProblemError } from "./errors.ts";
import type { StoredSession, TokenStore } from "./store.ts";

/** Spends a refresh token for the tokens that follow it. */
export type Renewal = (refreshToken: string) => Promise<StoredSession>;

/** The renewal that runs on a store; the clients of a process that share the store share it. */
const renewals = new WeakMap<TokenStore, Promise<StoredSession>>();

/** Replaces the session of a store, clears it or leaves the same, after a renewal that runs, so that none overwrites it. */
export async function replaceSession(
  store: TokenStore,
  replace: (session: StoredSession) => StoredSession | undefined,
): Promise<void> {
  // Whoever waits for the renewal gets its error.
  await renewals.get(store)?.catch(() => undefined);
  await locked(store, async () => {
    const session = await sessionOf(store);
    const next = replace(session);
    if (next === session) return;
    await (next ? store.set(next) : store.clear());
  });
}

/**
 * The session after a renewal of a stale access token, one at a time. Others who share the store may have renewed it or
 * ended it in the meantime: then theirs. Throws what the renewal throws.
 */
export function renewSession(store: TokenStore, stale: string | undefined, renew: Renewal): Promise<StoredSession> {
  const running = renewals.get(store);
  if (running) return running;
  const renewal = locked(store, () => renewAlone(store, stale, renew)).finally(() => renewals.delete(store));
  renewals.set(store, renewal);
  return renewal;
}

async function renewAlone(store: TokenStore, stale: string | undefined, renew: Renewal): Promise<StoredSession> {
  const session = await sessionOf(store);
  const { accessToken, refreshToken, userId } = session;
  if (accessToken !== stale || !refreshToken) return session;
  let next: StoredSession = { knownClient: refreshToken };
  let ended: unknown;
  try {
    next = { userId, ...(await renew(refreshToken)) };
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === "refresh_token_invalid")) throw error;
    ended = error;
  }
  // Without a lock another holder of the store may have been faster: its session stays (D5).
  const current = await sessionOf(store);
  if (current.refreshToken !== refreshToken) return current;
  await store.set(next);
  if (ended) throw ended;
  return next;
}

/** What a store has. */
export async function sessionOf(store: TokenStore): Promise<StoredSession> {
  return (await store.get()) ?? {};
}

function locked<T>(store: TokenStore, work: () => Promise<T>): Promise<T> {
  return store.lock ? store.lock(work) : work();
}
