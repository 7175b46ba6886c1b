import { afterAll, expect, test } from "vitest";
import { startHttpService } from "../../infra/local/http-service.ts";
import { makeDirectory, runTool } from "../support/service/local-machine.ts";
import { useDeployedStage } from "../support/service/stage.ts";

const stage = useDeployedStage("staging");
const directory = makeDirectory();
afterAll(directory.remove);

function run(...parameters: string[]) {
  return runTool("test/system/journeys/journeys.ts", parameters, directory.path, stage.environment);
}

test.each([
  [["--url", "https://api.example.com"], "Name --url and --stage together"],
  [["--inbox", "http://127.0.0.1/inbox"], "--inbox goes with --url"],
  [["--url", "api.example.com", "--stage", "staging"], '"api.example.com" is no URL'],
  [["--url", "https://api.example.com", "--stage", "production"], 'There is no stage "production"'],
  [["--url", "https://api.example.com", "--stage", "staging"], "keeps real data: add --real-data"],
])("%j ends with 2 and one clear line, before anything is sent", { timeout: 30_000 }, async (parameters, said) => {
  const { code, stdout, stderr } = await run(...parameters);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain(said);
  expect(stderr.trim().split("\n")).toHaveLength(1);
});

test("an address where no service answers ends with 1 and one sentence", { timeout: 30_000 }, async () => {
  const other = await startHttpService((_, response) => response.writeHead(404).end());
  const url = `http://127.0.0.1:${other.port}`;
  const { code, stdout, stderr } = await run("--url", url, "--stage", "staging", "--real-data");
  await other.close();
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toContain(`No service answers at ${url}/api/v1/health (404): look at --url.`);
});
