import { describe, expect, test } from "vitest";
import type { TokenStore } from "../../shared/client/store.ts";
import { useClientPackage } from "./built-client.ts";
import { type FakeAnswer, useFakeService } from "./fake-service.ts";

const service = useFakeService();
const built = useClientPackage();

const newClient = (more: object = {}) => {
  const store = built.module.memoryStore({ accessToken: "a", refreshToken: "r", userId: 1 });
  return built.module.createClient({ baseUrl: service.baseUrl, store, ...more });
};

const garbage: readonly [string, FakeAnswer][] = [
  ["HTML", { body: "<!doctype html><title>Maintenance</title>", headers: { "content-type": "text/html" } }],
  ["an empty body", { body: "" }],
  ["half of a JSON text", { body: '{"jobs":[{' }],
  ["an array", { body: "[]" }],
  ["null", { body: "null" }],
  ["a text in JSON", { body: '"ok"' }],
  ["HTML with 404", { status: 404, body: "<h1>Not found</h1>" }],
  ["an empty 401", { status: 401, body: "" }],
  ["a code that is no text", { status: 400, body: { code: 7 } }],
  ["JSON of something else", { body: { hello: "world" } }],
  ["__proto__ as answer to a list", { body: '{"__proto__":{"jobs":[]}}' }],
];

test.each(garbage)("%s is a ProtocolError, and is asked for once", async (_, answer) => {
  service.answers(answer);
  const fault = { name: "ProtocolError", status: answer.status ?? 200, attempts: 1 };
  await expect(newClient().listJobs()).rejects.toMatchObject(fault);
  expect(service.received).toHaveLength(1);
});

test.each([
  301, 302, 303, 304, 307, 308,
])("a redirect (%i) is a ProtocolError; nothing goes where it leads", async (status) => {
  service.answers({ status, headers: { location: `${service.baseUrl}/elsewhere` } });
  await expect(newClient().getProfile()).rejects.toThrow(built.module.ProtocolError);
  expect(service.received).toHaveLength(1);
});

test("a redirect that fetch has followed nevertheless is a ProtocolError", async () => {
  const followed = Object.defineProperty(Response.json({ user: {} }), "redirected", { value: true });
  const client = newClient({ fetch: async () => followed });
  await expect(client.getProfile()).rejects.toThrow(built.module.ProtocolError);
});

test.each([
  ["no tokens", { user: {} }],
  ["tokens of no known life", { token: { access_token: "a", refresh_token: "r" } }],
  ["tokens that are no text", { token: { access_token: 1, refresh_token: null } }],
])("%s in the answer to a sign-in is a ProtocolError, and the session stays as it was", async (_, body) => {
  service.answers({ body });
  const store = built.module.memoryStore();
  await expect(newClient({ store }).signIn({ login: "a", password: "b" })).rejects.toThrow(built.module.ProtocolError);
  expect(store.get()).toBeUndefined();
});

describe("a server that never answers", () => {
  test("ends in a TimeoutError, once", async () => {
    service.answers({ instead: "hang" });
    const started = performance.now();
    await expect(newClient({ timeout: 150 }).getProfile()).rejects.toThrow(built.module.TimeoutError);
    expect(performance.now() - started).toBeLessThan(2_000);
    expect(service.received).toHaveLength(1);
  });

  test("ends when the caller wants it, with the caller's reason", async () => {
    service.answers({ instead: "hang" });
    const controller = new AbortController();
    const call = newClient().getProfile({}, { signal: controller.signal });
    controller.abort(new Error("left the page"));
    await expect(call).rejects.toThrow("left the page");
    const aborted = AbortSignal.abort(new Error("too late"));
    await expect(newClient().getProfile({}, { signal: aborted })).rejects.toThrow("too late");
  });

  test("ends also where fetch knows no signals", async () => {
    const fetch = () => new Promise<Response>(() => {});
    await expect(newClient({ fetch, timeout: 50 }).getProfile()).rejects.toThrow(built.module.TimeoutError);
  });

  test("ends also where it has begun to answer", async () => {
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode("{")) });
    const client = newClient({ fetch: async () => new Response(body), timeout: 50 });
    await expect(client.getProfile()).rejects.toThrow(built.module.TimeoutError);
  });
});

describe("a store that never answers", () => {
  const never = () => new Promise<never>(() => {});
  const stores: readonly [string, "signIn" | "signOut" | "getProfile", Partial<TokenStore>, number][] = [
    ["a call that reads the session", "getProfile", { get: never }, 0],
    ["a call that reads what proves an earlier session", "signIn", { get: never }, 0],
    ["a sign-in whose tokens wait for the lock", "signIn", { lock: never }, 1],
    ["a sign-in whose tokens are not stored", "signIn", { set: never }, 1],
    ["a sign-out that waits for the lock", "signOut", { lock: never }, 1],
  ];

  describe.each(stores)("%s", (_, method, part, sent) => {
    const newCaller = (more: object = {}) => {
      service.answers({ body: { user: { id: 1 }, token: { access_token: "b", refresh_token: "s", expires_in: 900 } } });
      return newClient({ store: { ...built.module.memoryStore({ accessToken: "a", userId: 1 }), ...part }, ...more });
    };

    test("ends in a TimeoutError", { timeout: 3_000 }, async () => {
      await expect(newCaller({ timeout: 200 })[method]()).rejects.toThrow(built.module.TimeoutError);
      expect(service.received).toHaveLength(sent);
    });

    test("ends when the caller wants it, with the caller's reason", { timeout: 3_000 }, async () => {
      const controller = new AbortController();
      const call = newCaller()[method]({}, { signal: controller.signal });
      await expect.poll(() => service.received.length).toBe(sent);
      controller.abort(new Error("left the page"));
      await expect(call).rejects.toThrow("left the page");
    });
  });
});

test("a network fault names the request without its query, which may have a login and a pin", async () => {
  service.answers({ instead: "drop" });
  const call = newClient({ retries: 0 }).confirmLogin({ login: "a@b.example", pin: "123456" });
  const message = `No answer to GET ${service.baseUrl}/api/v1/users/confirmation`;
  await expect(call).rejects.toMatchObject({ name: "NetworkError", message });
});

test.each([
  ["the detail", { detail: "A", title: "B" }, "A"],
  ["the title", { detail: { toString: 1, valueOf: 1 }, title: "B", message: "C" }, "B"],
  ["the message", { detail: null, title: 7, message: "C" }, "C"],
  ["the code", { detail: { toString: 1, valueOf: 1 } }, "x"],
])("a refusal whose first text is %s is a ProblemError with that as message", async (_, texts, message) => {
  service.answers({ status: 400, body: { code: "x", ...texts } });
  await expect(newClient().getProfile()).rejects.toMatchObject({ name: "ProblemError", code: "x", message });
});

test("answers without a stream, as React Native has them, are read", async () => {
  const response = Object.defineProperty(Response.json({ user: { id: 1 } }), "body", { value: undefined });
  expect(await newClient({ fetch: async () => response }).getProfile()).toEqual({ user: { id: 1 } });
});

test("a fetch that answers nothing is a NetworkError", async () => {
  const client = newClient({ fetch: async () => undefined, retries: 0 });
  await expect(client.getProfile()).rejects.toThrow(built.module.NetworkError);
});
