import { describe, test } from "vitest";
import { call } from "../../support/requests/call.ts";
import { allowedUser, bodyEndpoints, userOf } from "../../support/requests/every-operation.ts";
import { expectProblem } from "../../support/requests/problems.ts";
import { useService } from "../../support/service/service.ts";

useService();

/** A request wrong in every way is corrected one check at a time; each step must show the next refusal (D31). */
describe.each(bodyEndpoints)("D31: $name refuses in order", ({ operation, handler }) => {
  const huge = "x".repeat(300_000);
  const plain = { "content-type": "text/plain" };
  const user = allowedUser(operation);
  const as = user && { as: user };

  test("413 before anything else", async () => {
    expectProblem(await call(handler, operation, { body: huge, headers: plain }), 413, "body_too_large");
  });

  if (operation.access !== "anyone") {
    test("401 before 403, 415, 400 and 422", async () => {
      expectProblem(await call(handler, operation, { body: "{", headers: plain }), 401, "token_missing");
    });
  }

  if (operation.access !== "anyone" && !operation.access.includes("driver")) {
    test("403 before 415, 400 and 422", async () => {
      const driver = userOf("driver");
      expectProblem(await call(handler, operation, { as: driver, body: "{", headers: plain }), 403, "role_not_allowed");
    });
  }

  test("415 before 400 and 422", async () => {
    expectProblem(
      await call(handler, operation, { ...as, body: "{", headers: plain }),
      415,
      "media_type_not_supported",
    );
  });

  test("400 before 422", async () => {
    expectProblem(await call(handler, operation, { ...as, body: "{" }), 400, "malformed_json");
  });

  test("422 last", async () => {
    const body = { [operation.body?.object ?? ""]: {} };
    expectProblem(await call(handler, operation, { ...as, body }), 422, "fields_invalid");
  });
});
