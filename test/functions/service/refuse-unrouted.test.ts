import { beforeAll, expect, onTestFinished, test, vi } from "vitest";
import { handler } from "../../../functions/service/refuse-unrouted.ts";
import type { Operation } from "../../../shared/contract/operation.ts";
import { operations } from "../../../shared/contract/operations.ts";
import { call } from "../../support/requests/call.ts";

beforeAll(() => {
  process.env.REGISTRATION = "open";
});

test("D16: where registration is closed, its path does not exist for any method", async () => {
  process.env.REGISTRATION = "closed";
  expect(await request("GET", "/api/v1/users")).toMatchObject({ status: 404, body: { code: "route_not_found" } });
  process.env.REGISTRATION = "open";
  expect(await request("GET", "/api/v1/users")).toMatchObject({ status: 405, headers: { allow: "POST" } });
});

test("D46: on a stage with an external issuer the paths of API keys do not exist for any method", async () => {
  const paths = ["/api/v1/users/keys", "/api/v1/users/keys/7"];
  for (const path of paths) expect((await request("PUT", path)).status).toBe(405);
  vi.stubEnv("OIDC_ISSUER", JSON.stringify({ issuer: "https://issuer.example" }));
  onTestFinished(() => void vi.unstubAllEnvs());
  for (const path of paths) expect(await request("PUT", path)).toMatchObject({ status: 404 });
});

function request(method: string, path: string) {
  return call(handler, { method, path } as unknown as Operation);
}

/** Whether a request for a path may take the route of a template, as API Gateway matches them. */
function takes(template: string, path: string): boolean {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(path);
}

test.each([
  ...new Set(operations.map(({ path }) => path.replaceAll(/\{\w+\}/g, "7"))),
])("405: another method on %s is refused and the methods are named that any template it fits takes", async (path) => {
  const operationsAt = operations.filter((operation) => takes(operation.path, path));
  const taking = operationsAt.flatMap(({ method, answersHead }) => [method, ...(answersHead ? ["HEAD"] : [])]);
  const answer = await request("TRACE", path);
  expect(answer).toMatchObject({ status: 405, body: { code: "method_not_allowed", instance: path } });
  expect(answer.headers.allow).toBe([...new Set(taking)].toSorted().join(", "));
});

test("D13, D31: HEAD is taken by what monitors ask, and by nothing that writes, spends a pin or needs a token", async () => {
  const taking = operations.filter(({ answersHead }) => answersHead);
  expect(taking.map(({ name }) => name).toSorted()).toEqual(["get-health", "get-key-set", "get-openapi"]);
  for (const { name, method, access } of taking) expect([name, method, access]).toEqual([name, "GET", "anyone"]);
  for (const path of ["/api/v1/jobs", "/api/v1/users/me", "/api/v1/users/confirmation"]) {
    expect((await request("HEAD", path)).status, path).toBe(405);
  }
});

test.each([
  "/",
  "/api/v1",
  "/api/v1/",
  "/api/v1//",
  "//",
  "/api/v2/health/",
  "/api/v1/finance//invoice",
  "/api/v2/health",
  "/api/v1/users/%2e%2e/health",
  "/\ud800",
])("404: the unknown path %j is refused", async (path) => {
  const answer = await request("GET", path);
  expect(answer).toMatchObject({ status: 404, body: { code: "route_not_found", status: 404, detail: "Not found" } });
  expect(answer.headers["content-type"]).toBe("application/problem+json; charset=utf-8");
});

test.each([
  ...new Set(operations.map(({ path }) => path.replaceAll(/\{\w+\}/g, "7"))),
])("D31: %s with slashes too many is 404 for every method, and names it", async (path) => {
  const parts = path.split("/").slice(1);
  const doubled = parts.map((_, at) => `/${parts.with(at, `/${parts[at]}`).join("/")}`);
  for (const sent of [`${path}/`, `${path}//`, path.replaceAll("/", "///"), ...doubled, `/${path}/`]) {
    for (const method of ["GET", "PATCH"]) {
      const detail = `Not found: a slash is too many, the path is ${path}`;
      expect(await request(method, sent)).toMatchObject({ status: 404, body: { detail, instance: sent } });
    }
  }
});

test("D16, D31: where registration is closed, its path is not named either", async () => {
  process.env.REGISTRATION = "closed";
  expect(await request("POST", "/api/v1/users/")).toMatchObject({ status: 404, body: { detail: "Not found" } });
  process.env.REGISTRATION = "open";
  const detail = expect.stringContaining("/api/v1/users");
  expect(await request("POST", "/api/v1/users/")).toMatchObject({ status: 404, body: { detail } });
});
