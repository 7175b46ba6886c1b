import * as v from "valibot";
import { tableNameOf } from "../../../infra/stages/names.ts";
import type { Stage } from "../../../infra/stages/stage-shape.ts";
import { settingNames, stageShape } from "../../../infra/stages/stage-shape.ts";
import { findStage } from "../../../infra/stages/stages.ts";

const host = "workforce.harbour-logistics.co.uk";

/** A stage as it is once somebody has put addresses of their own in place of its placeholders. */
export function ownedStage(name: string): Stage {
  const stage = findStage(name);
  if (stage.removal !== "keep") return stage;
  return {
    ...stage,
    senderAddress: `no-reply@${name === "prod" ? host : `${name}.${host}`}`,
    origins: [`https://${name}.${host}`],
    alarmAddress: `on-call@${host}`,
    edge: "none",
  };
}

/** Values that settings take which the full stage does not name itself: the last that fits. */
const samples = [true, 30, "sample", host, `https://${host}/`, `sample@${host}`, ["GB"]];

function sampleSettings(): Partial<Stage> {
  const found = settingNames.map((name) => {
    const entry = stageShape.entries[name];
    const values = "wrapped" in entry ? entry.wrapped : entry;
    const words: readonly unknown[] = "options" in values ? values.options : [];
    return [name, [...words, ...samples].findLast((each) => v.is(values, each))] as const;
  });
  return Object.fromEntries(found.filter(([, value]) => value !== undefined));
}

export const fullStage = {
  ...sampleSettings(),
  ...ownedStage("prod"),
  platformApplications: findStage("local").platformApplications ?? {},
  name: "full",
  docs: true,
  alarmAddress: `on-call@${host}`,
  region: "eu-west-2",
  account: "123456789012",
  unknownParameters: "warn",
  outboundEvents: "on",
  locale: "de",
  historyDays: 30,
  smsSenderId: "Harbour",
  pagerUrl: `https://pager.${host}/alarms`,
  onCallPrincipals: [
    "arn:aws:iam::123456789012:role/operations/rota",
    "arn:aws:iam::123456789012:role/aws-reserved/sso.amazonaws.com/eu-west-1/AWSReservedSSO_OnCall_*",
  ],
  probedHost: `api.${host}`,
  monthlyBudgetDollars: 500,
  senderIdentity: "existing",
  oidcIssuer: {
    issuer: `https://id.${host}`,
    audience: "workforce",
    jwksUrl: `https://id.${host}/jwks`,
    claims: { user: "sub", role: "role", company: "company" },
  },
  customDomain: {
    name: `api.${host}`,
    certificateArn: "arn:aws:acm:eu-west-2:123456789012:certificate/0bd60c40-2f4c-4e4c-8f0e-9a3d8ad0a4fd",
  },
  edge: {
    certificateArn: "arn:aws:acm:us-east-1:123456789012:certificate/7d1b2c40-2f4c-4e4c-8f0e-9a3d8ad0a4fd",
    webAclArn:
      "arn:aws:wafv2:us-east-1:123456789012:global/webacl/Workforce-full-firewall/5f0e2c40-2f4c-4e4c-8f0e-9a3d8ad0a4fd",
    distributionId: "E1A2B3C4D5E6F7",
    secretRotatedAt: "2026-06-01T09:30:00Z",
  },
  tableName: tableNameOf({ name: "full" }),
  frozen: false,
  writeUnitsPerSecond: 4_000,
  backupCopyTo: "arn:aws:backup:eu-west-1:210987654321:backup-vault:workforce-copies",
  backupLockDays: 35,
  replicaRegions: ["eu-west-1"],
  runbookUrl: `https://code.${host}/workforce/infra/RUNBOOK.md`,
  reservedConcurrency: { "sign-in": 20, intake: 2 },
} as const satisfies Stage;
