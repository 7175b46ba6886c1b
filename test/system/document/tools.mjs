// Runs in the folder of its packages: lints `openapi.json` there, generates a client by each generator, and prints what was found.
import { readFileSync, writeFileSync } from "node:fs";
import { createClient } from "@hey-api/openapi-ts";
import { createConfig, lintFromString } from "@redocly/openapi-core";
import spectralCore from "@stoplight/spectral-core";
import spectralParsers from "@stoplight/spectral-parsers";
import spectralRulesets from "@stoplight/spectral-rulesets";
import openapiTypescript, { astToString } from "openapi-typescript";
import { generate } from "orval";

const file = "openapi.json";
const source = readFileSync(file, "utf8");

const config = await createConfig({ extends: ["recommended"] });
const redocly = await lintFromString({ source, absoluteRef: file, config });

const spectral = new spectralCore.Spectral();
spectral.setRuleset({ extends: [spectralRulesets.oas] });
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
    redocly: redocly.map(({ ruleId, message, location: [at] }) => `${ruleId} ${at?.pointer}: ${message}`),
    spectral: found.map(({ code, message, path }) => `${code} ${path.join("/")}: ${message}`),
  }),
);
