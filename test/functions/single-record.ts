import { beforeAll, describe, expect, test } from "vitest";
import type { Operation, Role } from "../../shared/contract/operation.ts";
import type { HttpHandler } from "../../shared/http/endpoint.ts";
import { costOf } from "../support/records/costs.ts";
import { store } from "../support/records/store.ts";
import { call } from "../support/requests/call.ts";
import { expectProblem } from "../support/requests/problems.ts";
import { useService } from "../support/service/service.ts";
import type { TestUser } from "../support/tokens/tokens.ts";

/** An operation that shows one record by its id (D39). */
interface SingleRecord {
  readonly operation: Operation;
  readonly handler: HttpHandler;
  /** Name of the record's type, and of the object in the answer. */
  readonly type: string;
  /** The import line of a record. */
  line(id: number, companyId: number, changes?: Record<string, unknown>): { readonly id: number };
  /** The roles that see all records of their own company, beside admins, who see those of any. */
  readonly roles: readonly Role[];
  /** The fields that the interface shows beside the line's. */
  readonly derived?: Readonly<Record<string, unknown>>;
  /** Fields that the record of the largest id needs to be valid. */
  readonly ofLargestId?: Readonly<Record<string, unknown>>;
}

const admin = { id: 1, role: "admin", company_id: null } as const;
const largestId = Number.MAX_SAFE_INTEGER;

/** Values of an id in a path that name no record: absent, malformed, out of range. */
const noIds = ["404", "0", "-5", "5.0", "05", "5e0", " 5", "five", "adjust_timer", "%00", "9007199254740992"];

/** Has vitest test all that such an operation guarantees. */
export function testSingleRecord({ operation, handler, type, line, roles, ...own }: SingleRecord): void {
  const operator = { id: 2, role: "operator", company_id: 1 } as const;
  const show = (id: number | string, as: TestUser = operator) =>
    call(handler, operation, { as, parameters: { id: String(id) } });
  const expectAbsent = async (id: number | string, as?: TestUser) =>
    expectProblem(await show(id, as), 404, "record_not_found");

  useService();
  beforeAll(() => store([line(5, 1), line(6, 2), line(9, 1), line(largestId, 1, own.ofLargestId)]));

  describe("200", () => {
    test.each(["admin", ...roles] as Role[])("D39: a %s sees the interface's fields and no others", async (role) => {
      const { status, body } = await show(5, { id: 3, role, company_id: role === "admin" ? null : 1 });
      const { type: _type, company_id: _company, ...fields } = line(5, 1) as Record<string, unknown>;
      expect(status).toBe(200);
      expect(body).toEqual({ [type]: { ...fields, ...own.derived } });
    });

    test("the largest id that can be stored is found", async () => {
      expect(await show(largestId)).toMatchObject({ status: 200, body: { [type]: { id: largestId } } });
    });

    test("D39: what was written a moment ago is shown: the read is consistent", async () => {
      await show(5);
      expect(await costOf(() => show(5))).toMatchObject({ readUnits: 1 });
    });
  });

  describe("404", () => {
    test("D2, D39: another company's record is refused in the same words as one that does not exist", async () => {
      const [foreign, absent] = [await show(6), await show(7)];
      expectProblem(foreign, 404, "record_not_found");
      const { request_id: _id, instance: _path, ...words } = foreign.body;
      expect(absent).toMatchObject({ status: 404, body: words });
      expect(Object.keys(absent.body)).toEqual(Object.keys(foreign.body));
    });

    test.each(noIds)("D39: %j names no record, for an admin either", (id) => expectAbsent(id, admin));

    test("D35: a record that was removed is gone", async () => {
      await store([{ type, id: 9, deleted: true }]);
      await expectAbsent(9);
    });
  });
}
