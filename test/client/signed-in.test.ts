import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, test, vi } from "vitest";
import type { StoredSession, TokenStore } from "../../shared/client/store.ts";
import { useClientPackage } from "./built-client.ts";
import { problem, profile, tokens, useFakeService } from "./fake-service.ts";

const service = useFakeService();
const built = useClientPackage();

const stored = (session: StoredSession = { accessToken: "a0", refreshToken: "r0", userId: 1 }) =>
  built.module.memoryStore(session);
const newClient = (store: TokenStore) => built.module.createClient({ baseUrl: service.baseUrl, store });

describe("whether somebody is signed in", () => {
  test("is known without a request: who and in which role, from sign-in to sign-out, over renewals", async () => {
    const client = newClient(stored({}));
    expect(await client.session()).toBeNull();
    service.answers(tokens(0, { id: 7, role: "driver" }));
    await client.signIn({ login: "a", password: "b" });
    expect(await client.session()).toEqual({ userId: 7, role: "driver" });
    service.takes("a1", () => tokens(1));
    await client.getProfile();
    expect(await client.session()).toEqual({ userId: 7, role: "driver" });
    service.answers(tokens(2));
    await client.refreshToken({ refresh_token: "r1" });
    expect(await client.session()).toEqual({ userId: 7, role: "driver" });
    service.answers({ body: {} });
    await client.signOut();
    const asked = service.received.length;
    expect(await client.session()).toBeNull();
    expect(service.received).toHaveLength(asked);
  });

  test.each([
    { accessToken: "a0" },
    { refreshToken: "r0" },
  ])("is so with tokens from elsewhere, whose user is unknown: %o", async (session) => {
    const client = newClient(stored(session));
    expect(await client.session()).toEqual({ userId: undefined, role: undefined });
  });

  test("nobody sends no call that needs somebody: its refusal is known", async () => {
    for (const store of [built.module.memoryStore(), stored({ knownClient: "r0" })]) {
      const client = newClient(store);
      const refusal = { name: "ProblemError", code: "token_missing", status: 401, attempts: 0, requestId: undefined };
      await expect(client.getProfile()).rejects.toMatchObject(refusal);
      await expect(client.signOut()).rejects.toMatchObject(refusal);
      await expect(client.listJobs()).rejects.toMatchObject(refusal);
    }
    expect(service.received).toEqual([]);
  });

  test("an API key is sent as it is, is never renewed, and goes with no store", async () => {
    const { createClient } = built.module;
    const client = createClient({ baseUrl: service.baseUrl, apiKey: "wfk_1" });
    service.takes("wfk_1", () => tokens(1));
    expect(await client.getProfile()).toEqual(profile.body);
    service.answers(problem(401, "token_invalid"));
    await expect(client.getProfile()).rejects.toMatchObject({ code: "token_invalid", attempts: 1 });
    expect(service.received.map(({ url }) => url)).toEqual(["/api/v1/users/me", "/api/v1/users/me"]);
    expect(() => createClient({ baseUrl: service.baseUrl, apiKey: "wfk_1", store: stored() })).toThrow(
      "leave store out",
    );
  });

  test("a refresh token alone is exchanged before the call is sent", async () => {
    service.takes("a1", () => tokens(1));
    const client = newClient(stored({ refreshToken: "r0" }));
    expect(await client.getProfile()).toEqual(profile.body);
    expect(service.received.map(({ url }) => url)).toEqual(["/api/v1/users/token", "/api/v1/users/me"]);
  });
});

describe("the end of a session", () => {
  function listening(store: TokenStore) {
    const client = newClient(store);
    const ended = vi.fn<() => void>();
    return { client, ended, stop: client.onSessionEnd(ended) };
  }

  test("is reported once after a renewal that is refused, to every client of the store whose call it ends", async () => {
    service.takes("never", () => problem(401, "refresh_token_invalid"));
    const store = stored();
    const [one, other] = [listening(store), listening(store)];
    await Promise.allSettled([one.client.getProfile(), one.client.getProfile(), other.client.getProfile()]);
    expect([one.ended, other.ended].map(({ mock }) => mock.calls)).toEqual([[[]], [[]]]);
    await expect(one.client.getProfile()).rejects.toMatchObject({ code: "token_missing" });
    expect(one.ended).toHaveBeenCalledTimes(1);
  });

  test("is reported after a sign-out, again after the next session, and no more once the listener is removed", async () => {
    const store = stored();
    const slow = { ...store, get: () => pause(5).then(store.get) };
    const { client, ended, stop } = listening(slow);
    service.answers({ body: {} }, tokens(1, { id: 1 }), { body: {} }, tokens(2, { id: 1 }), { body: {} });
    await client.signOut();
    expect(ended).toHaveBeenCalledTimes(1);
    await client.signIn({ login: "a", password: "b" });
    await client.signOut();
    expect(ended).toHaveBeenCalledTimes(2);
    await client.signIn({ login: "a", password: "b" });
    stop();
    await client.signOut();
    expect(ended).toHaveBeenCalledTimes(2);
  });

  test("by another holder of the store is reported at the next call", async () => {
    service.takes("a0", () => tokens(1));
    const store = stored();
    const { client, ended } = listening(store);
    await client.getProfile();
    await store.set({ knownClient: "r0" });
    await expect(client.getProfile()).rejects.toMatchObject({ code: "token_missing", attempts: 0 });
    expect(ended).toHaveBeenCalledTimes(1);
  });

  test("is neither a renewal, nor a fault, nor a refusal, nor another user", async () => {
    const store = stored();
    const { client, ended } = listening(store);
    service.takes("a1", () => tokens(1));
    await client.getProfile();
    service.answers(problem(401, "passcode_invalid"), problem(503, "busy"), tokens(2, { id: 9 }));
    await client.setPassword({}).catch(() => undefined);
    await client.setPassword({}).catch(() => undefined);
    await client.signIn({ login: "a", password: "b" });
    expect(await client.session()).toMatchObject({ userId: 9 });
    expect(ended).not.toHaveBeenCalled();
  });
});
