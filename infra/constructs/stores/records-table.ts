import { AttributeType, Billing, ProjectionType, StreamViewType, TableV2 } from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import { schemaAttributes } from "../../../shared/db/table/entity.ts";
import type { TableAction, TableIndex } from "../../functions/function-row.ts";
import type { Stage } from "../../stages/stages.ts";
import { removalPolicyOf } from "./removal.ts";

interface IndexShape {
  readonly partitionKey: string;
  readonly sortKey: string;
  readonly sortType: AttributeType;
  /** What an index carries beside its keys: a list's rows, or nothing. */
  readonly carries: readonly string[];
}

/** A row has the version of its shape beside it, so that rows that older code wrote are read as such. */
const listRow = ["record", ...schemaAttributes];

const indexes: Readonly<Record<TableIndex, IndexShape>> = {
  "by-state": { partitionKey: "all_key", sortKey: "id", sortType: AttributeType.NUMBER, carries: listRow },
  "by-company": { partitionKey: "company_key", sortKey: "id", sortType: AttributeType.NUMBER, carries: listRow },
  "by-month": { partitionKey: "month_key", sortKey: "day_id", sortType: AttributeType.STRING, carries: listRow },
  "by-company-month": {
    partitionKey: "company_month_key",
    sortKey: "day_id",
    sortType: AttributeType.STRING,
    carries: listRow,
  },
  "by-mark": { partitionKey: "mark_key", sortKey: "mark_order", sortType: AttributeType.STRING, carries: [] },
};

/** The names of the indexes. */
export const tableIndexes = Object.keys(indexes) as readonly TableIndex[];

/** What the table is made from. */
export interface RecordsTableProps extends Pick<Stage, "removal" | "deletionProtection"> {
  readonly name: string;
}

/** The one table, with the indexes that its lists are read by. */
export class RecordsTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, { name, removal, deletionProtection }: RecordsTableProps) {
    super(scope, id);
    this.table = new TableV2(this, "Table", {
      tableName: name,
      partitionKey: { name: "pk", type: AttributeType.STRING },
      sortKey: { name: "sk", type: AttributeType.STRING },
      billing: Billing.onDemand(),
      timeToLiveAttribute: "expires_at",
      dynamoStream: StreamViewType.NEW_AND_OLD_IMAGES,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: removalPolicyOf(removal),
      deletionProtection,
      globalSecondaryIndexes: Object.entries(indexes).map(
        ([indexName, { partitionKey, sortKey, sortType, carries }]) => ({
          indexName,
          partitionKey: { name: partitionKey, type: AttributeType.STRING },
          sortKey: { name: sortKey, type: sortType },
          ...(carries.length > 0
            ? { projectionType: ProjectionType.INCLUDE, nonKeyAttributes: [...carries] }
            : { projectionType: ProjectionType.KEYS_ONLY }),
        }),
      ),
    });
  }

  /** The stream of the table's changes, with the items before and after. */
  get streamArn(): string {
    const { tableStreamArn } = this.table;
    if (tableStreamArn === undefined) throw new Error("The table has no stream");
    return tableStreamArn;
  }

  /** Lets a function use the table by these actions and query these indexes, and sets the table's name. */
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
