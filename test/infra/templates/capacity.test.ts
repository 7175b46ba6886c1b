import { expect, test } from "vitest";
import type { Area, FunctionRow } from "../../../infra/functions/function-row.ts";
import { type FunctionName, functions } from "../../../infra/functions/functions.ts";
import { type ServiceTable, service } from "../../../infra/functions/service-table.ts";
import { functionNameOf } from "../../../infra/stages/names.ts";
import type { Template, WholeTemplate } from "../../../infra/whole-template.ts";
import { getHealth } from "../../../shared/contract/service.ts";
import { usualOrFull } from "../../support/service/counts.ts";
import { countResources, findSynthesis, readStack, type Statement, synthesizeAlone } from "../stack.ts";
import { everyStage } from "../synthesize-stages.ts";

const made = usualOrFull(80, 200);
/** The most that a template may hold, well below the limits of CloudFormation: 500 resources, 1 MB, 200 parameters and outputs. */
const most = { resources: 400, bytes: 900_000, parameters: 200, outputs: 200 };
const mostPolicyCharacters = 10_000;
/** At least as long as a partition, a region and an account; and as the ARN of a function, a queue, a secret or an index. */
const longest = { pseudoParameter: 14, arn: 130 };

const openRow = {
  readsHmacKey: true,
  sendsTo: ["pins", "notices"],
  signsTokens: true,
  settings: ["defaultCountry", "servedCountries", "registration"],
  table: ["GetItem", "PutItem", "UpdateItem", "DeleteItem"],
} as const;

const signedInRow = {
  verifiesTokens: true,
  readsHmacKey: true,
  sendsTo: ["notifications"],
  table: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
  indexes: ["by-state", "by-company", "by-month", "by-company-month", "by-mark"],
} as const;

const areas = [...new Set(service.operations.map(({ name }) => functions[name as FunctionName].area))];
const spread = tableOf((at) => areas[at % areas.length] ?? "service");
const inOneArea = tableOf(() => "accounts");

const cases = everyStage.flatMap((stage) => [
  { name: stage.name, how: "spread over the areas", stage, table: spread },
  { name: stage.name, how: "all in one area", stage, table: inOneArea },
]);
/** The last synthesis of each stage with more operations. */
const enlarged = new Map<string, WholeTemplate>();
// The last one makes the largest templates of all.
const chosenCases = usualOrFull(cases.slice(-1), cases);

test.each(chosenCases)(`$name has capacity for ${made} operations more, $how`, ({ name, stage, table }) => {
  const synthesis = synthesizeAlone({ stage, service: table });
  enlarged.set(name, synthesis);
  const before = findSynthesis(name);
  expect(countOf(synthesis, "AWS::Lambda::Function")).toBe(countOf(before, "AWS::Lambda::Function") + made);
  expect(countOf(synthesis, "AWS::ApiGatewayV2::Route")).toBe(countOf(before, "AWS::ApiGatewayV2::Route") + made);
  expect(Object.keys(synthesis.template.Resources)).toHaveLength(countResources(synthesis.parts));
  for (const [file, template] of Object.entries(synthesis.parts)) {
    const size = sizeOf(template);
    for (const [key, limit] of Object.entries(most))
      expect(Reflect.get(size, key), `${file} ${key}`).toBeLessThan(limit);
  }
  for (const [role, statements] of readStack(synthesis.template).rights())
    expect(charactersOf(statements), role).toBeLessThan(mostPolicyCharacters);
}, 120_000);

test.each(everyStage)("$name as it stands has twelve templates at most, each half as large as it may be", ({
  name,
}) => {
  const { parts } = findSynthesis(name);
  const sizes = Object.entries(parts).map(([file, template]) => ({ file, ...sizeOf(template) }));
  // The nested stacks themselves are half of what stands in the root for each function, and there are eleven at most.
  expect(sizes.length).toBeLessThanOrEqual(12);
  for (const { file, resources } of sizes) expect(resources, file).toBeLessThan(most.resources / 2);
});

test("an operation that is added moves no other to another stack, and neither does a new area", () => {
  expect(enlarged.size).toBeGreaterThan(0);
  for (const [name, synthesis] of enlarged) {
    const [before, after] = [findSynthesis(name), synthesis].map(stacksOf);
    // Workers of events are on stages that send some; CloudFront's functions and the CDK's own have no operation.
    expect([...(before?.keys() ?? [])]).toEqual(expect.arrayContaining(service.operations.map((each) => each.name)));
    for (const [operation, stack] of before ?? []) expect(after?.get(operation), operation).toBe(stack);
  }
});

test("the longest stage has names for every function that Lambda takes", () => {
  for (const name of Object.keys(functions)) {
    expect(functionNameOf("x".repeat(20), name).length, name).toBeLessThanOrEqual(64);
  }
});

/** The service with operations made up beside its own: half with a canary, half without a token. */
function tableOf(areaOf: (at: number) => Area): ServiceTable {
  const names = Array.from({ length: made }, (_, at) => `made-up-${at}`);
  const rows = names.map((name, at): [string, FunctionRow] => {
    const isOpen = at % 4 < 2;
    return [
      name,
      {
        area: areaOf(at),
        impact: `Nobody can do ${name}.`,
        ...(at % 2 === 0 && { canary: true }),
        ...(isOpen ? openRow : signedInRow),
      },
    ];
  });
  const operations = names.map((name, at) => ({
    ...getHealth,
    answersHead: false,
    name,
    path: `/api/v1/made_up/${name}/{id}` as const,
    access: at % 4 < 2 ? ("anyone" as const) : (["admin"] as const),
  }));
  return {
    operations: [...service.operations, ...operations],
    functions: { ...service.functions, ...Object.fromEntries(rows) },
  };
}

function countOf({ template }: WholeTemplate, type: string): number {
  return Object.values(template.Resources).filter(({ Type }) => Type === type).length;
}

/** The most characters of a role's rights in ARNs and the like, where the template has references. */
function charactersOf(statements: readonly Statement[]): number {
  return JSON.stringify(statements, (_, value) => {
    const { Ref, "Fn::GetAtt": attribute, "Fn::Join": join } = value ?? {};
    if (Ref?.startsWith("AWS::")) return "x".repeat(longest.pseudoParameter);
    return Ref || attribute ? "x".repeat(longest.arn) : (join?.[1] ?? value);
  }).length;
}

function sizeOf(template: Template) {
  return {
    resources: Object.keys(template.Resources).length,
    // As the CDK writes it.
    bytes: Buffer.byteLength(JSON.stringify(template, null, 1)),
    parameters: Object.keys(template.Parameters ?? {}).length,
    outputs: Object.keys(template.Outputs ?? {}).length,
  };
}

function stacksOf({ parts }: WholeTemplate): Map<string, string> {
  return new Map(
    Object.entries(parts).flatMap(([file, { Resources }]) =>
      Object.values(Resources).flatMap(({ Properties }): [string, string][] => {
        const { Variables } = (Properties?.Environment ?? {}) as { Variables?: { OPERATION?: string } };
        return Variables?.OPERATION ? [[Variables.OPERATION, file]] : [];
      }),
    ),
  );
}
