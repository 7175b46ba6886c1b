import { expect, test } from "vitest";
import { handler } from "../../../functions/service/get-health.ts";
import { getHealth } from "../../../shared/contract/service.ts";
import { call } from "../../support/requests/call.ts";

test("200: the service answers, and touches nothing else", async () => {
  const answer = await call(handler, getHealth);
  expect(answer).toMatchObject({ status: 200, body: { status: "ok" } });
});
