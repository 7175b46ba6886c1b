import { operations } from "../../shared/contract/operations.ts";
import { describeInterface } from "./document.ts";

/** The language of a guide's code block with a journey. */
export const journeyLanguage = "json journey";

/** A step of a journey, in the terms of Arazzo; the build adds what every step has. */
interface JourneyStep {
  readonly stepId: string;
  readonly operationId: string;
  readonly description: string;
  /** Values by the names of parameters, whose place is in the OpenAPI document. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  readonly status?: number;
  readonly conditions?: readonly string[];
  readonly outputs?: Readonly<Record<string, string>>;
}

/** Steps that a guide leads through. */
export interface Journey {
  readonly workflowId: string;
  readonly summary: string;
  /** The names of what it is given, of a journey that signs in by a step of its own; the others begin with a sign-in. */
  readonly inputs?: readonly string[];
  readonly steps: readonly JourneyStep[];
}

/** The rule on who pays for a person's work: the same words in the Arazzo file and in llms.txt. */
export const payingNeedsAPerson =
  "Paying timesheets and undoing changes need the passcode of a person who has one: a program asks that person each time, sends it as " +
  "`passcode` in the same request, and never stores it.";

export function readJourney(text: string): Journey {
  return JSON.parse(text) as Journey;
}

const signIn: JourneyStep = {
  stepId: "sign-in",
  operationId: "sign-in",
  description: "Signs in.",
  body: { user: { login: "$inputs.login", password: "$inputs.password" } },
  outputs: { access_token: "$response.body#/token/access_token", refresh_token: "$response.body#/token/refresh_token" },
};

/** The journeys as an Arazzo document, its sources relative to `/arazzo.json`. Throws at a step that the contract lacks. */
export function arazzoOf(journeys: readonly Journey[]): object {
  const { info } = describeInterface();
  return {
    arazzo: "1.0.1",
    info: { title: `${info.title}: journeys of the guides`, version: info.version, description: payingNeedsAPerson },
    sourceDescriptions: [{ name: "workforce", url: "./api/v1/openapi.json", type: "openapi" }],
    workflows: journeys.map(({ workflowId, summary, inputs, steps }) => ({
      workflowId,
      summary,
      inputs: textsOf(inputs ?? ["login", "password"]),
      steps: (inputs ? steps : [signIn, ...steps]).map(arazzoStep),
    })),
  };
}

function textsOf(names: readonly string[]): object {
  const properties = Object.fromEntries(names.map((name) => [name, { type: "string" }]));
  return { type: "object", properties, required: names };
}

function arazzoStep(step: JourneyStep): object {
  const { stepId, operationId, description, parameters = {}, body, status = 200, conditions = [], outputs } = step;
  const operation = operations.find(({ name }) => name === operationId);
  if (!operation) throw new Error(`The journey's step ${stepId} names an operation that is not there: ${operationId}`);
  const bearer = operation.access === "anyone" ? {} : { Authorization: "Bearer {$steps.sign-in.outputs.access_token}" };
  const given = Object.entries({ ...bearer, ...parameters });
  return {
    stepId,
    operationId,
    description,
    ...(given.length > 0 && {
      parameters: given.map(([name, value]) => ({ name, in: placeOf(name, operation.path), value })),
    }),
    ...(body !== undefined && { requestBody: { contentType: "application/json", payload: body } }),
    successCriteria: [`$statusCode == ${status}`, ...conditions].map((condition) => ({ condition })),
    outputs,
  };
}

/** A parameter of the path is in it by its name; headers begin with a capital letter, queries do not. */
function placeOf(name: string, path: string): "path" | "header" | "query" {
  if (path.includes(`{${name}}`)) return "path";
  return /^[A-Z]/.test(name) ? "header" : "query";
}
