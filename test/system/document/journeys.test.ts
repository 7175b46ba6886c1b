import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { demoUsers } from "../../../infra/local/demo/demo.ts";
import { demoPassword } from "../../../infra/local/demo/demo-people.ts";
import { useOwnMachine } from "../../support/requests/own-machine.ts";
import { makeMachineDirectory } from "../../support/service/machine-directory.ts";
import { installDocumentTools } from "./install.ts";

const own = useOwnMachine(await makeMachineDirectory());
let folder: string;

/** The Arazzo document as the machine publishes it, beside the document that its source names. */
beforeAll(async () => {
  folder = join(dirname(installDocumentTools()), "journeys");
  mkdirSync(join(folder, "api/v1"), { recursive: true });
  for (const path of ["/arazzo.json", "/api/v1/openapi.json"]) {
    const answer = await fetch(own.machine.baseUrl + path);
    expect(answer.status, path).toBe(200);
    writeFileSync(join(folder, path), await answer.text());
  }
});

/** Runs Redocly's command without its telemetry and its notice of newer versions. */
function redocly(...parameters: string[]) {
  const { status, stdout, stderr } = spawnSync(join(folder, "../node_modules/.bin/redocly"), parameters, {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NO_COLOR: "1" },
  });
  return { status, printed: stdout + stderr };
}

test("the journeys of the guides are a valid Arazzo document", () => {
  const { status, printed } = redocly("lint", "arazzo.json");
  expect(status, printed).toBe(0);
});

test("they lead through the local machine as they are written, with every answer as the OpenAPI document says", () => {
  const { login } = demoUsers.operatorA;
  const inputs = ["--input", `login=${login}`, "--input", `password=${demoPassword}`];
  const { status, printed } = redocly(
    "respect",
    "arazzo.json",
    "--server",
    `workforce=${own.machine.baseUrl}`,
    ...inputs,
  );
  expect(status, printed).toBe(0);
  expect(printed).toMatch(/Workflows: 4 passed, 4 total/);
});
