import { RemovalPolicy } from "aws-cdk-lib";
import { AttributeType, Billing, ProjectionType, StreamViewType, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import type { TableAction, TableIndex } from "../functions.ts";

const indexes: Readonly<Record<TableIndex, string>> = { "by-state": "all_key", "by-company": "company_key" };

/** The one table, with the indexes that its lists are read by. */
export class RecordsTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.table = new TableV2(this, "Table", {
      partitionKey: { name: "pk", type: AttributeType.STRING },
      sortKey: { name: "sk", type: AttributeType.STRING },
      billing: Billing.onDemand(),
      timeToLiveAttribute: "expires_at",
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: RemovalPolicy.RETAIN,
      globalSecondaryIndexes: Object.entries(indexes).map(([indexName, attribute]) => ({
        indexName,
        partitionKey: { name: attribute, type: AttributeType.STRING },
        sortKey: { name: "id", type: AttributeType.NUMBER },
        projectionType: ProjectionType.INCLUDE,
        nonKeyAttributes: ["record"],
      })),
    });
  }

  /** Lets a function use the table by these actions and query these indexes; tells it the table's name. */
  grant(fn: LambdaFunction, actions: readonly TableAction[], queried: readonly TableIndex[]): void {
    const { tableArn, tableName } = this.table;
    fn.addEnvironment("TABLE_NAME", tableName);
    if (actions.length > 0) {
      fn.addToRolePolicy(
        new PolicyStatement({ actions: actions.map((action) => `dynamodb:${action}`), resources: [tableArn] }),
      );
    }
    if (queried.length > 0) {
      const resources = queried.map((index) => `${tableArn}/index/${index}`);
      fn.addToRolePolicy(new PolicyStatement({ actions: ["dynamodb:Query"], resources }));
    }
  }

  /** Lets a function read the public keys that access tokens are verified with, and nothing beside them. */
  grantPublicKeys(fn: LambdaFunction): void {
    fn.addEnvironment("TABLE_NAME", this.table.tableName);
    fn.addToRolePolicy(
      new PolicyStatement({
        actions: ["dynamodb:Query"],
        resources: [this.table.tableArn],
        conditions: { "ForAllValues:StringEquals": { "dynamodb:LeadingKeys": ["KEYS"] } },
      }),
    );
  }
}
