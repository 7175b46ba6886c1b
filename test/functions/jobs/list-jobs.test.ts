import { beforeAll, describe, expect, test } from "vitest";
import { handler } from "../../../functions/jobs/list-jobs.ts";
import { listJobs } from "../../../shared/contract/jobs.ts";
import { jobLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { idsIn } from "../../support/requests/pages.ts";
import { useService } from "../../support/service/service.ts";
import type { TestUser } from "../../support/tokens/tokens.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;
const operator = { id: 2, role: "operator", company_id: 1 } as const;

useService();

beforeAll(() => store([...Array.from({ length: 22 }, (_, index) => jobLine(index + 1, 1)), jobLine(101, 2)]));

function list(query: Record<string, string> = {}, as: TestUser = operator) {
  return call(handler, listJobs, { as, query });
}

describe("200", () => {
  test("D37: the newest 20 of the caller's company come first, with the total of all", async () => {
    const answer = await list();
    expect(idsIn(answer)).toEqual(Array.from({ length: 20 }, (_, index) => 22 - index));
    expect(answer.headers).toMatchObject({ "per-page": "20", total: "22" });
  });

  test("a job holds the interface's fields and no others", async () => {
    const { type, company_id, ...shown } = jobLine(101, 2);
    const answer = await list({ per_page: "1" }, admin);
    expect(answer.body).toEqual({ jobs: [shown] });
    expect([type, company_id, answer.headers.total]).toEqual(["job", 2, "23"]);
  });
});

test("D30: Link keeps the parameters that the operation knows, and none of a stranger's", async () => {
  const answer = await list({ per_page: "2", _x: "'".repeat(1_200), _PAGE: "7", __proto__x: "1" });
  expect(answer.headers.link).toContain('per_page=2&page=1>; rel="first"');
  expect(answer.headers.link).not.toMatch(/x=|PAGE|%27/);
  expect(JSON.stringify(answer.headers).length).toBeLessThan(2_000);
});
