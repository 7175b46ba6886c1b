import { beforeAll, describe, expect, test, vi } from "vitest";
import { handler } from "../../../functions/companies/list-companies.ts";
import { handler as refresh } from "../../../functions/workers/refresh-totals.ts";
import { listCompanies } from "../../../shared/contract/companies.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { costOf } from "../../support/records/costs.ts";
import { companyLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call, type TestAnswer } from "../../support/requests/call.ts";
import { idsIn, nextQuery, walkPages } from "../../support/requests/pages.ts";
import { useService } from "../../support/service/service.ts";
import type { TestUser } from "../../support/tokens/tokens.ts";
import { drain } from "../../support/workers/workers.ts";

const admin = { id: 1, role: "admin", company_id: null } as const;

useService();
const network = useNetwork();

beforeAll(() => store(Array.from({ length: 23 }, (_, index) => companyLine(index + 1, `Company ${index + 1}`))));

function list(query: Readonly<Record<string, string | undefined>> = {}, as: TestUser = admin) {
  return call(handler, listCompanies, { as, query });
}

const idsOf = async (query: Record<string, string>) => idsIn(await list(query));

describe("200", () => {
  test("D37: an admin sees all companies, the highest id first, with their number", async () => {
    const answer = await list({ per_page: "2" });
    expect(answer.body).toEqual({
      companies: [
        { id: 23, name: "Company 23" },
        { id: 22, name: "Company 22" },
      ],
    });
    expect(answer.headers).toMatchObject({ "per-page": "2", total: "23" });
  });

  test("D30: pages by number and by cursor lead through all of them, and one past the end is empty", async () => {
    expect(await idsOf({ page: "2" })).toEqual([3, 2, 1]);
    const { cursor = "" } = nextQuery(await list()) ?? {};
    expect(await idsOf({ cursor })).toEqual([3, 2, 1]);
    const past = await list({ page: "9999" });
    expect([past.body, past.headers.total]).toEqual([{ companies: [] }, "23"]);
  });

  test("a company that is renamed or removed is so in the list", async () => {
    await store([companyLine(22, "Northgate"), companyLine(24, "Gone")]);
    await store([{ type: "company", id: 24, deleted: true }]);
    const answer = await list({ per_page: "2" });
    expect(answer.body.companies).toMatchObject([{ id: 23 }, { id: 22, name: "Northgate" }]);
    expect(answer.headers.total).toBe("23");
  });

  test("a page whose companies are removed while it is read is the one that follows", async () => {
    await store([companyLine(24, "Gone")]);
    const release = network.hold("BatchGetItem");
    const listing = list({ per_page: "1" });
    await network.held("BatchGetItem");
    await store([{ type: "company", id: 24, deleted: true }]);
    release();
    const answer = await listing;
    expect(answer.body.companies).toMatchObject([{ id: 23 }]);
    expect(nextQuery(answer)?.cursor).toBeTypeOf("string");
  });
});

describe("more than 500 companies", () => {
  const [many, highest] = [1_200, 2_200];

  beforeAll(async () => {
    await store(Array.from({ length: many }, (_, at) => companyLine(highest - at, `Company ${highest - at}`)));
  }, 60_000);

  test("D30: their number is at most a minute old, and pages read no more than they show, by number and by cursor", async () => {
    const first = list({ per_page: "100" });
    await vi.waitUntil(async () => (await drain("TOTAL_QUEUE_URL", refresh)).length > 0, 6_000);
    const { body, headers } = await first;
    expect([body.companies.length, headers.total]).toEqual([100, String(many + 23)]);
    await store([companyLine(3_000, "Newest")]);
    const [again, cost] = await costOfAnswer({ per_page: "1" });
    expect([again.body.companies, again.headers.total]).toMatchObject([[{ id: 3_000 }], String(many + 23)]);
    expect(cost.readUnits).toBeLessThanOrEqual(20);
    expect(await idsOf({ per_page: "3", page: "300" })).toEqual([1_304, 1_303, 1_302]);
    const pages = await walkPages(list, { per_page: "100" });
    expect(pages.flatMap(idsIn)).toHaveLength(many + 24);
  });

  async function costOfAnswer(query: Record<string, string>) {
    let answer: TestAnswer | undefined;
    const cost = await costOf(async () => {
      answer = await list(query);
    });
    if (!answer) throw new Error("There is no answer");
    return [answer, cost] as const;
  }
});
