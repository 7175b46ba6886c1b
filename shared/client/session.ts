import type { SessionMethods } from "./client-settings.ts";
import { ProblemError } from "./errors.ts";
import type { StoredSession, TokenStore } from "./store.ts";

/** Spends a refresh token and returns its successors. */
export type Renewal = (refreshToken: string) => Promise<StoredSession>;

/** The running renewal of each store. Clients of a process that share the store share it. */
const renewals = new WeakMap<TokenStore, Promise<StoredSession>>();

/**
 * Replaces, clears or keeps the session of a store. Waits for a running renewal, so that neither overwrites the other.
 */
export async function replaceSession(
  store: TokenStore,
  replace: (session: StoredSession) => StoredSession | undefined,
): Promise<void> {
  // The callers of the renewal get its error.
  await renewals.get(store)?.catch(() => undefined);
  await locked(store, async () => {
    const session = await sessionOf(store);
    const next = replace(session);
    if (next === session) return;
    await (next ? store.set(next) : store.clear());
  });
}

/**
 * The session after renewing a stale access token; only one renewal runs at a time. If another holder of the store has
 * renewed or ended the session meanwhile, returns theirs. Throws the renewal's error.
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
  const { accessToken, refreshToken, userId, role } = session;
  if (accessToken !== stale || !refreshToken) return session;
  let next: StoredSession = { knownClient: refreshToken };
  let ended: unknown;
  try {
    next = { userId, role, ...(await renew(refreshToken)) };
  } catch (error) {
    if (!(error instanceof ProblemError && error.code === "refresh_token_invalid")) throw error;
    ended = error;
  }
  // Without a lock, another holder of the store may have been faster. Its session stays (D5).
  const current = await sessionOf(store);
  if (current.refreshToken !== refreshToken) return current;
  await store.set(next);
  if (ended) throw ended;
  return next;
}

/** A store as one client sees it, which notes that a session has ended. */
export interface WatchedSession extends SessionMethods {
  /** The stored session. Calls the listeners if there was one at the last look and now there is none. */
  look(): Promise<StoredSession>;
}

/** Watches the session of a store, by looks at it. */
export function watchSession(store: TokenStore): WatchedSession {
  const listeners = new Set<() => void>();
  let wasSignedIn = false;
  const look = async () => {
    const stored = await sessionOf(store);
    const hasEnded = wasSignedIn && !isSignedIn(stored);
    wasSignedIn = isSignedIn(stored);
    // A listener that throws is the app's fault; the call goes on.
    if (hasEnded) for (const listener of listeners) void Promise.resolve().then(() => listener());
    return stored;
  };
  return {
    look,
    async session() {
      const stored = await look();
      return isSignedIn(stored) ? { userId: stored.userId, role: stored.role } : null;
    },
    onSessionEnd(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function isSignedIn({ accessToken, refreshToken }: StoredSession): boolean {
  return Boolean(accessToken || refreshToken);
}

/** The session in a store; empty if there is none. */
async function sessionOf(store: TokenStore): Promise<StoredSession> {
  return (await store.get()) ?? {};
}

function locked<T>(store: TokenStore, work: () => Promise<T>): Promise<T> {
  return store.lock ? store.lock(work) : work();
}
