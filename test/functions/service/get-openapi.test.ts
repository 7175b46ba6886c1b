import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";
import type { Context } from "aws-lambda";
import { describe, expect, test } from "vitest";
import { handler } from "../../../functions/service/get-openapi.ts";
import { listInvoicesText } from "../../../infra/document/texts/finance.ts";
import { interfaceText } from "../../../infra/document/texts/interface.ts";
import { codeTexts } from "../../../infra/document/texts/refusals.ts";
import { bundleFile } from "../../../infra/functions/bundle-places.ts";
import { functions } from "../../../infra/functions/functions.ts";
import { gatewayAnswer } from "../../../infra/runtime/gateway/gateway-answer.ts";
import { getOpenapi } from "../../../shared/contract/service.ts";
import { call, eventOf } from "../../support/requests/call.ts";
import { openApi } from "../../support/requests/described-answers.ts";
import { builtBundles } from "../../support/service/made-stack.ts";

const bundles = await builtBundles();

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

  test("who accepts gzip gets it compressed, by the function itself: on AWS as on the local machine", async () => {
    const event = await eventOf(getOpenapi, { headers: { "accept-encoding": "br, gzip" } });
    const answer = await handler(event, { awsRequestId: "lambda-request" } as Context);
    const { status, headers, body } = gatewayAnswer(answer);
    expect([status, headers["content-encoding"], headers.vary]).toEqual([200, "gzip", "Accept-Encoding"]);
    expect(JSON.parse(String(gunzipSync(body)))).toEqual(openApi);
    expect(body.length).toBeLessThan(40_000);
    const plain = await call(handler, getOpenapi, { headers: { "accept-encoding": "gzip;q=0" } });
    expect(plain.headers).not.toHaveProperty("content-encoding");
    expect(plain.headers.vary).toBe("Accept-Encoding");
  });

  test("the bundle holds the same document, ready made", async () => {
    const file = bundleFile(bundles, getOpenapi.name);
    const { handler: bundled } = createRequire(import.meta.url)(file);
    expect((await call(bundled, getOpenapi)).body).toEqual(openApi);
    expect(readFileSync(file, "utf8")).not.toContain("cannot be converted to JSON Schema");
  });

  test("no other bundle has the document's texts", () => {
    const texts = [interfaceText.slice(0, 60), codeTexts.busy, listInvoicesText.description.slice(0, 60)];
    const document = readFileSync(bundleFile(bundles, getOpenapi.name), "utf8");
    for (const text of texts) expect(document).toContain(text);
    for (const name of Object.keys(functions).filter((each) => each !== getOpenapi.name)) {
      const code = readFileSync(bundleFile(bundles, name), "utf8");
      expect(
        texts.filter((text) => code.includes(text)),
        name,
      ).toEqual([]);
    }
  });
});
