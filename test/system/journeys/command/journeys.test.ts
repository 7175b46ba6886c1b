import { beforeAll, expect, test } from "vitest";
import { startHttpService } from "../../../../infra/runtime/http-service.ts";
import { useDeployedStage } from "../../../support/service/stage.ts";
import { runProgram } from "../../../tools/machine.ts";
import { runJourneys } from "../journeys.ts";

const stage = useDeployedStage("staging");
beforeAll(() => void Object.assign(process.env, stage.environment));

const run = (...parameters: string[]) => runProgram(() => runJourneys(parameters));

test.each([
  [["--url", "https://api.example.com"], "Name --url and --stage together"],
  [["--inbox", "http://127.0.0.1/inbox"], "--inbox goes with --url"],
  [["--url", "api.example.com", "--stage", "staging"], '"api.example.com" is no URL'],
  [["--url", "https://api.example.com", "--stage", "production"], 'There is no stage "production"'],
  [["--url", "https://api.example.com", "--stage", "staging"], "keeps real data: add --real-data"],
])("%j ends with 2 and one clear line, before anything is sent", async (parameters, said) => {
  const { code, out, err } = await run(...parameters);
  expect({ code, out }).toEqual({ code: 2, out: "" });
  expect(err).toContain(said);
  expect(err.trim().split("\n")).toHaveLength(1);
});

test("an address where no service answers ends with 1 and one sentence", async () => {
  const other = await startHttpService((_, response) => response.writeHead(404).end());
  const url = `http://127.0.0.1:${other.port}`;
  const { code, out, err } = await run("--url", url, "--stage", "staging", "--real-data");
  await other.close();
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain(`No service answers at ${url}/api/v1/health (404): look at --url.`);
});
