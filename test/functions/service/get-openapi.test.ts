import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { describe, expect, inject, test } from "vitest";
import { handler } from "../../../functions/service/get-openapi.ts";
import { bundleFile } from "../../../infra/functions/bundle-places.ts";
import { getOpenapi } from "../../../shared/contract/service.ts";
import { call } from "../../support/requests/call.ts";
import { openApi } from "../../support/requests/described-answers.ts";

describe("200", () => {
  test("D37: anyone reads the OpenAPI document, and may keep it for 5 minutes", async () => {
    const { status, headers, body } = await call(handler, getOpenapi);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      "cache-control": "public, max-age=300",
      "content-type": "application/json; charset=utf-8",
    });
    expect(body).toEqual(openApi);
  });

  test("the bundle holds the same document, ready made", async () => {
    const file = bundleFile(inject("bundles"), getOpenapi.name);
    const { handler: bundled } = createRequire(import.meta.url)(file);
    expect((await call(bundled, getOpenapi)).body).toEqual(openApi);
    expect(readFileSync(file, "utf8")).not.toContain("cannot be converted to JSON Schema");
  });
});
