import { describe, expect, test } from "vitest";
import { operations } from "../../shared/contract/operations.ts";
import { useClientPackage } from "./built-client.ts";
import { type FakeAnswer, problem, useFakeService } from "./fake-service.ts";

const service = useFakeService();
const built = useClientPackage();

const newClient = (more: object = {}) => built.module.createClient({ baseUrl: service.baseUrl, ...more });
const signedIn = () => newClient({ store: built.module.memoryStore({ accessToken: "a-token" }) });

const page = (ids: number[], headers: Record<string, string> = {}): FakeAnswer => ({
  body: { jobs: ids.map((id) => ({ id })) },
  headers: { total: "5", "per-page": "2", ...headers },
});
const link = (query: string) => ({ link: `<https://other.example/x?${query}>; rel="next", </y?page=9>; rel="last"` });

test("there is one method for each operation of the contract, two of the session, and nothing else", () => {
  const names = operations.map(({ name }) => name.replaceAll(/-(.)/g, (_, letter) => letter.toUpperCase()));
  expect(Object.keys(newClient()).toSorted()).toEqual([...names, "session", "onSessionEnd"].toSorted());
});

test("parameters go into path and query, several values with commas, and what is undefined nowhere", async () => {
  service.answers({ body: { invoice: { id: 7 } } }, { body: { invoices: [] } });
  const client = signedIn();
  expect(await client.getInvoice({ id: 7 })).toEqual({ invoice: { id: 7 } });
  await client.listInvoices({ by_state: ["paid", "overdue"], by_number: "A&B=ü +", from_date: undefined });
  expect(service.received.map(({ url }) => url)).toEqual([
    "/api/v1/finance/invoices/7",
    "/api/v1/finance/invoices?by_state=paid%2Coverdue&by_number=A%26B%3D%C3%BC%20%2B",
  ]);
  expect(service.received[0]?.headers).toMatchObject({ authorization: "Bearer a-token", accept: "application/json" });
  expect(service.received[0]?.headers).not.toHaveProperty("idempotency-key");
});

test("one value is taken where a list is", async () => {
  service.answers({ body: { invoices: [] } });
  await signedIn().listInvoices({ by_state: "pending" });
  expect(service.received[0]?.url).toBe("/api/v1/finance/invoices?by_state=pending");
});

test.each(["", "/", "/api/v1", "/api/v1/", "//"])("the address of the service may end in %o", async (end) => {
  service.answers({ body: { user: {} } });
  await newClient({ baseUrl: service.baseUrl + end }).requestPasswordReset({ login: "a" });
  expect(service.received[0]?.url).toBe("/api/v1/users/password");
});

test("an address that only contains /api/v1 stays as it is", async () => {
  service.answers({ body: { user: {} } });
  await newClient({ baseUrl: `${service.baseUrl}/api/v1/proxy` }).requestPasswordReset({ login: "a" });
  expect(service.received[0]?.url).toBe("/api/v1/proxy/api/v1/users/password");
});

test.each([
  [undefined],
  [""],
  ["."],
  [".."],
])("an id in the path that would lead elsewhere is refused: %o", async (id) => {
  await expect(signedIn().removeDeviceToken({ id })).rejects.toThrow(TypeError);
  expect(service.received).toEqual([]);
});

test("the fields of a body go into its outer object; no token goes where none is wanted", async () => {
  service.answers({ body: { user: {} } });
  await signedIn().requestPasswordReset({ login: "a@b.example" });
  const { headers, ...sent } = service.received[0] ?? { headers: {} };
  expect(sent).toEqual({ method: "POST", url: "/api/v1/users/password", body: { user: { login: "a@b.example" } } });
  expect(headers).not.toHaveProperty("authorization");
});

describe("a list", () => {
  test("has its totals beside its items, and a way to the next page with the query of its link", async () => {
    service.answers(page([5, 4], link("cursor=c%2F1&per_page=2")), page([3]));
    const first = await signedIn().listJobs({ per_page: 2 });
    expect(first).toMatchObject({ jobs: [{ id: 5 }, { id: 4 }], total: 5, perPage: 2 });
    const second = await (first.next as () => Promise<object>)();
    expect(second).toMatchObject({ jobs: [{ id: 3 }], next: undefined });
    expect(service.received.map(({ url }) => url)).toEqual([
      "/api/v1/jobs?per_page=2",
      "/api/v1/jobs?cursor=c%2F1&per_page=2",
    ]);
  });

  test("D30: is walked page by page, and asked for no page that nobody wants", async () => {
    service.answers(page([5, 4], link("cursor=1")), page([3, 2], link("cursor=2")), page([1]));
    expect(await idsOf(signedIn().listJobs())).toEqual([5, 4, 3, 2, 1]);
    expect(service.received).toHaveLength(3);
    service.answers(page([5, 4], link("cursor=1")));
    expect(await idsOf(signedIn().listJobs(), 2)).toEqual([5, 4]);
    expect(service.received).toHaveLength(4);
  });

  test("that names a page as next which was before it ends with a typed error", async () => {
    let asked = 0;
    service.answersBy(() => {
      asked += 1;
      return page([asked], link(`cursor=${asked % 2}`));
    });
    await expect(idsOf(signedIn().listJobs())).rejects.toThrow(built.module.ProtocolError);
    expect(asked).toBeLessThanOrEqual(4);
  });

  test("that is missing in the answer is a typed error", async () => {
    service.answers({ body: { invoices: [] } });
    await expect(signedIn().listJobs()).rejects.toThrow(built.module.ProtocolError);
  });

  test("that a write answers has its totals as well", async () => {
    service.answers({ body: { timesheets: [{ id: 1 }] }, headers: { total: "1", "per-page": "20" } });
    const paid = await signedIn().bulkUpdateTimesheets({ timesheet_ids: [1], state: "paid" });
    expect(paid).toEqual({ timesheets: [{ id: 1 }], total: 1, perPage: 20 });
  });
});

test("a refusal is a ProblemError with what it says", async () => {
  const errors = [{ pointer: "/timesheet/state", code: "not_allowed", detail: "must be one of paid, pending" }];
  const refusal = problem(422, "fields_invalid", { "retry-after": "7" });
  service.answers({ ...refusal, body: { ...(refusal.body as object), errors, missing_ids: [3], changed_ids: [4] } });
  const error: unknown = await signedIn()
    .getProfile()
    .catch((error) => error);
  expect(error).toBeInstanceOf(built.module.ProblemError);
  expect(error).toBeInstanceOf(built.module.ClientError);
  // The name is inherited, as that of built-in errors.
  expect({ name: (error as Error).name, ...(error as object) }).toEqual({
    name: "ProblemError",
    code: "fields_invalid",
    status: 422,
    errors,
    missingIds: [3],
    changedIds: [4],
    requestId: "req-1",
    retryAfter: 7,
    attempts: 1,
  });
  expect(String(error)).toBe("ProblemError: Because of fields_invalid");
});

test("a refusal of the gateway, which has a message alone, has a code of its own", async () => {
  service.answers({ status: 413, body: { message: "Request Too Long" } });
  const expected = { code: "gateway", status: 413, message: "Request Too Long", errors: [], requestId: undefined };
  await expect(signedIn().getProfile()).rejects.toMatchObject(expected);
});

async function idsOf(list: unknown, most = Number.POSITIVE_INFINITY): Promise<number[]> {
  const ids: number[] = [];
  for await (const { jobs } of list as AsyncIterable<{ jobs: { id: number }[] }>) {
    ids.push(...jobs.map(({ id }) => id));
    if (ids.length >= most) break;
  }
  return ids;
}
