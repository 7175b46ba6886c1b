import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { KeyValueStorage, StoredSession, TokenStore } from "../../shared/client/store.ts";
import { sleep } from "../../shared/run/backoff.ts";
import { useClientPackage } from "./built-client.ts";
import { type FakeAnswer, isRenewal, problem, profile, tokens, useFakeService } from "./fake-service.ts";

const service = useFakeService();
const built = useClientPackage();

const stored = (session: StoredSession = {}) =>
  built.module.memoryStore({ accessToken: "a0", refreshToken: "r0", userId: 1, ...session });
const newClient = (store: TokenStore, more: object = {}) =>
  built.module.createClient({ baseUrl: service.baseUrl, store, ...more });
/** A `fetch` that does something else before it gives its answer. */
const fetchAnd = (meanwhile: () => unknown) => async (url: string, init: RequestInit) => {
  const answer = await fetch(url, init);
  await meanwhile();
  return answer;
};
const renewals = () => service.received.filter(isRenewal).map(({ body }) => body);

test("a sign-in keeps the tokens; the next call sends them", async () => {
  service.answers(tokens(0, { id: 1, role: "operator" }), profile);
  const store = built.module.memoryStore();
  const client = newClient(store);
  const before = Date.now();
  await client.signIn({ login: "a@b.example", password: "secret" });
  await client.getProfile();
  expect(service.received[1]?.headers.authorization).toBe("Bearer a0");
  const { renewAt = 0, ...kept } = (await store.get()) ?? {};
  expect(kept).toEqual({ accessToken: "a0", refreshToken: "r0", userId: 1, role: "operator" });
  expect(renewAt - before).toBeGreaterThanOrEqual(810_000);
  expect(renewAt - before).toBeLessThan(900_000);
});

describe("an access token that is refused", () => {
  test("is renewed once for all calls at the same time, and each is sent again", async () => {
    service.takes("a1", () => tokens(1));
    const client = newClient(stored());
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.getProfile()));
    expect(answers).toEqual(Array(20).fill(profile.body));
    expect(renewals()).toEqual([{ token: { refresh_token: "r0" } }]);
  });

  test("is renewed once for two clients that share a store", async () => {
    service.takes("a1", () => tokens(1));
    const store = stored();
    await Promise.all([newClient(store).getProfile(), newClient(store).getProfile(), newClient(store).getProfile()]);
    expect(renewals()).toHaveLength(1);
  });

  test("is not renewed where somebody else has done so meanwhile", async () => {
    service.takes("a7", () => tokens(1));
    const inner = stored();
    const renew = () => inner.set({ accessToken: "a7", refreshToken: "r7", userId: 1 });
    const client = newClient({ ...inner }, { fetch: fetchAnd(renew) });
    expect(await client.getProfile()).toEqual(profile.body);
    expect(renewals()).toEqual([]);
  });

  test("ends the call where it is refused again, without a loop", async () => {
    service.takes("never", () => tokens(1));
    await expect(newClient(stored()).getProfile()).rejects.toMatchObject({ code: "token_expired" });
    expect(renewals()).toHaveLength(1);
    expect(service.received).toHaveLength(3);
  });

  test("is not renewed for refusals that are not about the token, or without a refresh token", async () => {
    service.answers(problem(403, "role_not_allowed"));
    await expect(newClient(stored()).getProfile()).rejects.toMatchObject({ code: "role_not_allowed" });
    service.answers(problem(401, "token_expired"));
    const given = built.module.memoryStore({ accessToken: "a0" });
    await expect(newClient(given).getProfile()).rejects.toMatchObject({ code: "token_expired" });
    expect(renewals()).toEqual([]);
  });

  test("leaves the call to the user who made it, where another has signed in meanwhile", async () => {
    service.takes("a9", () => tokens(1));
    const store = stored();
    const signIn = () => store.set({ accessToken: "a9", refreshToken: "r9", userId: 9 });
    const client = newClient(store, { fetch: fetchAnd(signIn) });
    await expect(client.getProfile()).rejects.toMatchObject({ code: "token_expired" });
    expect(service.received).toHaveLength(1);
  });
});

describe("a renewal", () => {
  test("comes ahead of the expiry, and where it fails the token that is valid still serves", async () => {
    service.takes("a0", () => ({ instead: "drop" }));
    const store = stored({ renewAt: Date.now() - 61_000 });
    expect(await newClient(store).getProfile()).toEqual(profile.body);
    service.takes("a1", () => tokens(1));
    expect(await newClient(store).getProfile()).toEqual(profile.body);
    expect(await store.get()).toMatchObject({ accessToken: "a1", refreshToken: "r1", userId: 1 });
    expect(service.received.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      "Bearer a0",
      undefined,
      "Bearer a1",
    ]);
  });

  test("that is due and hangs leaves its call half of the time, with the token that is valid", async () => {
    service.takes("a0", () => ({ instead: "hang" }));
    const client = newClient(stored({ renewAt: Date.now() - 61_000 }), { timeout: 2_000 });
    expect(await client.getProfile()).toEqual(profile.body);
    expect(await client.getProfile()).toEqual(profile.body);
    expect(renewals()).toHaveLength(1);
    const controller = new AbortController();
    const givenUp = client.getProfile({}, { signal: controller.signal });
    controller.abort(new Error("gave up"));
    await expect(givenUp).rejects.toThrow("gave up");
  });

  test("that is refused ends the session; its refresh token proves it at the next sign-in (D10)", async () => {
    service.takes("never", () => problem(401, "refresh_token_invalid"));
    const store = stored();
    const client = newClient(store);
    await expect(client.getProfile()).rejects.toMatchObject({ code: "refresh_token_invalid", status: 401 });
    expect(await store.get()).toEqual({ knownClient: "r0" });
    service.answers(tokens(3, { id: 1 }));
    await client.signIn({ login: "a", password: "b" });
    expect(service.received.at(-1)?.headers["known-client"]).toBe("r0");
    expect(await store.get()).not.toHaveProperty("knownClient");
  });

  test("a confirmed pin is the proof of the next sign-in for an hour, and stays out of the store (D10)", async () => {
    const store = built.module.memoryStore({ knownClient: "r0" });
    const client = newClient(store);
    const confirm = () => {
      service.answers({ body: { user: { id: 1, reset_password_token: "t1" } } });
      return client.confirmLoginByBody({ login: "a", pin: "123456" });
    };
    const proofOfSignIn = async (answer: FakeAnswer) => {
      service.answers(answer);
      await client.signIn({ login: "a", password: "b" }).catch(() => undefined);
      return service.received.at(-1)?.headers["known-client"];
    };
    const refused = problem(401, "login_invalid");
    await confirm();
    expect(service.received.at(-1)?.headers).not.toHaveProperty("known-client");
    expect([await proofOfSignIn(refused), await proofOfSignIn(refused)]).toEqual(["t1", "t1"]);
    expect(await store.get()).toEqual({ knownClient: "r0" });
    vi.useFakeTimers({ now: Date.now() + 60 * 60_000, toFake: ["Date"] });
    onTestFinished(() => void vi.useRealTimers());
    expect(await proofOfSignIn(refused)).toBe("r0");
    await confirm();
    service.answers({ body: { user: { id: 1 } } });
    await client.requestPasswordReset({ login: "a" });
    expect([await proofOfSignIn(tokens(1, { id: 1 })), await proofOfSignIn(refused)]).toEqual(["t1", "r1"]);
  });

  test("that is refused as another holder of the store was faster ends nothing (D5)", async () => {
    const store = stored();
    service.takes("a5", () => {
      store.set({ accessToken: "a5", refreshToken: "r5", userId: 1 });
      return problem(401, "refresh_token_invalid");
    });
    expect(await newClient(store).getProfile()).toEqual(profile.body);
    expect(await store.get()).toMatchObject({ refreshToken: "r5" });
  });

  test("that ends after a sign-out of another holder does not sign in again", async () => {
    const store = stored();
    service.takes("a1", () => {
      store.set({ knownClient: "r0" });
      return tokens(1);
    });
    await expect(newClient(store).getProfile()).rejects.toMatchObject({ code: "token_expired" });
    expect(await store.get()).toEqual({ knownClient: "r0" });
  });

  test("is never sent twice by itself, and the session survives a fault", async () => {
    service.takes("never", () => problem(503, "busy"));
    const store = stored();
    await expect(newClient(store).getProfile()).rejects.toMatchObject({ code: "busy" });
    expect(renewals()).toHaveLength(1);
    expect(await store.get()).toMatchObject({ refreshToken: "r0" });
  });

  test("goes on for the others when one caller gives up", async () => {
    const started = Promise.withResolvers<void>();
    const end = Promise.withResolvers<FakeAnswer>();
    service.takes("a1", () => {
      started.resolve();
      return end.promise;
    });
    const client = newClient(stored());
    const controller = new AbortController();
    const [one, other] = [client.getProfile({}, { signal: controller.signal }), client.getProfile()];
    await started.promise;
    controller.abort(new Error("gave up"));
    await expect(one).rejects.toThrow("gave up");
    end.resolve(tokens(1));
    expect(await other).toEqual(profile.body);
    expect(renewals()).toHaveLength(1);
  });
});

describe("where another user signs in with the same store meanwhile", () => {
  const other: StoredSession = { accessToken: "a9", refreshToken: "r9", userId: 9 };

  test("a call whose renewal is due and waits for the lock is sent as the user who made it", async () => {
    service.answers(profile);
    const inner = stored({ renewAt: Date.now() - 61_000 });
    const store: TokenStore = {
      ...inner,
      lock: async (work) => {
        await inner.set(other);
        return work();
      },
    };
    expect(await newClient(store).getProfile()).toEqual(profile.body);
    expect(service.received.map(({ headers }) => headers.authorization)).toEqual(["Bearer a0"]);
    expect(await store.get()).toEqual(other);
  });

  test("a refresh token that is exchanged by hand leaves the session of that user", async () => {
    const store = stored();
    service.answersBy(async () => {
      await store.set(other);
      return tokens(1);
    });
    expect(await newClient(store).refreshToken({ refresh_token: "r0" })).toMatchObject({
      token: { access_token: "a1" },
    });
    expect(await store.get()).toEqual(other);
  });

  test("a sign-out leaves the session of that user", async () => {
    const store = stored();
    service.answersBy(async () => {
      await store.set(other);
      return { body: {} };
    });
    await newClient(store).signOut();
    expect(await store.get()).toEqual(other);
  });
});

test.each([
  ["the stored one goes on as its user", { accessToken: "a0", refreshToken: "r0", userId: 1 }, "r0", 1],
  [
    "one of elsewhere begins a session of somebody",
    { accessToken: "a0", refreshToken: "r0", userId: 1 },
    "r5",
    undefined,
  ],
  ["one of elsewhere begins a session in an empty store", {}, "r5", undefined],
])("a refresh token that is exchanged by hand: %s", async (_, session, refresh_token, userId) => {
  service.answers(tokens(1));
  const store = built.module.memoryStore(session);
  await newClient(store).refreshToken({ refresh_token });
  const { renewAt, ...kept } = (await store.get()) ?? {};
  expect(kept).toEqual({ accessToken: "a1", refreshToken: "r1", ...(userId && { userId }) });
});

test("a sign-in that was given up while it waited for the store signs nobody in", async () => {
  service.answers(tokens(0, { id: 1 }));
  const [inner, opened] = [built.module.memoryStore(), Promise.withResolvers<void>()];
  const ended = Promise.withResolvers<void>();
  const store: TokenStore = {
    ...inner,
    lock: async (work) => {
      await opened.promise;
      return work().finally(() => ended.resolve());
    },
  };
  const signIn = newClient(store).signIn({ login: "a", password: "b" }, { timeout: 300 });
  await expect(signIn).rejects.toThrow("No answer within 300 ms");
  opened.resolve();
  await ended.promise;
  expect(await inner.get()).toBeUndefined();
});

test("a sign-out leaves nothing but the proof of the session; without a refresh token nothing", async () => {
  service.answers({ body: {} });
  const store = stored();
  await newClient(store).signOut();
  expect(await store.get()).toEqual({ knownClient: "r0" });
  const given = built.module.memoryStore({ accessToken: "a0" });
  await newClient(given).signOut();
  expect(await given.get()).toBeUndefined();
});

test("a sign-out while a renewal runs is the last word", async () => {
  const end = Promise.withResolvers<FakeAnswer>();
  service.answersBy((request) => {
    if (isRenewal(request)) return end.promise;
    if (request.method === "DELETE") return { body: {} };
    return request.headers.authorization === "Bearer a1" ? profile : problem(401, "token_expired");
  });
  const store = stored();
  const client = newClient(store);
  const call = client.getProfile();
  await expect.poll(() => renewals().length).toBe(1);
  const signedOut = client.signOut();
  await expect.poll(() => service.received.length).toBe(3);
  end.resolve(tokens(1));
  await Promise.all([call, signedOut]);
  expect(await store.get()).toEqual({ knownClient: "r1" });
});

test("a sign-out after one of another holder of the store leaves the proof that is there", async () => {
  const store = stored();
  service.answersBy(async () => {
    await store.set({ knownClient: "r0" });
    return { body: {} };
  });
  await newClient(store).signOut();
  expect(await store.get()).toEqual({ knownClient: "r0" });
});

describe("a store over a storage", () => {
  const session = { accessToken: "a", refreshToken: "r" };
  const storageOf = (kept: Map<string, string>, run: (work: () => unknown) => unknown) =>
    ({
      getItem: (key) => run(() => kept.get(key) ?? null),
      setItem: (key, value) => run(() => kept.set(key, value)),
      removeItem: (key) => run(() => kept.delete(key)),
    }) as KeyValueStorage;

  test.each(["at once", "with promises"])("keeps the session as JSON, %s", async (how) => {
    const kept = new Map<string, string>();
    const storage = storageOf(kept, (work) => (how === "at once" ? work() : sleep(1).then(work)));
    const store = built.module.storageStore(storage, "here");
    expect(await store.get()).toBeUndefined();
    await store.set(session);
    expect([...kept]).toEqual([["here", JSON.stringify(session)]]);
    expect(await built.module.storageStore(storage, "here").get()).toEqual(session);
    kept.set("here", "{half");
    expect(await store.get()).toBeUndefined();
    await store.clear();
    expect(kept.size).toBe(0);
  });

  test("renews one tab at a time by Web Locks, so that a refresh token is spent once", async () => {
    service.takes("a1", () => tokens(1));
    const kept = new Map([["workforce", JSON.stringify({ accessToken: "a0", refreshToken: "r0" })]]);
    const tabs = Array.from({ length: 5 }, () =>
      newClient(built.module.storageStore(storageOf(kept, (work) => work()))),
    );
    await Promise.all(tabs.map((tab) => tab.getProfile()));
    expect(renewals()).toHaveLength(1);
  });
});
