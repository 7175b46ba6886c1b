import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type HttpService, startHttpService } from "../../../infra/local/http-service.ts";
import { openErasedList } from "../../../infra/tools/forget/erased-list.ts";
import { stubAws } from "../../support/service/stub-aws.ts";

/** Parameters by name, as Systems Manager gives them: two a page. */
const parameters = new Map<string, string>();
let service: HttpService;

function answer(target: string, body: Record<string, string>): { status: number; body: object } {
  if (target.endsWith("GetParametersByPath")) {
    const found = [...parameters].filter(([name]) => name.startsWith(`${body.Path}/`));
    const from = Number(body.NextToken ?? 0);
    const Parameters = found.slice(from, from + 2).map(([Name, Value]) => ({ Name, Value, Type: "String" }));
    return { status: 200, body: { Parameters, ...(from + 2 < found.length && { NextToken: String(from + 2) }) } };
  }
  const isThere = parameters.has(String(body.Name));
  if (target.endsWith("DeleteParameter")) {
    if (!isThere) return { status: 400, body: { __type: "ParameterNotFound" } };
    parameters.delete(String(body.Name));
  } else parameters.set(String(body.Name), String(body.Value));
  return { status: 200, body: {} };
}

beforeAll(async () => {
  service = await startHttpService((request, response) => {
    let sent = "";
    request.on("data", (text) => {
      sent += text;
    });
    request.on("end", () => {
      const { status, body } = answer(String(request.headers["x-amz-target"]), JSON.parse(sent));
      response.writeHead(status, { "content-type": "application/x-amz-json-1.1" }).end(JSON.stringify(body));
    });
  });
  stubAws("SSM", service.port);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await service.close();
});

test("a stage's list is in parameters of its own, outside of the table, by ascending id on any number of pages", async () => {
  const list = openErasedList({ stage: "prod", directory: "/nowhere" });
  const entry = (id: number) => ({ id, profile_ids: [id * 10], erased_at: "2026-05-01T00:00:00.000Z" });
  for (const id of [5, 3, 12, 3]) await list.add(entry(id));
  await list.add({ ...entry(5), profile_ids: [7], erased_at: "2026-06-01T00:00:00.000Z" });
  expect(await list.entries()).toEqual([entry(3), { ...entry(5), profile_ids: [50, 7] }, entry(12)]);
  expect([...parameters.keys()]).toContain("/workforce/prod/erased/12");
  await list.remove(5);
  await list.remove(5);
  expect((await list.entries()).map(({ id }) => id)).toEqual([3, 12]);
  expect(await openErasedList({ stage: "staging", directory: "/nowhere" }).entries()).toEqual([]);
});
