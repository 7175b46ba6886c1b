import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundleFolder } from "../../../infra/functions/bundle-places.ts";
import { primingStepsOf } from "../../../infra/functions/entries.ts";
import { type FunctionName, functions } from "../../../infra/functions/functions.ts";
import { type HttpService, startHttpService } from "../../../infra/runtime/http-service.ts";
import type { Template } from "../../../infra/support/stack-template.ts";
import { copyBundles } from "../../support/service/kept.ts";
import { synthesizedTemplate } from "../../support/service/made-stack.ts";
import { root } from "../deploy/program.ts";
import { installRuntimeClient } from "./install.ts";
import { startFunction } from "./lambda.ts";

const directory = mkdtempSync(join(tmpdir(), "workforce-runtime-"));
const bundles = join(directory, "bundles");
const names = Object.keys(functions) as FunctionName[];
const credentials = { AWS_ACCESS_KEY_ID: "made-up", AWS_SECRET_ACCESS_KEY: "made-up", AWS_SESSION_TOKEN: "made-up" };
/** Priming gives up after a second; the rest is Node, the bundle, and a machine that others use as well. */
const mostStartMs = 8_000;

let program: string;
let template: Template;
let hanging: HttpService;
let refusing: HttpService;

beforeAll(async () => {
  program = await installRuntimeClient();
  await copyBundles(bundles);
  template = await synthesizedTemplate();
  hanging = await startHttpService(() => {});
  refusing = await startHttpService((_, response) => {
    response.writeHead(400, { "content-type": "application/x-amz-json-1.0" });
    response.end(JSON.stringify({ __type: "com.amazon.coral.service#AccessDeniedException", message: "no" }));
  });
});
afterAll(async () => {
  await hanging?.close();
  await refusing?.close();
  rmSync(directory, { recursive: true });
});

function start(
  name: FunctionName,
  service: HttpService,
  changes: { hasCredentials?: boolean; waitsForAnswer?: boolean } = {},
) {
  const { hasCredentials = true, waitsForAnswer = true } = changes;
  const endpoint = { AWS_REGION: "eu-west-2", AWS_ENDPOINT_URL: `http://127.0.0.1:${service.port}` };
  return startFunction({
    program,
    bundle: bundleFolder(bundles, name),
    environment: { ...environmentOf(name), ...endpoint, ...(hasCredentials && credentials) },
    event: JSON.parse(readFileSync(join(root, "events", functions[name].area, `${name}.json`), "utf8")),
    waitsForAnswer,
  });
}

/** One function of each list of priming steps: a start does nothing else that needs AWS. */
const primed = [...new Map(names.map((name) => [primingStepsOf(functions[name]).join(), name] as const)).values()];

describe.concurrent("AWS's runtime client loads", () => {
  test.each(names)("%s and calls it, with an AWS that refuses everything", async (name) => {
    expectAnswer(name, (await start(name, refusing)).answer);
  });

  test.each(primed)("%s and calls it, without credentials", async (name) => {
    expectAnswer(name, (await start(name, refusing, { hasCredentials: false })).answer);
  });

  test.each(primed)("%s in time, with an AWS that hangs", async (name) => {
    const { startMs } = await start(name, hanging, { waitsForAnswer: false });
    expect(startMs).toBeLessThan(mostStartMs);
  });
});

/** An endpoint words its own fault; a worker may fail, as its queue calls it again. */
function expectAnswer(name: FunctionName, answer: Awaited<ReturnType<typeof startFunction>>["answer"]): void {
  expect(answer).toBeDefined();
  if (functions[name].area === "workers") return;
  expect(answer).toMatchObject({ kind: "response", body: { statusCode: expect.any(Number) } });
  const { statusCode } = answer?.body as { statusCode: number };
  if (name === "get-openapi") expect(statusCode).toBe(200);
}

/** The environment as the template has it, with text in place of what only AWS knows. */
function environmentOf(name: FunctionName): Record<string, string> {
  for (const { Properties } of Object.values(template.Resources)) {
    const { Variables } = (Properties?.Environment ?? {}) as { Variables?: Record<string, unknown> };
    if (Variables?.OPERATION !== name) continue;
    const texts = Object.entries(Variables).map(([key, value]) => [key, typeof value === "string" ? value : "made-up"]);
    return Object.fromEntries(texts);
  }
  throw new Error(`No function of the template runs ${name}`);
}
