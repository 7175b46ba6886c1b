import { expect, test } from "vitest";
import { accountRequestsPerMinute } from "../../../infra/firewall-stack.ts";
import { type DeployEnvironment, deployFaults, faultsOf } from "../../../infra/stages/stage-rules.ts";
import { readStageSetting } from "../../../infra/stages/stage-settings.ts";
import type { Stage } from "../../../infra/stages/stage-shape.ts";
import { settingNames, stageShape } from "../../../infra/stages/stage-shape.ts";
import { type ChosenStage, findStage, ownStages } from "../../../infra/stages/stages.ts";
import { longPinDigits, pinDigits } from "../../../shared/contract/accounts.ts";
import { operations } from "../../../shared/contract/operations.ts";
import { pinRules } from "../../../shared/people/pins.ts";
import { fullStage, ownedStage } from "./owned-stage.ts";

const dev = findStage("dev");
const prod = ownedStage("prod");
const { alarmAddress, oidcIssuer, customDomain, platformApplications } = fullStage;
const { certificateArn } = customDomain;
const rota = "arn:aws:iam::123456789012:role/operations/rota";
const permissionSets = "arn:aws:iam::123456789012:role/aws-reserved/sso.amazonaws.com";
const probedHost = "api.harbour-logistics.co.uk";

test("D22: a stage refuses unknown parameters unless it says warn", () => {
  expect(readStageSetting(dev, "unknownParameters")).toBe("refuse");
  expect(readStageSetting({ ...dev, unknownParameters: "warn" }, "unknownParameters")).toBe("warn");
  expect(readStageSetting(dev, "smsSenderId"), "functions read an empty text as none").toBe("");
});

test.each(["staging", "prod"])("%s as shipped is refused, with one sentence for each placeholder", (name) => {
  const [sender, origins, alarms, ...others] = faultsOf(own(findStage(name)));
  expect(sender).toBe(
    `Set senderAddress of the stage ${name} in infra/stages/stages.ts to an e-mail address that SES may send from: it has the placeholder ${name === "prod" ? "" : "staging."}workforce.example.`,
  );
  expect(origins).toMatch(/^Set origins of the stage .* it has the placeholder \w+\.workforce\.example\.$/);
  expect(alarms).toMatch(/^Set alarmAddress of the stage .* it has the placeholder workforce\.example\.$/);
  expect(others).toEqual([]);
});

/** Values that a setting does not take. */
const refused: Readonly<Partial<Record<keyof Stage, readonly unknown[]>>> = {
  name: ["Prod", "a-name-of-far-too-many-letters", "live-outbound", "live-firewall", "live-outside"],
  region: ["europe"],
  serviceName: ["", "Two\nlines", "x".repeat(61), "Łódź Crew", "€".repeat(31)],
  senderAddress: ["no-reply", "Workforce <no-reply@harbour-logistics.co.uk>"],
  senderIdentity: ["everything"],
  defaultCountry: ["UK"],
  servedCountries: [[], ["GB", "UK"]],
  recoveryDisclosure: ["none"],
  registration: [true],
  outboundEvents: [true],
  locale: ["fr"],
  smsCeilings: [{ perDay: 1.5 }, { perDay: -1 }, { perHour: 9, perDay: 9 }],
  mailCeilings: [{}],
  account: ["12345"],
  smsSenderId: ["AB", "12345", "HarbourLogistics"],
  smsMostDollars: [0, 0.001],
  pagerUrl: ["http://pager.harbour-logistics.co.uk"],
  probedHost: ["https://api.harbour-logistics.co.uk"],
  monthlyBudgetDollars: [0],
  onCallPrincipals: [
    [],
    [rota, rota, rota, rota],
    ...[
      "*",
      "arn:aws:iam::123456789012:root",
      "arn:aws:iam::123456789012:user/ines",
      "arn:aws:iam::*:role/rota",
      "arn:aws:iam::123456789012:role/*",
      "arn:aws:iam::123456789012:role/rota-*",
      `${permissionSets}/AWSReservedSSO_*`,
      `${permissionSets}/AWSReservedSSO_On*_*`,
      `${permissionSets}/*/AWSReservedSSO_OnCall_*`,
    ].map((principal) => [principal]),
  ],
  businessTimeZone: ["Europe/Lundon", "GB", "EST5EDT"],
  platformApplications: [
    { fcm: "arn:aws:sns:eu-west-2:123456789012:app/APNS/workforce" },
    { gcm: "arn:aws:sns:eu-west-2:123456789012:app/GCM/workforce" },
  ],
  oidcIssuer: [
    { ...oidcIssuer, issuer: "http://id.harbour-logistics.co.uk" },
    { ...oidcIssuer, audience: "" },
    { ...oidcIssuer, claims: { user: "sub" } },
  ],
  origins: [
    [],
    ["*"],
    ["https://*.harbour-logistics.co.uk"],
    ["http://harbour-logistics.co.uk"],
    ["ws://localhost:5173"],
    ["https://harbour-logistics.co.uk/"],
  ],
  throttle: [{ requestsPerSecond: 0, burst: 1 }],
  anonymousThrottle: [
    { requestsPerSecond: 10, burst: dev.throttle.burst + 1 },
    { requestsPerSecond: dev.throttle.requestsPerSecond + 1, burst: 1 },
  ],
  customDomain: [{ name: "api.harbour-logistics.co.uk", certificateArn: "0bd60c40" }],
  edge: [fullStage.edge],
  reservedConcurrency: [{ "sign-up": 5 }, { "sign-in": 0 }, { "send-pushes": 1 }],
  logRetentionDays: [10],
  removal: ["retain"],
  deletionProtection: ["yes"],
  writeUnitsPerSecond: [999],
  backupKeptDays: [13],
  tableName: ["workforce-prod-records-2", "workforce-dev-records2"],
  frozen: ["on"],
  backupCopyTo: [fullStage.backupCopyTo],
  backupLockDays: [7, 36],
  replicaRegions: [[], ["eu-west-1", "eu-west-1"]],
  historyDays: [3_651],
  deployment: ["blue-green"],
  alarmAddress: ["nobody"],
  runbookUrl: ["infra/RUNBOOK.md"],
  docs: ["on"],
};

test.each(
  Object.entries(refused).flatMap(([setting, values]) => values.map((value) => [setting, value] as const)),
)("%s %j is refused in one sentence that says what to set, and where", (setting, value) => {
  const faults = faultsOf(own({ ...dev, alarmAddress, [setting]: value }));
  expect(faults).toHaveLength(1);
  expect(faults[0]).toMatch(new RegExp(`^Set ${setting} of the stage .+ in infra/stages/stages\\.ts to [^\n]+\\.$`));
  expect(faults[0]).toContain(`: it is ${JSON.stringify(value)}.`);
});

const { alarmAddress: _, backupKeptDays, ...silent } = prod;
const deleted = { ...prod, removal: "delete" } as const;
const elsewhere = { ...dev, region: "eu-west-1" };
const withDomain = { ...dev, customDomain };
const onEdge = (changed: object) => ({ ...withDomain, edge: { ...fullStage.edge, ...changed } });
const inPlace = { ...prod, region: "eu-west-1", account: "123456789012" };
const copying = { backupCopyTo: "arn:aws:backup:eu-west-1:123456789012:backup-vault:copies" };

test.each<[what: string, stage: Stage, ...faults: RegExp[]]>([
  [
    "exact roles and those of a permission set, in a region or not",
    {
      ...prod,
      onCallPrincipals: [
        rota,
        `${permissionSets}/AWSReservedSSO_OnCall_*`,
        `${permissionSets}/eu-west-1/AWSReservedSSO_On-Call_*`,
      ],
    },
  ],
  [
    "roles of any name",
    { ...prod, onCallPrincipals: ["*"] },
    /^Set onCall.* with \* nowhere else, in a stage with an alarmAddress: /,
  ],
  ["roles for nobody's alarms", { ...dev, onCallPrincipals: [rota] }, /^Set onCallPrincipals /],
  ["a check for nobody's alarms", { ...dev, probedHost }, /^Set probedHost /],
  [
    "settings that need the missing alarmAddress",
    { ...silent, backupKeptDays, onCallPrincipals: [rota], probedHost },
    /^Set alarmAddress of the stage prod .* it is missing\.$/,
  ],
  ["copies of backups into their own place", { ...inPlace, ...copying }, /^Set backupCopyTo /],
  ["copies of backups into another account", { ...inPlace, account: "210987654321", ...copying }],
  ["copies of backups into another region", { ...inPlace, region: "eu-west-2", ...copying }],
  ["copies of backups that are not made", { ...silent, alarmAddress, ...copying }, /^Set backupCopyTo /],
  ["a lock as long as backups are kept", { ...prod, backupKeptDays: 14, backupLockDays: 14 }],
  ["a lock longer than backups are kept", { ...prod, backupKeptDays: 14, backupLockDays: 15 }, /^Set backupLockDays /],
  ["a lock on no backups", { ...silent, alarmAddress, backupLockDays: 1 }, /^Set backupLockDays /],
  [
    "backups, which CloudFormation could not delete",
    { ...deleted, backupKeptDays: 14, backupLockDays: 14 },
    /^Set backupKeptDays of the stage prod .* in a stage with removal keep alone: it is 14\.$/,
    /^Set backupLockDays /,
  ],
  [
    "copies of secrets in their own region",
    { ...prod, region: "eu-west-1", replicaRegions: ["eu-west-1"] },
    /^Set replicaRegions /,
  ],
  ["an edge before a domain", onEdge({})],
  ["an edge with a certificate of the stage's region", onEdge({ certificateArn }), /^Set edge /],
  ["an edge with the name of a firewall", onEdge({ webAclArn: "Workforce-prod-firewall" }), /^Set edge /],
  ["an edge with a secret of some day", onEdge({ secretRotatedAt: "yesterday" }), /^Set edge /],
  // A secret may be replaced twice on a day.
  ["an edge with a secret of a day", onEdge({ secretRotatedAt: "2026-06-01" }), /^Set edge /],
  ["a certificate of another region", { ...elsewhere, customDomain }, /^Set customDomain /],
  ["a platform application of another region", { ...elsewhere, platformApplications }, /^Set platformApplications /],
  ["the whole API's throttle for its account routes", { ...dev, anonymousThrottle: dev.throttle }],
  [
    "the least and the most that a setting takes",
    { ...dev, smsCeilings: { perDay: 0 }, historyDays: 1, serviceName: "x".repeat(60), smsMostDollars: 0.01 },
  ],
  ["a name that is a placeholder's in addresses", { ...prod, name: "test" }],
])("settings that are each valid are judged together: %s", (_, stage, ...faults) => {
  expect(faultsOf(own(stage))).toEqual(faults.map((each) => expect.stringMatching(each)));
});

test("D10: a stage whose account routes take more than 400 requests a second is refused, and the sentence says why", () => {
  const takeover = (requestsPerSecond: number) => {
    const routes = operations.filter(({ refusals = [] }) => refusals.some((code) => code === "pin_invalid")).length;
    const longTries = routes * requestsPerSecond * 86_400;
    return longTries / 10 ** longPinDigits + pinRules.triesADay / 10 ** pinDigits;
  };
  expect(takeover(400)).toBeLessThan(1e-4);
  expect(takeover(500)).toBeGreaterThan(1e-4);
  const limited = (requestsPerSecond: number) => ({ ...prod, anonymousThrottle: { requestsPerSecond, burst: 800 } });
  expect(faultsOf(own(limited(400)))).toEqual([]);
  expect(faultsOf(own(limited(401)))).toEqual([
    expect.stringMatching(
      /^Set anonymousThrottle of the stage prod .* at most 400 requests a second, as above that guessing takes over one login with a chance above 1 in 10,000 a day, not above those of throttle: it is \{"requestsPerSecond":401,"burst":800\}\.$/,
    ),
  ]);
});

test("a stage that keeps its data is deployed once it says whether it has an edge, and staging says what prod does", () => {
  const { edge, ...undecided } = prod;
  expect(edge).toBe("none");
  expect(deployFaults(own(undecided), {})).toEqual([
    expect.stringMatching(
      /^Set edge of the stage prod in .* or to "none"\. An edge takes three steps: .* nobody else signs in\.$/,
    ),
  ]);
  // SES verifies another sender for each of them: the second stack that makes an identity would fail.
  for (const name of ["dev", "staging", "prod"]) expect(deployFaults(own(ownedStage(name)), {}), name).toEqual([]);
  const { name: _, ...staging } = findStage("staging");
  for (const setting of ["edge", "deployment", "removal", "deletionProtection", "tracing"] as const)
    expect(findStage("prod")[setting], setting).toBe(staging[setting]);
});

test("one address that a firewall lets through takes a fifth of the account routes' own limit at most", () => {
  for (const name of ["staging", "prod"]) {
    const { requestsPerSecond } = ownedStage(name).anonymousThrottle;
    expect(requestsPerSecond, name).toBeGreaterThanOrEqual((5 * accountRequestsPerMinute) / 60);
  }
});

test.each(settingNames)("a stage without %s is refused, or can do without it", (setting) => {
  const { [setting]: _, ...rest } = prod;
  const faults = faultsOf(own(rest as Stage));
  const isOptional = stageShape.entries[setting].type === "exact_optional" && setting !== "alarmAddress";
  if (isOptional) expect(faults).toEqual([]);
  else expect(faults).toContainEqual(expect.stringMatching(`^Set ${setting} of the stage .* it is missing\\.$`));
});

test.each([
  "workforce.example",
  "mail.test",
  "host.invalid",
  "app.localhost",
  "example.com",
  "api.example.org",
  "example.net",
])("%s is refused wherever a stage that keeps its data names it, and taken where nothing is kept", (host) => {
  const settings: [keyof Stage, unknown][] = [
    ["senderAddress", `no-reply@${host}`],
    ["alarmAddress", `on-call@${host}`],
    ["origins", [`https://${host}`]],
    ["oidcIssuer", { ...oidcIssuer, jwksUrl: `https://${host}/jwks` }],
    ["customDomain", { name: host, certificateArn }],
    ["runbookUrl", `https://${host}/RUNBOOK.md`],
    ["pagerUrl", `https://${host}/alarms`],
    ["probedHost", host],
  ];
  for (const [setting, value] of settings) {
    const expected = expect.stringMatching(`^Set ${setting} of .* it has the placeholder ${host}\\.$`);
    expect(faultsOf(own({ ...prod, [setting]: value })), setting).toEqual([expected]);
    expect(faultsOf(own({ ...dev, alarmAddress: prod.alarmAddress, [setting]: value } as Stage)), setting).toEqual([]);
  }
});

test("everything that a stage may name is taken", () => {
  expect(faultsOf(own(fullStage))).toEqual([]);
  expect(Object.keys(fullStage).toSorted()).toEqual(settingNames.toSorted());
});

test.each([
  ["alarmAdress", "; did you mean alarmAddress?"],
  ["smsCeiling", "; did you mean smsCeilings?"],
  ["colourOfTheLogo", "."],
])("a setting that nobody knows, such as %s, is refused by name, with the nearest one", (name, hint) => {
  const stage: Stage = { ...dev, ...{ [name]: "on-call@harbour-logistics.co.uk" } };
  const fault = `Remove ${name} from the stage dev in infra/stages/stages.ts: no setting has that name${hint}`;
  expect(faultsOf(own(stage))).toEqual([fault]);
});

test.each([
  ["probeLogin", "the alarms of a canary watch the first tenth of a new version's calls"],
  ["smsMonthlySpendLimitDollars", "the account's limit of SMS is set once, as the chapter SMS of infra/README.md says"],
  ["testLogins", "reviewers of an app store sign in with the password that an import gives their user"],
  [
    "webhooks",
    "a rule with an API destination on the outbound bus posts events to an address (shared/contract/EVENTS.md, Post events to an address)",
  ],
])("%s is refused as no setting, in one sentence that says what serves instead", (name, reason) => {
  const stage: Stage = { ...dev, ...{ [name]: "on" } };
  expect(faultsOf(own(stage))).toEqual([`Remove ${name} from the stage dev in infra/stages/stages.ts: ${reason}.`]);
  expect(settingNames).not.toContain(name);
});

test.each<[Partial<Stage>, DeployEnvironment, fault?: string]>([
  [
    { region: "eu-west-2" },
    { region: "us-east-1" },
    "Set AWS_REGION to eu-west-2, where the stage dev lives by infra/stages/stages.ts: it is us-east-1.",
  ],
  [
    { account: "111122223333" },
    { account: "444455556666" },
    "Use credentials (AWS_PROFILE) of the account 111122223333, where the stage dev lives by infra/stages/stages.ts: yours are of 444455556666.",
  ],
  [
    { region: "eu-west-2", account: "111122223333" },
    { region: "eu-west-2", account: "111122223333" },
  ],
  [{ region: "eu-west-2", account: "111122223333" }, {}],
  [{}, { region: "us-east-1", account: "444455556666" }],
])("a stage with %j is refused with credentials for another place: %j", (place, credentials, fault) => {
  expect(deployFaults(own({ ...dev, ...place }), credentials)).toEqual(fault === undefined ? [] : [fault]);
});

/** A stage among those that come with the project. */
function own(stage: Stage): ChosenStage {
  return { ...ownStages, stage };
}
