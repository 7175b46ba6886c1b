import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { handler as rotate } from "../../../functions/workers/rotate-signing-key.ts";
import { functions } from "../../../infra/functions/functions.ts";
import { type HttpService, startHttpService } from "../../../infra/runtime/http-service.ts";
import { type OperationName, operations } from "../../../shared/contract/operations.ts";
import { useNetwork } from "../../support/faults/network.ts";
import { call, type TestRequest } from "../../support/requests/call.ts";
import { allowedUser, endpoints } from "../../support/requests/every-operation.ts";
import { countedMetrics, loggedLines } from "../../support/service/capture-logs.ts";
import { usePushService } from "../../support/workers/pushes.ts";
import { ownPlansOf, reading } from "./losses/operation-losses.ts";

const service = usePushService();
const network = useNetwork();
const ownPlans = ownPlansOf(service);

beforeAll(async () => {
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  await rotate();
});
beforeEach(() => {
  vi.stubEnv("AWS_LAMBDA_FUNCTION_VERSION", "7");
  // The pauses by chance before retries take no time.
  vi.spyOn(Math, "random").mockReturnValue(0);
  loggedLines.length = 0;
});
afterEach(() => {
  network.heal();
  vi.unstubAllEnvs();
  vi.mocked(Math.random).mockRestore();
});

interface Logged {
  readonly status?: number;
  readonly code?: string;
  readonly error?: string;
}

/** The lines of the requests that were answered since the lines were last cleared. */
function answered(): Logged[] {
  const lines = loggedLines.filter((line) => !line.startsWith('{"_aws":')).map((line): Logged => JSON.parse(line));
  return lines.filter(({ status }) => status !== undefined);
}

/** No answer may be a fault, and no release be blamed: 503 `busy`, whose Retry-After `call` asserts, is the only 5xx. */
function expectNoFault(place: string): Logged[] {
  const busy = answered().filter(({ status = 0 }) => status >= 500);
  for (const line of busy) {
    expect(line, place).toMatchObject({ status: 503, code: "busy", error: expect.stringMatching(/Throttl|Exceeded/) });
  }
  expect(countedMetrics().filter((metric) => "VersionFaults" in metric)).toEqual([]);
  return busy;
}

describe("D18, D31: at an AWS that throttles one call of a request, the request is 503 busy or done, and done when it is repeated", () => {
  test.each(operations.map(({ name }) => name as OperationName))("%s", async (name) => {
    const plan = ownPlans[name] ?? reading(name);
    const throttled: string[] = [];
    for (let n = 1; ; n += 1) {
      const { attempt, check } = await plan.prepare();
      loggedLines.length = 0;
      network.lose(n, "throttled");
      const isDone = await attempt();
      const action = network.heal();
      if (action === undefined) break;
      throttled.push(action);
      const busy = expectNoFault(`call ${n}, ${action}`);
      expect(isDone || busy.length > 0, `call ${n}, ${action}: ${JSON.stringify(answered())}`).toBe(true);
      vi.setSystemTime(Date.now() + (plan.repeatMs ?? 2_000));
      if (!isDone) expect(await attempt(), `call ${n}, ${action}, repeated`).toBe(true);
      await check?.();
    }
    expect(throttled.length > 0).toBe(name !== "get-openapi");
  }, 120_000);
});

describe("D18, D31: in a new environment at an AWS that throttles every call, every door is 503 busy", () => {
  let aws: HttpService;
  beforeAll(async () => {
    aws = await startHttpService((request, response) => {
      request.resume();
      response.writeHead(400, { "content-type": "application/x-amz-json-1.0" });
      response.end(JSON.stringify({ __type: "ThrottlingException", message: "Rate exceeded" }));
    });
  });
  afterAll(() => aws.close());

  test.each(endpoints)("$name", async ({ name, operation, sample }) => {
    for (const each of ["DYNAMODB", "SECRETS_MANAGER", "SQS"]) {
      vi.stubEnv(`AWS_ENDPOINT_URL_${each}`, `http://127.0.0.1:${aws.port}`);
    }
    // Its modules know no keys, no secrets and no clients yet.
    vi.resetModules();
    const { handler } = await import(`../../../functions/${functions[name as OperationName].area}/${name}.ts`);
    const sent = { as: allowedUser(operation), ...sample } as TestRequest;
    const { status } = await call(handler, operation, JSON.parse(JSON.stringify(sent).replaceAll("{{pin}}", "123456")));
    expect(status).toBe(name === "get-openapi" ? 200 : 503);
    expectNoFault(name);
  });
});
