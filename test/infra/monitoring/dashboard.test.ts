import { expect, test } from "vitest";
import { placeInRunbook } from "../../../infra/constructs/monitoring/runbook.ts";
import { metrics } from "../../../shared/metrics.ts";
import { useStack } from "../stack.ts";
import { alarmsOf, headingOf, headings, runbook } from "./named-alarms.ts";

const stack = await useStack();
const alarms = alarmsOf(stack);

test("the one dashboard shows every function, queue and metric of the service, and leads to every heading", () => {
  const [dashboard, ...others] = stack.all("AWS::CloudWatch::Dashboard");
  expect(others).toEqual([]);
  const body = JSON.stringify(dashboard?.properties.DashboardBody);
  const named = [...stack.functions().values()].map(({ properties }) => properties.FunctionName);
  const shown = [...stack.all("AWS::SQS::Queue").map(({ id }) => id), ...named].map((each) => `"${each}"`);
  const alarmHeadings = alarms.map(({ properties }) => String(headingOf(properties)));
  for (const { properties } of alarms) expect(body).toContain(`:alarm:${properties.AlarmName}`);
  // A release alone looks at the faults of a version.
  const lasting = Object.keys(metrics).filter((name) => name !== "VersionFaults");
  for (const each of [...shown, ...lasting, ...alarmHeadings]) expect(body.replaceAll("\\", "")).toContain(each);
});

test.each([
  "GetItem",
  "TransactGetItems",
  "TransactWriteItems",
])("the table's %s, which requests need, is on the dashboard and has alarms on its faults and throttles", (action) => {
  const [dashboard] = stack.all("AWS::CloudWatch::Dashboard");
  expect(JSON.stringify(dashboard?.properties.DashboardBody)).toContain(`\\"Operation\\",\\"${action}\\"`);
  const ids = alarms.map(({ properties }) => String(properties.AlarmName));
  for (const kind of ["fails", "throttles"])
    expect(ids).toContainEqual(expect.stringContaining(`table-${kind}-${action}`));
});

test("every function, queue and heading that the runbook names is there", () => {
  const namesIn = (pattern: RegExp) => [...runbook.matchAll(pattern)].map(([, name = ""]) => name);
  const queuesIn = (pattern: RegExp) =>
    namesIn(pattern).map((name) => [name, stack.all("AWS::SQS::Queue").filter(({ id }) => id.startsWith(name)).length]);
  const named = [
    ...namesIn(/\$\(fn ([a-z-]+)\)/g).map((name) => [name, stack.functions().has(name) ? 1 : 0]),
    ...queuesIn(/(?:queue|arn) ([A-Z]\w+)/g),
    ...queuesIn(/`([A-Z][a-z]+(?:DeadLetters|Queue))`/g),
  ];
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(([, found]) => found !== 1)).toEqual([]);
  const links = [...runbook.matchAll(/\]\((#[^)]+)\)/g)].map(([, anchor]) => `x${anchor}`);
  const anchors = headings.map((heading) => placeInRunbook(heading, { runbookUrl: "x" }));
  expect(links.filter((link) => !anchors.includes(link))).toEqual([]);
});

test("a stage that says where its runbook is read has links to the headings", () => {
  const runbookUrl = "https://code.harbour-logistics.co.uk/workforce/infra/RUNBOOK.md";
  expect(placeInRunbook("E-mails bounce", { runbookUrl })).toBe(`${runbookUrl}#e-mails-bounce`);
  expect(placeInRunbook("E-mails bounce", {})).toBe('infra/RUNBOOK.md, "E-mails bounce"');
});
