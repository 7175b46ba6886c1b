import { beforeEach, expect, test } from "vitest";
import type { Stage } from "../../../infra/stages/stage-shape.ts";
import { findStage, ownStages } from "../../../infra/stages/stages.ts";
import { checks } from "../../../infra/tools/preflight/preflight-checks.ts";
import { fullStage } from "../../infra/stages/owned-stage.ts";
import { type FakeAnswer, useFakeAws } from "../fake-aws.ts";
import { arn, asAsked, gone, ready, services, servicesWithout, stackStatus, unprotectedTable } from "./aws-answers.ts";

const aws = useFakeAws();
const dev = findStage("dev");
const senderAddress = "no-reply@harbour-logistics.co.uk";
beforeEach(() => {
  aws.answers = { ...ready };
});

async function find(about: string, changes: Partial<Stage> = {}) {
  const check = checks.find((each) => each.about === about);
  if (!check) throw new Error(`There is no check of ${about}`);
  const stage = { ...dev, senderAddress, ...changes };
  const place = { account: "000000000000", region: "eu-west-1" };
  return check.bySettings?.(stage) ?? check.find({ stage, file: ownStages.file, ...place });
}

type Answers = Readonly<Record<string, FakeAnswer>>;
type OkRow = [about: string, stage: Partial<Stage>, answers: Answers, said?: string];
type Row = [about: string, advice: string, answers: Answers, stage?: Partial<Stage>];

const stackIs = (status: string, isProtected?: boolean): Answers => ({
  DescribeStacks: stackStatus(status, isProtected),
});
const callsAtOnce = (ConcurrentExecutions: number): Answers => ({
  "GET /2016-08-19/account-settings": { json: { AccountLimit: { ConcurrentExecutions } } },
});
const mailAccount = (account: object): Answers => ({ "GET /v2/email/account": { json: account } });
const mailQuota = (Max24HourSend: number) =>
  mailAccount({ ProductionAccessEnabled: true, SendQuota: { Max24HourSend } });
const identity = (EmailIdentity: string, VerifiedForSendingStatus?: boolean): Answers => ({
  [`GET /v2/email/identities/${encodeURIComponent(EmailIdentity)}`]:
    VerifiedForSendingStatus === undefined ? { error: "NotFoundException" } : { json: { VerifiedForSendingStatus } },
});
const { edge } = fullStage;
const existing = { senderIdentity: "existing" } as const;
const ofDomain = { senderIdentity: "domain" } as const;
const domain = "harbour-logistics.co.uk";
const created = stackIs("CREATE_COMPLETE");
const leftTable = { DescribeTable: { json: { Table: {} } } };
const leftSecret = { DescribeSecret: { json: {} } };
const keeping: Partial<Stage> = { removal: "keep", deletionProtection: true };
const updated = stackIs("UPDATE_COMPLETE");
const noSmsAttributes = { GetSMSAttributes: { xml: "<attributes></attributes>" } };
test.each<OkRow>([
  ["CDK bootstrap", {}, {}],
  ["earlier stack", { backupKeptDays: 7 }, {}],
  ["earlier stack", {}, { ...updated, ...leftTable }],
  ["e-mail sender", existing, {}, `${senderAddress} is verified`],
  ["e-mail sender", {}, created, `${senderAddress} is verified`],
  // An address may also send if its domain is verified.
  [
    "e-mail sender",
    existing,
    { ...identity(senderAddress), ...identity(domain, true) },
    `${senderAddress} is verified`,
  ],
  ["e-mail sender", ofDomain, { ...created, ...identity(domain, true) }, `${domain} is verified`],
  ["e-mail account", {}, {}, "50000 e-mails a day to any address, 3000 of them with pins"],
  ["SMS sandbox", {}, {}],
  ["SMS sender", { smsSenderId: "Harbour" }, {}],
  ["SMS spend", {}, noSmsAttributes, "limit is 1 dollars a month"],
  ["SMS spend", keeping, {}, "limit is 50 dollars a month"],
  ["Lambda concurrency", { reservedConcurrency: { "sign-in": 900 } }, {}, "the stage needs 1000"],
  ["Lambda concurrency", {}, callsAtOnce(95)],
  // What a worker has reserved is not counted a second time.
  ["Lambda concurrency", { reservedConcurrency: { intake: 10 } }, callsAtOnce(110)],
  ["Lambda concurrency", { outboundEvents: "on" }, callsAtOnce(95)],
  ["Lambda concurrency", { outboundEvents: "off" }, callsAtOnce(91)],
  ["region", { ...keeping, deployment: "canary", tracing: true }, {}],
  ["region", {}, { GetParameters: servicesWithout("backup") }],
  // A name that AWS does not list anywhere says nothing of a region.
  ["region", {}, { GetParameters: { json: { Parameters: [] } } }],
  ["e-mail account", { mailCeilings: { perDay: 99_999 } }, mailQuota(-1), "any number of"],
  ["earlier stack", keeping, updated],
  ["table settings", { ...keeping, deletionProtection: false }, {}],
  ["table settings", keeping, asAsked],
  ["table settings", {}, {}],
])("%s is ok where nothing is in the way", async (about, stage, answers, said = "") => {
  Object.assign(aws.answers, answers);
  expect(await find(about, stage)).toMatchObject({ outcome: "ok", text: expect.stringContaining(said) });
});

test.each<Row>([
  ["CDK bootstrap", "cdk bootstrap aws://000000000000/eu-west-1", { GetParameter: { error: "ParameterNotFound" } }],
  ...["ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CREATE_FAILED", "DELETE_FAILED", "REVIEW_IN_PROGRESS"].map(
    (status): Row => [
      "earlier stack",
      `(${status}): run aws cloudformation delete-stack --stack-name Workforce-dev.`,
      stackIs(status),
    ],
  ),
  [
    "earlier stack",
    "update-table --no-deletion-protection-enabled --table-name workforce-dev-records and then aws cloudformation delete-stack",
    stackIs("ROLLBACK_FAILED"),
    { removal: "keep" },
  ],
  ["earlier stack", "run npx cdk rollback Workforce-dev -c stage=dev", stackIs("UPDATE_ROLLBACK_FAILED")],
  ["earlier stack", "the backup vault workforce-dev if", leftSecret, { removal: "keep" }],
  [
    "earlier stack",
    "left the table workforce-dev-records: keep them with npx cdk deploy Workforce-dev -c stage=dev --import-existing-resources",
    leftTable,
  ],
  ["earlier stack", "the secret workforce/dev/signing-keys: no deploy adopts a secret", leftSecret],
  ["earlier stack", "the secret workforce/dev/edge-secret", leftSecret, { edge }],
  ["e-mail sender", "open the link", identity(senderAddress, false), existing],
  [
    "e-mail sender",
    `SES does not know ${senderAddress}: verify it, or its domain.`,
    { ...identity(senderAddress), ...identity(domain) },
    existing,
  ],
  ["e-mail sender", `publish the DKIM records of ${domain}`, { ...created, ...identity(domain, false) }, ofDomain],
  ["e-mail sender", 'set senderIdentity to "existing"', {}],
  ["e-mail sender", "the deploy requests it from SES", identity(senderAddress)],
  [
    "e-mail sender",
    "no-reply@workforce.example is a placeholder that nobody can verify: set senderAddress",
    {},
    { senderAddress: dev.senderAddress },
  ],
  ["e-mail account", "AWS has paused", mailAccount({ SendingEnabled: false })],
  ["SMS sender", "register a sender with AWS, which takes papers of the company and weeks, and set smsSenderId", {}],
  ["e-mail account", "production access", mailAccount({ ProductionAccessEnabled: false })],
  ["SMS sandbox", "leave the SMS sandbox", { GetSMSSandboxAccountStatus: { xml: "<IsInSandbox>true</IsInSandbox>" } }],
  [
    "SMS spend",
    'limit of SMS is 1 dollars a month: set another, as "SMS" in infra/README.md',
    noSmsAttributes,
    keeping,
  ],
  ["earlier stack", "A deploy is under way (UPDATE_IN_PROGRESS): wait", stackIs("UPDATE_IN_PROGRESS", false), keeping],
  [
    "earlier stack",
    "run aws cloudformation update-termination-protection --enable-termination-protection --stack-name Workforce-dev.",
    stackIs("UPDATE_COMPLETE", false),
    keeping,
  ],
  ["table settings", "set deletionProtection to false in infra/stages/stages.ts for the first deploy", {}, keeping],
  ["Lambda concurrency", "the stage needs 1001", {}, { reservedConcurrency: { "sign-in": 901 } }],
  [
    "Lambda concurrency",
    "The account allows 10 concurrent executions, the stage needs 95 (10 for 100 requests a second, 75 for queues, 8 for the table's stream, 2 for daily work): with 10, at most 100 requests a second get through while no worker runs, fewer beside workers, and others get 503; request 1000 in Service Quotas, which takes hours to days, or",
    callsAtOnce(10),
  ],
  ["Lambda concurrency", "at most 100 requests", callsAtOnce(10), { throttle: { requestsPerSecond: 101, burst: 1 } }],
  ["Lambda concurrency", "needs 96", callsAtOnce(95), { throttle: { requestsPerSecond: 101, burst: 1 } }],
  ["Lambda concurrency", "(10 reserved, 10 for 100", callsAtOnce(10), { reservedConcurrency: { intake: 10 } }],
  ["region", "eu-west-1 has no apigateway, no dynamodb,", { GetParameters: services("us-east-1") }],
  ["region", "eu-west-1 has no backup:", { GetParameters: servicesWithout("backup") }, { removal: "keep" }],
  ["e-mail account", "may send 200 e-mails a day, and the stage up to 3000", mailQuota(200)],
  ["e-mail account", "up to 200 with", mailQuota(200), { mailCeilings: { perDay: 200 } }],
])("%s is missing where something is in the way, and says in a sentence: %s", async (about, advice, answers, stage) => {
  Object.assign(aws.answers, answers);
  const found = await find(about, stage);
  expect(found).toEqual({ outcome: "missing", text: expect.stringContaining(advice) });
  expect(found.text.match(/\.(?: |$)/g)).toHaveLength(1);
});

test("a restored table lacks what it was restored without, each with the command that makes it", async () => {
  Object.assign(aws.answers, asAsked);
  const tableName = "workforce-dev-records-2";
  const restored = (changes: Record<string, FakeAnswer>) => {
    Object.assign(aws.answers, asAsked, changes);
    return find("table settings", { ...keeping, tableName });
  };
  expect(await restored({})).toMatchObject({ outcome: "ok" });
  const none = { Table: { TableArn: `${arn}-2`, DeletionProtectionEnabled: false } };
  const { outcome, text } = await restored({
    DescribeTable: { json: none },
    DescribeTimeToLive: { json: { TimeToLiveDescription: { TimeToLiveStatus: "DISABLED" } } },
    DescribeContinuousBackups: { json: { ContinuousBackupsDescription: { ContinuousBackupsStatus: "ENABLED" } } },
    ListTagsOfResource: { json: { Tags: [{ Key: "stage", Value: "other" }] } },
  });
  expect(outcome).toBe("missing");
  expect(text).toBe(
    [
      `${tableName} lacks its time to live, its stream, its protection, point-in-time recovery, its tags: run`,
      `aws dynamodb update-time-to-live --table-name ${tableName} --time-to-live-specification Enabled=true,AttributeName=expires_at &&`,
      `aws dynamodb update-table --table-name ${tableName} --stream-specification StreamEnabled=true,StreamViewType=NEW_AND_OLD_IMAGES --deletion-protection-enabled &&`,
      `aws dynamodb update-continuous-backups --table-name ${tableName} --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true &&`,
      `aws dynamodb tag-resource --resource-arn ${arn}-2 --tags Key=service,Value=workforce-api Key=stage,Value=dev`,
    ].join(" "),
  );
  const { text: unprotected } = await restored({ DescribeTable: unprotectedTable });
  expect(unprotected).toContain(`aws dynamodb update-table --table-name ${tableName} --deletion-protection-enabled`);
  Object.assign(aws.answers, asAsked, { ListTagsOfResource: { json: {} } });
  expect(await find("table settings", keeping)).toMatchObject({ text: expect.stringContaining("lacks its tags: run") });
  expect(await restored({ DescribeTable: gone })).toEqual({
    outcome: "missing",
    text: `There is no table ${tableName}: restore it, or set tableName to another.`,
  });
});

test.each<Row>([
  [
    "table settings",
    "set deletionProtection to true and deploy again",
    { ...asAsked, DescribeTable: unprotectedTable },
    { deletionProtection: false },
  ],
  // The second deploy protects the table that the first one made.
  ["table settings", "set deletionProtection to true and", { ...asAsked, DescribeTable: unprotectedTable }, {}],
])("%s is for later where the deploy comes first, and says: %s", async (about, advice, answers, stage) => {
  Object.assign(aws.answers, answers);
  const found = await find(about, { ...keeping, ...stage });
  expect(found).toEqual({ outcome: "later", text: expect.stringContaining(advice) });
});

test("every check says in a sentence what to ask of AWS or to do, and how long that takes if it takes time", () => {
  for (const { about, asks } of checks) expect(asks, about).toMatch(/^[A-Z].+\.$/);
  for (const { about, asks, days } of checks)
    expect(/[:;] [^:;\d]*\b(?:days?|weeks)\b/.test(asks), about).toBe(days !== undefined);
});

test("what AWS does not let the credentials see is thrown, and never ok", async () => {
  aws.answers = {};
  const asking = checks.filter(({ about }) => about !== "SMS sender");
  for (const { about } of asking)
    await expect(find(about, keeping), about).rejects.toThrow("It says AccessDeniedException");
});
