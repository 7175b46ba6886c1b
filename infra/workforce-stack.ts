import { type App, CfnOutput, Stack } from "aws-cdk-lib";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import type { Operation } from "../shared/contract/operation.ts";
import { operations } from "../shared/contract/operations.ts";
import { HmacKey } from "./constructs/hmac-key.ts";
import { Api } from "./constructs/http-api.ts";
import { RecordsTable } from "./constructs/records-table.ts";
import { grantSending } from "./constructs/sending.ts";
import { ServiceFunction } from "./constructs/service-function.ts";
import { SigningKeys } from "./constructs/signing-keys.ts";
import { grantTokenVerification } from "./constructs/token-verification.ts";
import { WorkQueue } from "./constructs/work-queue.ts";
import { type FunctionName, functions } from "./functions.ts";
import { readStageSetting } from "./stage-settings.ts";
import type { Stage } from "./stages.ts";

const tokenAudience = "workforce-api";
const noticeRetentionHours = 4 * 24;
// A pin is worth nothing after ten minutes.
const pinRetentionHours = 1;

/** What a stack is made from. */
export interface WorkforceStackProps {
  readonly stage: Stage;
  /** Folder that the bundles were built into. */
  readonly bundles: string;
}

/** The whole service of one stage. */
export class WorkforceStack extends Stack {
  constructor(app: App, { stage, bundles }: WorkforceStackProps) {
    super(app, `Workforce-${stage.name}`, { description: `Workforce API, stage ${stage.name}` });
    const records = new RecordsTable(this, "Records");
    const hmacKey = new HmacKey(this, "HmacKey");
    const signingKeys = new SigningKeys(this, "SigningKeys");
    const pins = new WorkQueue(this, "Pins", { setting: "PIN_QUEUE_URL", retentionHours: pinRetentionHours });
    const notices = new WorkQueue(this, "Notices", {
      setting: "NOTICE_QUEUE_URL",
      retentionHours: noticeRetentionHours,
    });
    const api = new Api(this, "Api", stage);
    const tokenNames = { issuer: `workforce-${stage.name}`, audience: tokenAudience };

    const addFunction = (name: FunctionName): LambdaFunction => {
      const { function: fn } = new ServiceFunction(this, name, { name, stage, bundles });
      const row = functions[name];
      if (row.table || row.indexes) records.grant(fn, row.table ?? [], row.indexes ?? []);
      if (row.verifiesTokens || row.readsPublicKeys) records.grantPublicKeys(fn);
      if (row.verifiesTokens) grantTokenVerification(fn, tokenNames, stage);
      if (row.signsTokens) signingKeys.grantSign(fn, tokenNames);
      if (row.rotatesSigningKeys) signingKeys.grantRotate(fn);
      if (row.readsHmacKey) hmacKey.grantRead(fn);
      if (row.queuesPins) pins.grantQueue(fn);
      if (row.queuesNotices) notices.grantQueue(fn);
      if (row.sendsMessages) grantSending(fn, stage);
      for (const setting of row.settings ?? []) fn.addEnvironment(setting, readStageSetting(stage, setting));
      return fn;
    };

    for (const operation of operations) {
      const { name, method, path } = operation;
      const throttle = isAnonymousAccountRoute(operation) ? stage.anonymousThrottle : undefined;
      api.route(name, method, path, addFunction(name as FunctionName), throttle);
    }
    api.routeRest("refuse-unrouted", addFunction("refuse-unrouted"));
    pins.feed(addFunction("deliver-pin"));
    notices.feed(addFunction("tell-password-changed"));
    signingKeys.rotateBy(addFunction("rotate-signing-key"), [records]);
    new CfnOutput(this, "BaseUrl", { value: api.httpApi.apiEndpoint });
  }
}

function isAnonymousAccountRoute({ name, access }: Operation): boolean {
  return access === "anyone" && functions[name as FunctionName].room === "users";
}
