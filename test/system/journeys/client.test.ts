import { describe, expect, test } from "vitest";
import type { TokenStore } from "../../../shared/client/store.ts";
import { useClientPackage } from "../../client/built-client.ts";
import { invoiceLine, timesheetLine } from "../../support/records/records.ts";
import { arriving, newId, type Target, useTarget } from "./target.ts";

const target = useTarget();
const built = useClientPackage();

type Role = keyof Target["people"];

const newClient = (store: TokenStore, more: object = {}) =>
  built.module.createClient({ baseUrl: target.baseUrl, store, ...more });

/** A client whose user has signed in, its store, and what it sends. */
async function signIn(role: Role, change: (answer: Response, path: string) => Response = (answer) => answer) {
  const store = built.module.memoryStore();
  const sent: string[] = [];
  const client = newClient(store, {
    fetch: async (url: string, init: RequestInit) => {
      const path = new URL(url).pathname;
      sent.push(`${init.method} ${path}`);
      return change(await fetch(url, init), path);
    },
  });
  const { email: login, password } = target.people[role];
  const answer = await client.signIn({ login, password });
  return { client, store, sent, login, password, answer };
}

const session = async (store: TokenStore) => (await store.get()) ?? {};

test("a list is walked page by page, with its total", async () => {
  const ids = Array.from({ length: 5 }, () => newId());
  await target.importLines(
    ids.map((id) => invoiceLine(id, target.companyId, { number: `CLI-${id}`, uuid: crypto.randomUUID() })),
  );
  const { client, answer } = await signIn("operator");
  expect(answer).toMatchObject({ user: { id: target.people.operator.id, role: "operator" } });
  const total = async () => (await (client.listInvoices() as Promise<{ total?: number }>)).total;
  await expect.poll(total, arriving).toBe(ids.length);
  const walked: number[][] = [];
  const pages = client.listInvoices({ per_page: 2 }) as unknown as AsyncIterable<{ invoices: { id: number }[] }>;
  for await (const { invoices } of pages) walked.push(invoices.map(({ id }) => id));
  expect(walked.map(({ length }) => length)).toEqual([2, 2, 1]);
  expect(walked.flat()).toEqual(ids.toReversed());
  expect(await client.getInvoice({ id: ids[0] })).toMatchObject({ invoice: { id: ids[0] } });
}, 90_000);

test("refusals are ProblemErrors with the codes, fields and ids of the service", async () => {
  const { client } = await signIn("operator");
  const { ProblemError } = built.module;
  const refused = async (call: unknown) => {
    const error = await (call as Promise<unknown>).then(undefined, (error: unknown) => error);
    expect(error).toBeInstanceOf(ProblemError);
    return error;
  };
  const absent = newId();
  expect(await refused(client.getInvoice({ id: absent }))).toMatchObject({ status: 404, code: "record_not_found" });
  expect(await refused(client.listInvoices({ from_date: "soon" }))).toMatchObject({
    code: "fields_invalid",
    errors: [{ parameter: "from_date", code: "invalid" }],
    requestId: expect.stringMatching(/./),
  });
  const missing = client.bulkUpdateTimesheets({ timesheet_ids: [absent], state: "paid" });
  expect(await refused(missing)).toMatchObject({ code: "records_not_found", missingIds: [absent] });
  expect(await refused(client.adjustJobTimers({ job_ids: [1], timer: 0 }))).toMatchObject({ code: "role_not_allowed" });
  const stranger = newClient(built.module.memoryStore());
  expect(await refused(stranger.getProfile())).toMatchObject({ status: 401, code: "token_missing" });
});

test("D32: a payment whose first answer is lost is sent again under its key, and is done once", async () => {
  const id = newId();
  await target.importLines([timesheetLine(id, target.companyId)]);
  const answers: Response[] = [];
  const { client, sent } = await signIn("operator", (answer, path) => {
    if (!path.endsWith("bulk_update")) return answer;
    answers.push(answer);
    if (answers.length === 1) throw new TypeError("the answer was lost");
    return answer;
  });
  const paid = await client.bulkUpdateTimesheets({ timesheet_ids: [id], state: "paid" });
  expect(paid).toMatchObject({ timesheets: [{ id, state: "paid" }], total: 1 });
  expect(answers.map(({ headers }) => headers.get("idempotency-replayed"))).toEqual([null, "true"]);
  expect(sent).toHaveLength(3);
});

describe("D5: a session", () => {
  test("ends at a sign-out: no renewal revives it; it still proves itself at the next sign-in (D10)", async () => {
    const { client, store, login, password } = await signIn("driver");
    const before = await session(store);
    await client.signOut();
    expect(await session(store)).toEqual({ knownClient: before.refreshToken });
    const revived = built.module.memoryStore({ ...before, accessToken: "refused" });
    const ended = { status: 401, code: "refresh_token_invalid" };
    await expect(newClient(revived).getProfile()).rejects.toMatchObject(ended);
    expect(await session(revived)).toEqual({ knownClient: before.refreshToken });
    await client.signIn({ login, password });
    expect(await client.getProfile()).toMatchObject({ user: { id: target.people.driver.id } });
  });

  test.each([
    ["without a lock, at the same moment", false, 2],
    ["with a lock, again and again", true, 8],
  ])("is shared by two clients that know nothing of each other, %s: nobody is signed out", async (_, isLocked, rounds) => {
    const { store } = await signIn("admin");
    let turn: Promise<unknown> = Promise.resolve();
    const lock = <T>(work: () => Promise<T>): Promise<T> => {
      const done = turn.then(work);
      turn = done.catch(() => {});
      return done;
    };
    // Each has a store of its own over one session, as processes do.
    const clients = [1, 2].map(() => newClient({ ...store, ...(isLocked && { lock }) }));
    for (let round = 0; round < rounds; round += 1) {
      await store.set({ ...(await session(store)), accessToken: `refused ${round}` });
      const [one, other] = await Promise.all(clients.map((client) => client.getProfile()));
      expect(one).toMatchObject({ user: { id: target.people.admin.id } });
      expect(other).toEqual(one);
    }
  });
});
