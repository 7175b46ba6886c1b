import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";
import type { Context } from "aws-lambda";
import { describe, expect, test } from "vitest";
import { bundleFile } from "../../../infra/functions/bundle-places.ts";
import { gatewayAnswer } from "../../../infra/local/gateway/gateway-answer.ts";
import type { Operation } from "../../../shared/contract/operation.ts";
import type { HttpHandler } from "../../../shared/http/endpoint.ts";
import { eventOf } from "../../support/requests/call.ts";
import { builtBundles } from "../../support/service/made-stack.ts";

// Its files are in the build alone.
const { handler } = createRequire(import.meta.url)(bundleFile(await builtBundles(), "get-docs")) as {
  handler: HttpHandler;
};

interface Received {
  status: number;
  headers: Record<string, string | string[]>;
  text: string;
}

/** What a browser receives from API Gateway. */
async function get(path: string, headers: Record<string, string> = {}): Promise<Received> {
  const event = await eventOf({ method: "GET", path } as unknown as Operation, { headers });
  const { status, body, ...given } = gatewayAnswer(await handler(event, { awsRequestId: "lambda-request" } as Context));
  const isCompressed = given.headers["content-encoding"] === "gzip";
  return { status, headers: given.headers, text: String(isCompressed ? gunzipSync(body) : body) };
}

async function pathsOfPage(): Promise<string[]> {
  const { text } = await get("/docs");
  return [...text.matchAll(/"(\/docs\/[^"]+)"/g)].map(([, path = ""]) => path);
}

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  md: "text/markdown; charset=utf-8",
};

describe("the page", () => {
  test("runs nothing but files of its own origin, and nothing may frame it", async () => {
    const { status, headers, text } = await get("/docs");
    expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: "text/html; charset=utf-8" });
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; " +
        "style-src 'self' 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    );
    expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });
    expect(headers["x-request-id"]).toBeTruthy();
    expect([...text.matchAll(/<script([^>]*)>([^<]*)/g)].map(([, , inline]) => inline)).toEqual(["", ""]);
    expect(text).not.toMatch(/\son\w+=|javascript:|\{\{|(?:src|href)="https?:/);
  });

  test("is asked for again each time, and answered with 304 while it is the same", async () => {
    const { headers } = await get("/docs");
    expect(headers).toMatchObject({ "cache-control": "no-cache", vary: "Accept-Encoding" });
    const etag = String(headers.etag);
    expect(await get("/docs", { "if-none-match": `"other", ${etag}` })).toMatchObject({ status: 304, text: "" });
    expect((await get("/docs", { "if-none-match": '"other"' })).status).toBe(200);
  });

  test("names each of its files by the hash of what is in it, so that it may be kept for a year", async () => {
    const paths = await pathsOfPage();
    expect(paths.map((path) => path.replace(/\.[0-9a-f]{12}\./, ".*.")).toSorted()).toEqual([
      "/docs/guides.*.md",
      "/docs/page.*.css",
      "/docs/page.*.js",
      "/docs/scalar.*.js",
    ]);
    for (const path of paths) {
      const { status, headers } = await get(path, { "accept-encoding": "gzip" });
      expect({ path, status, type: headers["content-type"] }).toEqual({
        path,
        status: 200,
        type: types[path.split(".").at(-1) ?? ""],
      });
      expect(headers["cache-control"]).toBe("public, max-age=31536000, immutable");
      expect(headers["x-content-type-options"]).toBe("nosniff");
    }
  });

  test("D42: has the signatures that its guide to webhooks links to", async () => {
    const guides = (await pathsOfPage()).find((path) => path.includes("guides")) ?? "";
    const [, path = ""] = /\((\/docs\/webhook-signatures\.[^)]+)\)/.exec((await get(guides)).text) ?? [];
    const { status, headers, text } = await get(path);
    expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: "application/json; charset=utf-8" });
    expect(text).toBe(readFileSync("shared/docs/guides/webhook-signatures.json", "utf8"));
  });

  test("answers a path that is none of its files with a problem, also one of an earlier build", async () => {
    for (const path of ["/docs/scalar.js", "/docs/scalar.000000000000.js", "/docs/__proto__", "/docs/..%2findex.mjs"]) {
      const { status, headers, text } = await get(path);
      expect({ path, status }).toEqual({ path, status: 404 });
      expect(headers).toMatchObject({
        "content-type": "application/problem+json; charset=utf-8",
        "cache-control": "no-store",
      });
      expect(JSON.parse(text).code).toBe("route_not_found");
    }
  });

  test("is where the bare address leads to", async () => {
    expect(await get("/")).toMatchObject({ status: 302, headers: { location: "/docs", "cache-control": "no-store" } });
  });
});

describe("Scalar's bundle", () => {
  test.each([
    ["gzip, deflate, br", "gzip"],
    ["br;q=1.0, gzip;q=0.2", "gzip"],
    ["*", "gzip"],
    ["gzip;q=0, *", undefined],
    ["br", undefined],
    ["", undefined],
  ])("to who accepts %j is answered in the encoding %s, whole, and within what Lambda takes", async (accepted, encoding) => {
    const path = (await pathsOfPage()).find((each) => each.includes("scalar")) ?? "";
    const { status, headers, text } = await get(path, { "accept-encoding": accepted });
    expect({ status, encoding: headers["content-encoding"] }).toEqual({ status: 200, encoding });
    expect(text.length).toBeGreaterThan(4_000_000);
    expect(text.startsWith("(function(){")).toBe(true);
    expect(text).toContain("window.Scalar={createApiReference");
  });
});
