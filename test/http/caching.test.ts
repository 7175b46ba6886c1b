import { expect, test } from "vitest";
import type { Operation } from "../../shared/contract/operation.ts";
import { getKeySet, getOpenapi } from "../../shared/contract/service.ts";
import { call } from "../support/requests/call.ts";
import { allowedUser, endpoints } from "../support/requests/every-operation.ts";
import { useService } from "../support/service/service.ts";

useService();

const cached: readonly Operation[] = [getKeySet, getOpenapi];

test("D34: an answer is kept by no cache and varies by nothing", async () => {
  for (const { operation, handler, sample: request } of endpoints) {
    if (cached.includes(operation)) continue;
    const as = allowedUser(operation);
    const answer = await call(handler, operation, { ...request, ...(as && { as }) });
    expect(answer.headers["cache-control"], operation.name).toBe("no-store");
    expect(answer.headers.vary, operation.name).toBeUndefined();
  }
});
