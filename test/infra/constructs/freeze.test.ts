import { describe, expect, test } from "vitest";
import { getHealth, getKeySet } from "../../../shared/contract/service.ts";
import { readStack, stackOf, synthesizeAlone } from "../stack.ts";
import { ownedStage } from "../stages/owned-stage.ts";

const stage = ownedStage("prod");
const live = stackOf("prod");
/** With the table's usual name, which a stage may also give. */
const tableName = "workforce-prod-records";
const frozen = readStack(synthesizeAlone({ stage: { ...stage, frozen: true, tableName } }));

describe("a frozen stage", () => {
  test.each([
    ["frozen", frozen, false, "DISABLED"],
    ["live", live, true, "ENABLED"],
  ] as const)("%s: messages, changes of the stream and schedules are let through or not, in so many words", (_, {
    all,
  }, Enabled, State) => {
    for (const { id, properties } of all("AWS::Lambda::EventSourceMapping"))
      expect(properties.Enabled, id).toBe(Enabled);
    for (const { id, properties } of all("AWS::Scheduler::Schedule")) expect(properties.State, id).toBe(State);
    expect(all("AWS::Scheduler::Schedule").length).toBe(2);
  });

  test("lets no request through but those for health and the key set, which keep their limits", () => {
    const [before, after] = [live, frozen].map(({ one }) => one("AWS::ApiGatewayV2::Stage").properties);
    const none = { ThrottlingRateLimit: 0, ThrottlingBurstLimit: 0 };
    const open = [getHealth, getKeySet].flatMap(({ path }) => [`GET ${path}`, `HEAD ${path}`]);
    const { requestsPerSecond: ThrottlingRateLimit, burst: ThrottlingBurstLimit } = stage.throttle;
    const all = { ThrottlingRateLimit, ThrottlingBurstLimit };
    expect(before?.DefaultRouteSettings).toMatchObject(all);
    expect(after?.DefaultRouteSettings).toEqual({ ...before?.DefaultRouteSettings, ...none });
    const routes = Object.keys(before?.RouteSettings);
    expect(Object.keys(after?.RouteSettings)).toEqual(routes);
    expect(routes.length).toBeGreaterThan(open.length);
    for (const route of routes) expect(after?.RouteSettings[route], route).toEqual(open.includes(route) ? all : none);
    for (const route of open) expect(before?.RouteSettings[route], route).toEqual(all);
    // The check from outside asks for it.
    expect(open).toContain("GET /api/v1/health");
  });

  test("changes no function, version or alias: it waits for no canary", () => {
    for (const type of ["AWS::Lambda::Function", "AWS::Lambda::Version", "AWS::Lambda::Alias"])
      expect(frozen.all(type), type).toEqual(live.all(type));
  });

  test("is no fault that anybody is notified of: neither API Gateway's 429 nor a full queue, as long as it is frozen", () => {
    const types = ["AWS::CloudWatch::Alarm", "AWS::CloudWatch::CompositeAlarm"];
    for (const { id, properties } of types.flatMap(frozen.all)) expect(properties.ActionsEnabled, id).toBe(false);
    for (const { id, properties } of types.flatMap(live.all)) expect(properties.ActionsEnabled, id).not.toBe(false);
  });
});

test("a restored table is another resource of the stack under its own name; everything points to it", () => {
  const restored = readStack(synthesizeAlone({ stage: { ...stage, tableName: `${tableName}-2` } }));
  const [before, after] = [live, restored].map(({ one }) => one("AWS::DynamoDB::GlobalTable"));
  expect(after?.properties.TableName).toBe(`${tableName}-2`);
  expect(after?.id).not.toBe(before?.id);
  expect(after?.id).toMatch(/^Records2/);
  expect(before?.id).toMatch(/^RecordsTable/);
  expect(JSON.stringify(restored.template)).not.toMatch(new RegExp(`workforce-prod-records(?!-2)|"${before?.id}"`));
  expect(frozen.one("AWS::DynamoDB::GlobalTable").id).toBe(before?.id);
});
