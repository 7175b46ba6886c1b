// Runs in the folder of its packages: lints `openapi.json` there, generates a client by each generator, and prints what was found.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createClient } from "@hey-api/openapi-ts";
import spectralCore from "@stoplight/spectral-core";
import spectralParsers from "@stoplight/spectral-parsers";
import openapiTypescript, { astToString } from "openapi-typescript";
import { generate } from "orval";
import ruleset from "./ruleset.mjs";

const file = "openapi.json";
const source = readFileSync(file, "utf8");

const lint = redocly("lint", "--extends", "recommended-strict");
const score = redocly("score");

const spectral = new spectralCore.Spectral();
spectral.setRuleset(ruleset);
const found = await spectral.run(new spectralCore.Document(source, spectralParsers.Json, file));

writeFileSync("clients/openapi-typescript.ts", astToString(await openapiTypescript(JSON.parse(source))));
await createClient({
  input: JSON.parse(source),
  output: { path: "clients/hey-api" },
  plugins: ["@hey-api/client-fetch", "@hey-api/typescript", "@hey-api/sdk"],
  logs: { level: "silent" },
});
const fetch = { includeHttpResponseReturnType: false };
await generate({
  input: { target: file },
  output: { target: "clients/orval.ts", client: "fetch", mode: "single", override: { fetch } },
});

writeFileSync(
  "found.json",
  JSON.stringify({
    redocly: lint.problems.map(({ ruleId, message, location: [at] }) => `${ruleId} ${at?.pointer}: ${message}`),
    score: score.agentReadiness,
    spectral: found.map(({ code, message, path }) => `${code} ${path.join("/")}: ${message}`),
  }),
);

/** The output of a command of Redocly's about the document; it asks nobody for updates. */
function redocly(command, ...options) {
  const program = ["node_modules/@redocly/cli/bin/cli.js", command, file, "--format", "json", ...options];
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  const { stdout, stderr } = spawnSync(process.execPath, program, {
    encoding: "utf8",
    env,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (!stdout.startsWith("{")) throw new Error(`redocly ${command} printed no JSON: ${stderr}`);
  return JSON.parse(stdout);
}
