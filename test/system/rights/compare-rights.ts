import { isDeepStrictEqual } from "node:util";
import { matches } from "../../infra/stack.ts";
import type { NeededRight } from "./needed-rights.ts";
import type { RecordedNeed } from "./recordings.ts";
import type { Condition, FunctionRights, GivenRight } from "./role-rights.ts";

/** Rights that Lambda uses in a function's name, by purpose: no test can need them of the function itself. */
const usedByLambda: Readonly<Record<string, readonly string[]>> = {
  "to write its log lines": ["logs:CreateLogStream", "logs:PutLogEvents"],
  "to trace its calls": ["xray:PutTraceSegments", "xray:PutTelemetryRecords"],
  "to read the table's stream for it": [
    "dynamodb:DescribeStream",
    "dynamodb:GetRecords",
    "dynamodb:GetShardIterator",
    "dynamodb:ListStreams",
  ],
  "to take its queue's messages for it": ["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"],
};

const lambdaActions = new Set(Object.values(usedByLambda).flat());

/** Rights that SNS asks for in the role's name: nobody else can use them, if the statement has the condition that says so. */
const askedForBySns = {
  actions: /^sms-voice:/,
  condition: { operator: "StringEquals", key: "aws:CalledViaLast", values: ["sns.amazonaws.com"] },
} as const;

/** Whether a right is used by AWS in the role's name alone. */
function isUsedByAws(action: string, { conditions }: GivenRight): boolean {
  const isViaSns = conditions.some((each) => isDeepStrictEqual(each, askedForBySns.condition));
  return lambdaActions.has(action) || (isViaSns && askedForBySns.actions.test(action));
}

/** The faults of the roles, a line each: calls that they do not allow, and rights that no call needs. */
export interface RightsReport {
  readonly missing: readonly string[];
  readonly unused: readonly string[];
}

/** Compares what functions needed with what their roles give them. */
export function compareRights(functions: readonly FunctionRights[], needs: readonly RecordedNeed[]): RightsReport {
  const needsOf = (name: string) => needs.filter(({ caller }) => caller === name);
  const reports = functions.map((fn) => compareFunction(fn, needsOf(fn.caller)));
  const strangers = needs.filter(({ caller }) => functions.every((fn) => fn.caller !== caller));
  return {
    missing: [...new Set([...reports.flatMap(({ missing }) => missing), ...strangers.map(describeMissing)])],
    unused: reports.flatMap(({ unused }) => unused),
  };
}

function compareFunction({ caller, settings, given }: FunctionRights, needs: readonly NeededRight[]): RightsReport {
  const resolved = needs.map((need) => resolve(need, settings));
  const used = resolved.map((need) => ({ need, by: narrowest(given.filter((each) => allows(each, need))) }));
  const missing = used.flatMap(({ need, by }) => (by ? [] : [describeMissing({ caller, ...need })]));
  const unused = given.flatMap((each) => {
    const needed = used.filter(({ by }) => by === each).map(({ need }) => need);
    const actions = each.actions.filter((action) => !isUsedByAws(action, each));
    const idle = actions.filter((action) => needed.every((need) => need.action !== action));
    const isSpared = (pattern: string) => needed.every(({ resource }) => !matches(pattern, resource));
    const spared = each.isAllBut || actions.length === idle.length ? [] : each.resources.filter(isSpared);
    return [
      ...idle.map((action) => neverNeeded(caller, action, describeResources(each))),
      ...spared.map((resource) => neverNeeded(caller, actions.join(", "), resource)),
    ];
  });
  return { missing, unused };
}

function describeMissing({ caller, action, resource }: RecordedNeed): string {
  return `${caller} calls ${action} on ${resource}, which its role does not allow`;
}

function neverNeeded(caller: string, action: string, resource: string): string {
  return `${caller} may ${action} on ${resource}, which no test ever needs`;
}

function describeResources({ resources, isAllBut, conditions }: GivenRight): string {
  const where = conditions.map(({ key, values }) => ` where ${key} is ${values.join(" or ")}`);
  return `${isAllBut ? "all but " : ""}${resources.join(", ")}${where.join("")}`;
}

/** A call that a right with conditions allows says nothing for the same right without. */
function narrowest(rights: readonly GivenRight[]): GivenRight | undefined {
  return rights.find(({ conditions }) => conditions.length > 0) ?? rights[0];
}

function allows({ actions, resources, isAllBut, conditions }: GivenRight, need: NeededRight): boolean {
  const isNamed = resources.some((pattern) => matches(pattern, need.resource));
  return actions.includes(need.action) && isNamed !== isAllBut && conditions.every((each) => holds(each, need));
}

function holds({ operator, key, values }: Condition, { context }: NeededRight): boolean {
  const present = context[key] ?? [];
  const areAllowed = present.every((value) => values.includes(value));
  if (operator === "ForAllValues:StringEquals") return areAllowed;
  if (operator === "ForAllValues:StringLike") {
    return present.every((value) => values.some((pattern) => matches(pattern, value)));
  }
  if (operator === "ForAllValues:StringNotLike") {
    return present.every((value) => !values.some((pattern) => matches(pattern, value)));
  }
  if (operator === "StringEquals") return present.length === 1 && areAllowed;
  if (operator === "Null") return values.includes(String(present.length === 0));
  throw new Error(`No test knows what the condition ${operator} means`);
}

/** Puts what a function's settings name in place of the settings. */
function resolve({ action, resource, context }: NeededRight, settings: FunctionRights["settings"]): NeededRight {
  const named = (text: string) => text.replaceAll(/<([A-Z_]+)>/g, (setting, name) => settings[name] ?? setting);
  const entries = Object.entries(context).map(([key, values]) => [key, values.map(named)] as const);
  return { action, resource: named(resource), context: Object.fromEntries(entries) };
}
