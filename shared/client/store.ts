import type { Role } from "../contract/operation.ts";
import { sleep } from "../run/backoff.ts";

/** The parts of a session that a client stores. */
export interface StoredSession {
  /** Sent as bearer token. */
  readonly accessToken?: string | undefined;
  /** Renews the access token; works once. */
  readonly refreshToken?: string | undefined;
  /** Time from which the access token is renewed early, in milliseconds since 1970. */
  readonly renewAt?: number | undefined;
  /** The user who signed in. */
  readonly userId?: number | undefined;
  /** The role of the user at the sign-in. */
  readonly role?: Role | undefined;
  /** The last refresh token of a session that has ended; it proves an earlier session at the next sign-in. */
  readonly knownClient?: string | undefined;
}

/** Stores a session. Each method may be asynchronous. */
export interface TokenStore {
  get(): StoredSession | undefined | Promise<StoredSession | undefined>;
  set(session: StoredSession): void | Promise<void>;
  /** Deletes everything, including the proof of an earlier session. */
  clear(): void | Promise<void>;
  /** Runs work while no other holder of the store does. Useful if processes share the store. */
  lock?<T>(work: () => Promise<T>): Promise<T>;
}

/** Keeps the session while the page or process lives. This is the default. */
export function memoryStore(session?: StoredSession): TokenStore {
  let kept = session;
  return {
    get: () => kept,
    set(next) {
      kept = next;
    },
    clear() {
      kept = undefined;
    },
  };
}

/** The methods that `localStorage`, `sessionStorage` and React Native's `AsyncStorage` share. */
export interface KeyValueStorage {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
}

/** The part of the Web Locks API that a store uses. Tabs of one origin share its locks. */
interface Locks {
  request<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** Keeps the session in a storage under a key. Every script of the page can read `localStorage`. */
export function storageStore(storage: KeyValueStorage, key: string = "workforce"): TokenStore {
  const { locks } = (globalThis as { navigator?: { locks?: Locks } }).navigator ?? {};
  return {
    async get() {
      const text = await storage.getItem(key);
      try {
        return text ? JSON.parse(text) : undefined;
      } catch {
        // Text that something else stored there.
        return undefined;
      }
    },
    async set(session) {
      await storage.setItem(key, JSON.stringify(session));
    },
    async clear() {
      await storage.removeItem(key);
    },
    ...(locks && { lock: <T>(work: () => Promise<T>) => lockFor(locks, key, work) }),
  };
}

/**
 * Browsers show one tab's writes to another some milliseconds later, so the lock is held this much longer than the
 * work.
 */
const propagationMs = 100;

function lockFor<T>(locks: Locks, key: string, work: () => Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const hold = () =>
      work()
        .then(resolve, reject)
        .then(() => sleep(propagationMs));
    locks.request(key, hold).catch(reject);
  });
}
