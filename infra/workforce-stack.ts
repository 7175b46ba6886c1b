import { type App, CfnOutput, Stack } from "aws-cdk-lib";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { operations } from "../shared/contract/operations.ts";
import { HmacKey } from "./constructs/hmac-key.ts";
import { Api } from "./constructs/http-api.ts";
import { PinDelivery } from "./constructs/pin-delivery.ts";
import { RecordsTable } from "./constructs/records-table.ts";
import { ServiceFunction } from "./constructs/service-function.ts";
import { type FunctionName, functions } from "./functions.ts";
import type { Stage } from "./stages.ts";

const tokenAudience = "workforce-api";

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
    const pins = new PinDelivery(this, "Pins");
    const api = new Api(this, "Api", stage);

    const addFunction = (name: FunctionName): LambdaFunction => {
      const { function: fn } = new ServiceFunction(this, name, { name, stage, bundles });
      const row = functions[name];
      const actions = stage.recoveryDisclosure === "full" ? (row.tableWhenDisclosed ?? row.table) : row.table;
      if (actions || row.indexes) records.grant(fn, actions ?? [], row.indexes ?? []);
      if (row.verifiesTokens) records.grantTokenVerification(fn, `workforce-${stage.name}`, tokenAudience);
      if (row.readsHmacKey) hmacKey.grantRead(fn);
      if (row.queuesPins) pins.grantQueue(fn);
      if (row.sendsMessages) pins.grantSend(fn, stage);
      if (row.readsLogins) grantLogins(fn, stage);
      return fn;
    };

    for (const { name, method, path } of operations) api.route(name, method, path, addFunction(name as FunctionName));
    api.routeRest("refuse-unrouted", addFunction("refuse-unrouted"));
    pins.feed(addFunction("deliver-pin"));
    new CfnOutput(this, "BaseUrl", { value: api.httpApi.apiEndpoint });
  }
}

function grantLogins(fn: LambdaFunction, stage: Stage): void {
  fn.addEnvironment("DEFAULT_COUNTRY", stage.defaultCountry);
  fn.addEnvironment("SERVED_COUNTRIES", stage.servedCountries.join(","));
  fn.addEnvironment("RECOVERY_DISCLOSURE", stage.recoveryDisclosure);
}
