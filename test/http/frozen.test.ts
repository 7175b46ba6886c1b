import { afterEach, expect, test, vi } from "vitest";
import { refusalCodes } from "../../shared/contract/refusal-codes.ts";
import { getHealth } from "../../shared/contract/service.ts";
import { anonymous } from "../../shared/http/endpoint.ts";
import { call } from "../support/requests/call.ts";
import { countedMetrics, loggedLines } from "../support/service/capture-logs.ts";
import { sample } from "./sample-operation.ts";

const answering = anonymous(sample, async () => ({ shown: "yes" }));
const frozen = { stageVariables: { frozen: "on" } };

afterEach(() => void vi.unstubAllEnvs());

test("a frozen stage answers 503 frozen with Retry-After, and one that is not answers as ever", async () => {
  const { status, headers, body } = await call(answering, sample, frozen);
  expect({ status, code: body.code }).toEqual({ status: refusalCodes.frozen.status, code: "frozen" });
  expect(headers["retry-after"]).toBe("300");
  expect(body).not.toHaveProperty("detail");
  for (const stageVariables of [undefined, {} as Record<string, string>, { frozen: "off" }])
    expect((await call(answering, sample, { stageVariables })).status).toBe(200);
});

test("it is no fault, neither of the operation nor of a version that is released, and no error in the log", async () => {
  vi.stubEnv("AWS_LAMBDA_FUNCTION_VERSION", "7");
  loggedLines.length = 0;
  await call(answering, sample, frozen);
  expect(countedMetrics()).toEqual([]);
  expect(loggedLines.filter((line) => line.includes('"level":"error"'))).toEqual([]);
});

test("monitors, and those who verify tokens, are answered all the same", async () => {
  const health = anonymous(getHealth, async () => ({ status: "ok" as const }));
  expect((await call(health, getHealth, frozen)).status).toBe(200);
});
