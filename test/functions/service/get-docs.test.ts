import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { gunzipSync } from "node:zlib";
import type { Context } from "aws-lambda";
import { describe, expect, test } from "vitest";
import type { PageFile } from "../../../functions/service/docs-page.ts";
import { arazzoOf, payingNeedsAPerson } from "../../../infra/document/journeys.ts";
import { pageDefine } from "../../../infra/document/page-build.ts";
import { bundleFile } from "../../../infra/functions/bundle-places.ts";
import { callAsParts } from "../../../infra/local/builds/builds.ts";
import { gatewayAnswer } from "../../../infra/runtime/gateway/gateway-answer.ts";
import type { Operation } from "../../../shared/contract/operation.ts";
import { operations } from "../../../shared/contract/operations.ts";
import { getOpenapi } from "../../../shared/contract/service.ts";
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
  /** The length of the body as it is sent. */
  bytes: number;
}

/** The answer that a browser receives from API Gateway. */
async function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Received> {
  const event = await eventOf({ method, path } as unknown as Operation, { headers });
  const { status, body, ...given } = gatewayAnswer(await handler(event, { awsRequestId: "lambda-request" } as Context));
  const isCompressed = given.headers["content-encoding"] === "gzip";
  return { status, headers: given.headers, text: String(isCompressed ? gunzipSync(body) : body), bytes: body.length };
}

/** The paths of the files that a page names. */
async function pathsOf(page: string): Promise<string[]> {
  const { text } = await get(page);
  return [...text.matchAll(/(?:src|<link[^>]* href)="(\/docs\/[^"]+\.\w+)"/g)].map(([, path = ""]) => path);
}

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

const pages = ["/docs", "/docs/reference"];

describe("the pages", () => {
  test.each([
    ["/docs", "'self'"],
    ["/docs/reference", "'self' 'unsafe-inline'"],
  ])("%s runs nothing but files of its own origin, takes styles from %s, and nothing may frame it", async (path, styles) => {
    const { status, headers, text } = await get(path);
    expect({ status, type: headers["content-type"] }).toEqual({ status: 200, type: "text/html; charset=utf-8" });
    expect(headers["content-security-policy"]).toBe(
      "default-src 'none'; script-src 'self'; connect-src 'self'; img-src 'self' data:; font-src 'self'; " +
        `style-src ${styles}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'`,
    );
    expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "referrer-policy": "no-referrer" });
    expect(headers["x-request-id"]).toBeTruthy();
    expect([...text.matchAll(/<script([^>]*)>([^<]+)/g)]).toEqual([]);
    expect(text).not.toMatch(/\son\w+=|\sstyle=|javascript:|\{\{|<!--|src="https?:|<link[^>]*href="https?:/);
  });

  test("are at most 30 KB with all that the guides load, and name no file of the reference's", async () => {
    const paths = ["/docs", ...(await pathsOf("/docs"))];
    expect(paths.length).toBe(3);
    const sizes = await Promise.all(paths.map(async (path) => (await get(path, { "accept-encoding": "gzip" })).bytes));
    expect(sizes.reduce((sum, each) => sum + each, 0)).toBeLessThan(30_000);
  });

  test("have every guide in them, the first call before the others", async () => {
    const { text } = await get("/docs");
    const titles = [...text.matchAll(/<h2 id="([\w-]+)">/g)].map(([, id]) => id);
    expect(titles.length).toBeGreaterThan(10);
    expect(titles[0]).toBe("first-call");
    // The second, the ninth and the tenth.
    expect(titles.filter((id) => ["events", "client", "register"].includes(id ?? ""))).toEqual([
      "register",
      "client",
      "events",
    ]);
    for (const id of titles) expect(text).toContain(`<a href="#${id}">`);
    expect(text).toContain('<h2 id="first-call">');
    expect(text).toContain('<h3 id="events-receive-them">');
    expect(text).toContain("&lt;");
    expect(text).not.toContain("json journey");
  });

  test("offer to call as somebody on the local machine alone: no part of that is in a deployed bundle", async () => {
    const code = readFileSync(bundleFile(await builtBundles(), "get-docs"), "utf8");
    const texts = await Promise.all(
      [...pages, ...(await pathsOf("/docs")), ...(await pathsOf("/docs/reference"))].map(
        async (path) => (await get(path)).text,
      ),
    );
    for (const part of ["/_local/call-as", "call-as", "Call as", "desk-token"]) {
      expect(code).not.toContain(part);
      for (const text of texts) expect(text.replaceAll("<em>Call as</em>", "").includes(part), part).toBe(false);
    }
    const local = JSON.parse(JSON.parse(pageDefine(callAsParts).DOCS_FILES)) as PageFile[];
    const htmlOf = (path: string) =>
      gunzipSync(Buffer.from(local.find((file) => file.path === path)?.gzip ?? "", "base64"));
    for (const path of pages) expect(String(htmlOf(path))).toContain('<script src="/_local/call-as.js" type="module">');
    expect(String(htmlOf("/docs"))).toContain(`</section>\n${callAsParts.slot}\n<section aria-labelledby="`);
  });

  test.each([
    "/docs",
    "/docs/reference",
    "/docs/guides.md",
    "/arazzo.json",
    "/llms.txt",
  ])("%s is asked for again each time", async (path) => {
    const { headers } = await get(path);
    expect(headers).toMatchObject({ "cache-control": "no-cache", vary: "Accept-Encoding" });
  });

  test("name each of their files by the hash of what is in it, so that it may be kept for a year", async () => {
    const paths = [...(await pathsOf("/docs")), ...(await pathsOf("/docs/reference"))];
    expect(paths.map((path) => path.replace(/\.[0-9a-f]{12}\./, ".*.")).toSorted()).toEqual([
      "/docs/guides.*.css",
      "/docs/guides.*.js",
      "/docs/reference.*.css",
      "/docs/reference.*.js",
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

  test("answer a path that is none of their files with a problem, also one of an earlier build", async () => {
    for (const path of [
      "/docs/scalar.js",
      "/docs/scalar.000000000000.js",
      "/docs/__proto__",
      "/docs/..%2findex.mjs",
      "/docs/arazzo.json",
    ]) {
      const { status, headers, text } = await get(path);
      expect({ path, status }).toEqual({ path, status: 404 });
      expect(headers).toMatchObject({
        "content-type": "application/problem+json; charset=utf-8",
        "cache-control": "no-store",
      });
      expect(JSON.parse(text).code).toBe("route_not_found");
    }
  });

  test.each([
    ...["/", "/docs", "/docs/reference", "/docs/guides.md", "/llms.txt", "/arazzo.json"],
  ])("D31: %s takes GET and HEAD; another method is refused by name", async (path) => {
    expect((await get(path, {}, "HEAD")).status).toBe((await get(path)).status);
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      const { status, headers, text } = await get(path, {}, method);
      expect({ status, allow: headers.allow }, method).toEqual({ status: 405, allow: "GET, HEAD" });
      expect(JSON.parse(text)).toMatchObject({ code: "method_not_allowed", instance: path });
    }
    expect((await get("/docs/nothing", {}, "POST")).status).toBe(404);
  });

  test("are where the bare address leads to", async () => {
    expect(await get("/")).toMatchObject({ status: 302, headers: { location: "/docs", "cache-control": "no-store" } });
  });
});

describe("the documents for programs", () => {
  test("llms.txt names every operation, and files that are there", async () => {
    const { headers, text } = await get("/llms.txt");
    expect(headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(text).toMatch(/^# Workforce API\n\n> /);
    for (const { name, method, path } of operations) expect(text).toContain(`- ${name}: \`${method} ${path}\``);
    const links = [...text.matchAll(/\]\(([^)#]+)/g)].map(([, path = ""]) => path);
    for (const path of links.filter((each) => each !== getOpenapi.path))
      expect((await get(path)).status, path).toBe(200);
    expect(text).toContain(payingNeedsAPerson);
  });

  test("arazzo.json has the guides' journeys, whose steps are operations, and says that a person pays", async () => {
    const { headers, text } = await get("/arazzo.json");
    expect(headers["content-type"]).toBe("application/json; charset=utf-8");
    const { arazzo, info, workflows } = JSON.parse(text);
    expect([arazzo, info.description]).toEqual(["1.0.1", payingNeedsAPerson]);
    const ids = workflows.map(({ workflowId }: { workflowId: string }) => workflowId);
    expect(ids).toEqual([
      "sign-in-and-refresh",
      "register",
      "page-through-invoices",
      "pay-and-undo",
      "register-a-device",
    ]);
    const page = await get("/docs");
    for (const id of ids) expect(page.text).toContain(`<code>${id}</code>`);
    const step = { stepId: "pay", operationId: "pay-nobody", description: "Pays." };
    expect(() => arazzoOf([{ workflowId: "one", summary: "One.", steps: [step] }])).toThrow("pay-nobody");
  });

  test("a journey that signs in by a step of its own names what it is given", () => {
    const step = { stepId: "register", operationId: "register-user", description: "Registers." };
    const { workflows } = JSON.parse(
      JSON.stringify(arazzoOf([{ workflowId: "one", summary: "One.", inputs: ["new_login", "pin"], steps: [step] }])),
    );
    expect(workflows).toMatchObject([{ inputs: { required: ["new_login", "pin"] }, steps: [{ stepId: "register" }] }]);
    expect(workflows[0].steps[0].parameters).toBeUndefined();
  });

  test("a journey begins with the sign-in, whose token the steps send, each parameter in its place", () => {
    const pay = {
      stepId: "pay",
      operationId: "bulk-update-timesheets",
      description: "Pays.",
      parameters: { "Idempotency-Key": "key" },
      body: { timesheet_ids: [1] },
      conditions: ["$response.body#/x == 1"],
    };
    const see = { stepId: "see", operationId: "get-invoice", description: "Sees.", parameters: { id: 1 }, status: 404 };
    const list = { stepId: "list", operationId: "get-health", description: "Asks.", parameters: { page: 2 } };
    const { workflows } = JSON.parse(
      JSON.stringify(arazzoOf([{ workflowId: "one", summary: "One.", steps: [pay, see, list] }])),
    );
    const [signIn, ...steps] = workflows[0].steps;
    expect(Object.keys(signIn.outputs)).toEqual(["access_token", "refresh_token"]);
    expect([signIn.parameters, signIn.requestBody.contentType]).toEqual([undefined, "application/json"]);
    const token = { name: "Authorization", in: "header", value: "Bearer {$steps.sign-in.outputs.access_token}" };
    expect(steps).toMatchObject([
      {
        parameters: [token, { name: "Idempotency-Key", in: "header", value: "key" }],
        requestBody: { payload: pay.body },
        successCriteria: [{ condition: "$statusCode == 200" }, { condition: "$response.body#/x == 1" }],
      },
      {
        parameters: [token, { name: "id", in: "path", value: 1 }],
        successCriteria: [{ condition: "$statusCode == 404" }],
      },
      { parameters: [{ name: "page", in: "query", value: 2 }], successCriteria: [{ condition: "$statusCode == 200" }] },
    ]);
    expect(steps.filter((step: object) => "requestBody" in step)).toHaveLength(1);
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
    const path = (await pathsOf("/docs/reference")).find((each) => each.includes("scalar")) ?? "";
    const { status, headers, text } = await get(path, { "accept-encoding": accepted });
    expect({ status, encoding: headers["content-encoding"] }).toEqual({ status: 200, encoding });
    expect(text.length).toBeGreaterThan(4_000_000);
    expect(text.startsWith("(function(){")).toBe(true);
    expect(text).toContain("window.Scalar={createApiReference");
  });
});
