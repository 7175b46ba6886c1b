import { beforeAll, describe, expect, test } from "vitest";
import { roles } from "../../../shared/contract/operation.ts";
import { parseRecordLine } from "../../../shared/domain/records/record-line.ts";
import { userLine } from "../../support/records/records.ts";
import { store } from "../../support/records/store.ts";
import { call } from "../../support/requests/call.ts";
import { endpoints, signedInEndpoints, userOf } from "../../support/requests/every-operation.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { refusalOf } from "../../support/requests/refusals.ts";
import { useService } from "../../support/service/service.ts";

useService();
beforeAll(() => store([userLine(900)]));

/** Who may call what, as decision D3 says it; a new operation is added here on purpose, not by the contract. */
const allowed: Record<string, readonly string[]> = {
  "bulk-update-timesheets": ["admin", "operator"],
  "list-invoices": ["admin", "operator", "client"],
  "adjust-job-timers": ["admin"],
  "list-notifications": ["admin", "operator", "client", "driver"],
  "register-device-token": ["admin", "operator", "client", "driver"],
  "mark-notifications": ["admin", "operator", "client", "driver"],
  "get-unread-counts": ["admin", "operator"],
  "list-timesheets": ["admin", "operator"],
  "list-jobs": ["admin", "operator"],
  "remove-device-token": ["admin", "operator", "client", "driver"],
  "sign-out": ["admin", "operator", "client", "driver"],
  "get-profile": ["admin", "operator", "client", "driver"],
};

test("D1: the roles are a closed set of four; a user of another one cannot come in", () => {
  expect(roles).toEqual(["admin", "operator", "client", "driver"]);
  const refusal = refusalOf(() => parseRecordLine({ ...userLine(1), role: "root" }, "GB"));
  expect(refusal).toMatchObject({ code: "fields_invalid", facts: { errors: [{ pointer: "/role" }] } });
});

test("D3: every operation is either open to anyone or named in the access table", () => {
  const open = endpoints.filter(({ operation }) => operation.access === "anyone").map(({ name }) => name);
  expect(open.sort()).toEqual([
    "confirm-login",
    "confirm-login-by-body",
    "get-health",
    "get-key-set",
    "get-openapi",
    "refresh-token",
    "register-user",
    "request-password-reset",
    "set-password",
    "sign-in",
  ]);
  expect(signedInEndpoints.map(({ name }) => name).sort()).toEqual(Object.keys(allowed).sort());
});

describe.each(signedInEndpoints)("$name", ({ name, operation, handler, sample }) => {
  test.each(roles)("D3: a %s is let in only where the table says so", async (role) => {
    const answer = await call(handler, operation, { ...sample, as: userOf(role) });
    if (allowed[name]?.includes(role)) expect([200, 404]).toContain(answer.status);
    else expectProblem(answer, 403, "role_not_allowed");
  });

  test("D3: an operator or client without a company is refused where records belong to companies", async () => {
    for (const role of ["operator", "client"] as const) {
      if (!operation.companyBound || !allowed[name]?.includes(role)) continue;
      const answer = await call(handler, operation, { ...sample, as: { id: 900, role, company_id: null } });
      expectProblem(answer, 403, "company_required");
    }
    expect(operation.companyBound ?? false).toBe(!/notification|device|unread|profile|sign-out/.test(name));
  });
});
