import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import type { Stage } from "./stage-shape.ts";

/** The stage to try things on: it is deleted with its data. */
const dev: Stage = {
  name: "dev",
  serviceName: "Workforce",
  senderAddress: "no-reply@workforce.example",
  senderIdentity: "address",
  defaultCountry: "GB",
  servedCountries: ["GB", "GG", "IM", "JE", "IE"],
  recoveryDisclosure: "masked",
  registration: "closed",
  smsMostDollars: 0.25,
  smsCeilings: { perDay: 300 },
  mailCeilings: { perDay: 3_000 },
  businessTimeZone: "Europe/London",
  origins: ["http://localhost:5173"],
  throttle: { requestsPerSecond: 100, burst: 200 },
  anonymousThrottle: { requestsPerSecond: 10, burst: 20 },
  logRetentionDays: 14,
  removal: "delete",
  deletionProtection: false,
  deployment: "at-once",
};

/**
 * Prod, smaller and with addresses of its own: releases, backups and the edge are tried here first. Replace the addresses
 * of workforce.example with yours, and name an edge, or "none".
 */
const staging: Stage = {
  ...dev,
  name: "staging",
  // In an account with prod, this stage needs a domain of its own: SES has only one identity for each.
  senderAddress: "no-reply@staging.workforce.example",
  senderIdentity: "domain",
  origins: ["https://staging.workforce.example"],
  // Five times what a firewall lets one address through, so that nobody alone keeps others from signing in.
  anonymousThrottle: { requestsPerSecond: 25, burst: 50 },
  logRetentionDays: 30,
  removal: "keep",
  deletionProtection: true,
  backupKeptDays: 14,
  deployment: "canary",
  alarmAddress: "on-call@workforce.example",
};

/** The stage that people depend on. Replace the address of workforce.example with yours. */
const prod: Stage = {
  ...staging,
  name: "prod",
  senderAddress: "no-reply@workforce.example",
  // 80 dollars a day at most. To use up 90 %, somebody needs 31 addresses and a list of users' numbers (D11).
  smsCeilings: { perDay: 2_000 },
  // Two dollars a day, and less than half of a new account's quota in SES.
  mailCeilings: { perDay: 20_000 },
  origins: ["https://app.workforce.example"],
  throttle: { requestsPerSecond: 1_000, burst: 2_000 },
  anonymousThrottle: { requestsPerSecond: 50, burst: 100 },
  logRetentionDays: 90,
  backupKeptDays: 90,
};

/** The stage of the local machine and the tests, with everything that a stage can switch on. */
const local: Stage = {
  ...dev,
  name: "local",
  registration: "open",
  platformApplications: {
    fcm: "arn:aws:sns:eu-west-2:000000000000:app/GCM/workforce",
    apns: "arn:aws:sns:eu-west-2:000000000000:app/APNS/workforce",
    apns_sandbox: "arn:aws:sns:eu-west-2:000000000000:app/APNS_SANDBOX/workforce",
  },
};

/**
 * Every stage, by name. To add one, copy the most similar stage, name it here, and run `npx cdk synth --quiet -c stage=<name>`,
 * which lists the settings still missing. A file of your own can replace these stages (`readStages`), and may build on
 * them.
 *
 * @public
 */
export const stages = { dev, staging, prod, local } satisfies Readonly<Record<string, Stage>>;

export const stageNames: readonly string[] = Object.keys(stages);

/** The stages of one file, whether or not they can be deployed: `faultsOf` reports what they lack. */
export interface Stages {
  /** The file, as messages name it. */
  readonly file: string;
  readonly byName: Readonly<Record<string, Stage>>;
}

/** The stages that come with the project. */
export const ownStages: Stages = { file: "infra/stages/stages.ts", byName: stages };

/** A stage, with the file that it is from and the stages beside it. */
export interface ChosenStage extends Stages {
  readonly stage: Stage;
}

/** The reasons why a stage cannot be deployed: one sentence for each fault, with the setting and its file. */
export class StageRefusal extends Error {
  constructor(faults: readonly string[]) {
    super(faults.join("\n"));
    this.name = "StageRefusal";
  }
}

/**
 * Reads a file of stages, relative to the working directory; without one, gives those that come with the project. A `.ts` or
 * `.mjs` file exports stages by name as default, a `.json` file contains them. Throws `StageRefusal` if it cannot be read.
 */
export function readStages(file?: string): Stages {
  if (file === undefined) return ownStages;
  const path = resolve(file);
  if (!statSync(path, { throwIfNoEntry: false })?.isFile())
    throw new StageRefusal([`There is no file ${file} with stages.`]);
  try {
    const isJson = path.endsWith(".json");
    const found: unknown = isJson
      ? JSON.parse(readFileSync(path, "utf8"))
      : createRequire(import.meta.url)(path).default;
    if (!isObject(found)) throw new Error("its default export is no object with stages by name");
    const entries = Object.entries(found).map(([name, settings]) => {
      if (!isObject(settings)) throw new Error(`its ${name} is no object with settings by name`);
      return [name, { name, ...settings }];
    });
    return { file, byName: Object.fromEntries(entries) };
  } catch (error) {
    const [reason] = String(error instanceof Error ? error.message : error).split("\n");
    throw new StageRefusal([`The stages in ${file} cannot be read: ${reason}`]);
  }
}

/** The stage of that name, whether or not it can be deployed. Throws `StageRefusal` if no stage has the name. */
export function chooseStage(name: string, from: Stages): ChosenStage {
  const { file, byName } = from;
  const stage = Object.hasOwn(byName, name) ? byName[name] : undefined;
  const where = from === ownStages ? "" : ` in ${file}`;
  if (!stage) {
    throw new StageRefusal([`There is no stage "${name}"${where}; the stages are ${Object.keys(byName).join(", ")}.`]);
  }
  if (stage.name === name) return { ...from, stage };
  throw new StageRefusal([`Set name of the stage ${name}${where} to ${name}: it is ${JSON.stringify(stage.name)}.`]);
}

/** The stage of that name among those that come with the project. */
export function findStage(name: string): Stage {
  return chooseStage(name, ownStages).stage;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
