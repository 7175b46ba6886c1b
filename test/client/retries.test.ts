import { afterEach, beforeEach, describe, expect, type MockInstance, onTestFinished, test, vi } from "vitest";
import { useClientPackage } from "./built-client.ts";
import { type FakeAnswer, problem, useFakeService } from "./fake-service.ts";

const service = useFakeService();
const built = useClientPackage();

// A pause by chance takes no time.
let random: MockInstance<typeof Math.random>;
beforeEach(() => {
  random = vi.spyOn(Math, "random").mockReturnValue(0);
});
afterEach(() => {
  vi.useRealTimers();
  random.mockRestore();
});

/** A `fetch` that answers at once, each time with the next of these: no pause but the client's takes time. */
const answeringFetch = (...answers: readonly FakeAnswer[]) => {
  const left = [...answers];
  return vi.fn(async () => {
    const { status = 200, headers = {}, body } = left.shift() ?? {};
    return new Response(JSON.stringify(body), { status, headers });
  });
};

/** The answer of a call that is refused with `Retry-After` and sent again after that many milliseconds, no earlier. */
async function retryAfterPause(retryAfter: string, milliseconds: number): Promise<unknown> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const doFetch = answeringFetch(problem(429, "too_many_requests", { "retry-after": retryAfter }), counts);
  const call = newClient({ fetch: doFetch }).getUnreadCounts();
  await vi.advanceTimersByTimeAsync(milliseconds - 1);
  expect(doFetch).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(doFetch).toHaveBeenCalledTimes(2);
  return call;
}

const newClient = (more: object = {}) => {
  const store = built.module.memoryStore({ accessToken: "a" });
  return built.module.createClient({ baseUrl: service.baseUrl, store, ...more });
};
const keysSent = () => service.received.map(({ headers }) => headers["idempotency-key"]);
const counts: FakeAnswer = { body: { notifications: 1, timesheets: 0, jobs: 0, chats: 0 } };
const paid: FakeAnswer = { body: { timesheets: [] } };
const payment = { timesheet_ids: [1], state: "paid" };

const transient: readonly [string, FakeAnswer][] = [
  ["429", problem(429, "too_many_requests")],
  ["the gateway's 429", { status: 429, body: { message: "Too Many Requests" } }],
  ["busy", problem(503, "busy", { "retry-after": "0" })],
  ["503 in HTML", { status: 503, body: "<h1>Try later</h1>" }],
  ["a broken connection", { instead: "drop" }],
];

describe.each(transient)("after %s", (_, answer) => {
  test("a read is sent again", async () => {
    service.answers(answer, counts);
    expect(await newClient().getUnreadCounts()).toEqual(counts.body);
    expect(service.received).toHaveLength(2);
  });

  test("a write with a key is sent again with the same key", async () => {
    service.answers(answer, paid);
    await newClient().bulkUpdateTimesheets(payment);
    const [first, ...others] = keysSent();
    expect(first).toMatch(/^[0-9a-f-]{36}$/);
    expect(others).toEqual([first]);
  });

  test.each([
    ["signIn", { login: "a", password: "b" }],
    ["registerDeviceToken", { token: "t" }],
    ["setPassword", {}],
    ["removeDeviceToken", { id: 1 }],
  ] as const)("a write without a key is not: %s", async (name, input) => {
    service.answers(answer);
    await expect(newClient()[name](input)).rejects.toMatchObject({ attempts: 1 });
    expect(service.received).toHaveLength(1);
  });
});

test("each call has a key of its own, and one that the caller gives is kept", async () => {
  service.answers(paid);
  const client = newClient();
  await client.bulkUpdateTimesheets(payment);
  await client.bulkUpdateTimesheets(payment);
  await client.adjustJobTimers({ job_ids: [1], timer: 0 }, { idempotencyKey: "mine" }).then(undefined, () => undefined);
  const [one, other, own] = keysSent();
  expect(one).not.toBe(other);
  expect(own).toBe("mine");
});

test("retries end, and the error says how often it was tried", async () => {
  service.answers(problem(503, "busy"));
  await expect(newClient().getUnreadCounts()).rejects.toMatchObject({ code: "busy", attempts: 3 });
  expect(service.received).toHaveLength(3);
  await expect(newClient({ retries: 0 }).getUnreadCounts()).rejects.toMatchObject({ attempts: 1 });
  await expect(newClient().getUnreadCounts({}, { retries: 1 })).rejects.toMatchObject({ attempts: 2 });
});

test.each([500, 502, 400, 404, 409])("a status that waiting does not cure is not tried again: %i", async (status) => {
  service.answers(problem(status, "internal_error"));
  await expect(newClient().getUnreadCounts()).rejects.toMatchObject({ status, attempts: 1 });
});

test("Retry-After is waited for, in seconds or as a date", async () => {
  const inTwoSeconds = () => new Date(Date.now() + 2_000).toUTCString();
  expect(await retryAfterPause("1", 1_000)).toEqual(counts.body);
  vi.useRealTimers();
  service.answers(problem(429, "too_many_requests", { "retry-after": inTwoSeconds() }));
  await expect(newClient({ retries: 0 }).getUnreadCounts()).rejects.toMatchObject({
    retryAfter: expect.toBeOneOf([1, 2]),
  });
});

test("a random pause follows Retry-After, so that not all clients come back at once", async () => {
  random.mockReturnValue(0.5);
  expect(await retryAfterPause("0", 400)).toEqual(counts.body);
});

test("a Retry-After beyond the time of the call is not waited for: the error comes at once", async () => {
  service.answers(problem(429, "too_many_requests", { "retry-after": "600" }));
  const started = performance.now();
  await expect(newClient().getUnreadCounts()).rejects.toMatchObject({ retryAfter: 600, attempts: 1 });
  expect(performance.now() - started).toBeLessThan(2_000);
});

test("a call that waits for its next try can be aborted", async () => {
  service.answers(problem(503, "busy", { "retry-after": "20" }));
  const controller = new AbortController();
  const call = newClient().getUnreadCounts({}, { signal: controller.signal });
  await expect.poll(() => service.received.length).toBe(1);
  controller.abort();
  await expect(call).rejects.toMatchObject({ name: "AbortError" });
  expect(service.received).toHaveLength(1);
});

test("where there is no randomUUID, as without TLS and in React Native, keys differ as well", async () => {
  service.answers(paid);
  random.mockRestore();
  vi.stubGlobal("crypto", undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  const client = newClient();
  for (let call = 0; call < 20; call += 1) await client.bulkUpdateTimesheets(payment);
  expect(new Set(keysSent()).size).toBe(20);
  for (const key of keysSent()) expect(key).toMatch(/^[\x21-\x7e]{20,255}$/);
});
