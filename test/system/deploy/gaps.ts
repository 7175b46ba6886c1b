import { expect, test } from "vitest";
import type { DeployedStage } from "./deployed-stage.ts";

/** The guarantees of a deploy into AWS that the emulator cannot show, and the reasons. */
const gaps: readonly (readonly [guarantee: string, reason: string])[] = [
  ["429 above the throttles of API Gateway", "the emulator takes every request"],
  ["413 and 431 from API Gateway itself", "the emulator has no limits on bodies and headers"],
  [
    "an answer keeps its `Vary` beside the headers of API Gateway's own CORS",
    "the emulator takes no CORS from a template; AWS says that it ignores the CORS headers of an integration, of which Vary is none",
  ],
  ["schedules call at their hour, in their time zone", "nobody waits for it; each target is called once by a twin"],
  [
    "SES asks for the right to the configuration set, and in its sandbox to recipients' identities",
    "the emulator judges mails by their sender alone",
  ],
  ["schedules and API Gateway may call only what they are allowed to", "the emulator judges the rights of roles only"],
  ["items that expire reach the stream", "the emulator drops them without a record"],
  [
    "a stream's batch goes on from the change that failed, and one whose call dies by halves",
    "the emulator goes on with the next batch",
  ],
  [
    "transactions conflict, and the table and its indexes throttle",
    "the emulator works on one request after the other",
  ],
  ["indexes are late", "the emulator writes them with the item"],
  ["rights to leading keys are judged by AWS", "the emulator's own judgement of them is code of this project"],
  ["properties of resources are valid", "the emulator takes what it does not know; cfn-lint reads the templates"],
  [
    "a deleted secret keeps its name for a moment even if it is deleted by force",
    "the emulator frees it at once, as CloudFormation's own deletion is said to",
  ],
  [
    "the outbound bus denies an administrator",
    "the emulator lets the account's owner do everything; of the function that alone may, it asks the bus's policy",
  ],
  ["alarms fire", "no test waits for a metric to count minutes of faults; one test sets them off"],
  [
    "alarms and budgets reach people, and a table that fails keeps pages of functions silent",
    "the emulator sends none of it",
  ],
  ["rights and names are known everywhere at once", "the emulator is one process; AWS takes seconds"],
  [
    "a canary takes a tenth of the calls for five minutes, goes back where its alarms fire, and no alias that somebody moved",
    "the emulator has no CodeDeploy: an alias moves at once",
  ],
  ["seven releases at once keep within the quota of Lambda's calls", "the emulator has no quotas"],
  ["npm run rollback leads calls back", "without releases by CodeDeploy there is no version before"],
  [
    "CloudFront and its firewall stand before the API",
    "the emulator's CloudFront calls no API: a test sends what it would",
  ],
  ["the API's own address is closed behind an edge", "the emulator answers under it all the same"],
  ["a domain's certificate, DNS, IPv6 and DKIM", "the emulator is called by a loopback address"],
  ["users of an OpenID issuer of one's own sign in", "the stages that are deployed sign tokens themselves"],
  ["backups are made each week or night and end after their days", "a fake AWS Backup makes one when it is called"],
  ["a restore to a second has what was there then", "the emulator copies what is there now"],
  ["a restored table takes hours", "the emulator is done at once"],
  [
    "a freeze is in effect within a minute, and a limit of 0 lets no request through",
    "the emulator has no delays, and a test adds the limit of 0",
  ],
  ["backups are copied to another account and locked, and secrets to another region", "the emulator copies nothing"],
  ["API Gateway's control plane takes ten operations a second", "the emulator has no quotas"],
  ["SMS keep to the account's limit and bear the sender's name", "the emulator sends none"],
  ["reserved concurrency", "the emulator runs what it is asked to"],
  ["pushes reach devices", "no platform application can be made without a key of a push service"],
];

/** Names every gap as a skipped test, and notices when one that can be seen is closed. */
export function testGaps(stage: () => DeployedStage): void {
  for (const [guarantee, reason] of gaps) test.skip(`${guarantee} (not shown: ${reason})`, () => {});

  test("the emulator still answers preflights of CORS with 403: it takes no CORS from a template", async () => {
    const headers = { Origin: "http://localhost:5173", "Access-Control-Request-Method": "GET" };
    const { status } = await fetch(`${stage().baseUrl}/api/v1/health`, { method: "OPTIONS", headers });
    expect(status).toBe(403);
  });
}
