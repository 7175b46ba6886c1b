import * as dynamodb from "aws-cdk-lib/aws-dynamodb";
import { PolicyStatement } from "aws-cdk-lib/aws-iam";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { Construct } from "constructs";
import {
  type FunctionRow,
  type GuardedPartition,
  guardedPartitions,
  type TableIndex,
} from "../../functions/function-row.ts";
import { tableNameOf, tableSettings } from "../../stages/names.ts";
import type { Stage } from "../../stages/stage-shape.ts";
import { removalPolicyOf } from "./removal.ts";

/** A row has the version of its shape beside it, so that rows that older code wrote are read as such. */
const listRow = ["record", "schema_version"];

const { NUMBER, STRING } = dynamodb.AttributeType;

const indexes: Readonly<Record<TableIndex, Omit<dynamodb.GlobalSecondaryIndexPropsV2, "indexName">>> = {
  "by-state": listIndex("all_key", { name: "id", type: NUMBER }),
  "by-company": listIndex("company_key", { name: "id", type: NUMBER }),
  "by-month": listIndex("month_key", { name: "day_id", type: STRING }),
  "by-company-month": listIndex("company_month_key", { name: "id", type: NUMBER }),
  "by-mark": {
    partitionKey: { name: "mark_key", type: STRING },
    sortKey: { name: "mark_order", type: STRING },
    projectionType: dynamodb.ProjectionType.KEYS_ONLY,
  },
  "by-total": {
    partitionKey: { name: "total_key", type: STRING },
    sortKey: { name: "total_order", type: STRING },
    projectionType: dynamodb.ProjectionType.ALL,
  },
};

function listIndex(name: string, sortKey: dynamodb.Attribute) {
  const projection = { projectionType: dynamodb.ProjectionType.INCLUDE, nonKeyAttributes: [...listRow] };
  return { partitionKey: { name, type: STRING }, sortKey, ...projection };
}

export type RecordsTableProps = Pick<
  Stage,
  "name" | "tableName" | "removal" | "deletionProtection" | "writeUnitsPerSecond"
>;

/** The one table, with the indexes that its lists are read by. */
export class RecordsTable extends Construct {
  readonly table: dynamodb.TableV2;

  constructor(scope: Construct, id: string, props: RecordsTableProps) {
    super(scope, id);
    const { removal, deletionProtection, writeUnitsPerSecond } = props;
    // An index without a ceiling of its own has none.
    const ceiling = writeUnitsPerSecond === undefined ? {} : { maxWriteRequestUnits: writeUnitsPerSecond };
    this.table = new dynamodb.TableV2(this, "Table", {
      tableName: tableNameOf(props),
      partitionKey: { name: "pk", type: STRING },
      sortKey: { name: "sk", type: STRING },
      billing: dynamodb.Billing.onDemand(ceiling),
      timeToLiveAttribute: tableSettings.timeToLive,
      dynamoStream: dynamodb.StreamViewType[tableSettings.stream],
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: removalPolicyOf(removal),
      deletionProtection,
      globalSecondaryIndexes: Object.entries(indexes).map(([indexName, index]) => ({
        indexName,
        ...index,
        ...ceiling,
      })),
    });
  }

  /** The stream of the table's changes, with the items before and after. */
  get streamArn(): string {
    const { tableStreamArn } = this.table;
    if (tableStreamArn === undefined) throw new Error("The table has no stream");
    return tableStreamArn;
  }

  /** Lets a function use the table and the indexes as its row says, and sets the table's name. */
  grant(fn: LambdaFunction, { table: actions = [], indexes: queried = [], guarded = [] }: FunctionRow): void {
    this.#allow(fn, actions, keepOut(guarded));
    if (queried.length > 0) {
      const resources = queried.map((index) => `${this.table.tableArn}/index/${index}`);
      // A query of an index always names a partition.
      const conditions = outsideOf(guarded);
      fn.addToRolePolicy(new PolicyStatement({ actions: ["dynamodb:Query"], resources, conditions }));
    }
  }

  /** Lets a function read the public keys that access tokens are verified with, and nothing beside them. */
  grantPublicKeys(fn: LambdaFunction): void {
    this.#allow(fn, ["Query"], { "ForAllValues:StringEquals": { "dynamodb:LeadingKeys": ["KEYS"] }, ...namesKeys });
  }

  /** Lets a function read who has an API key: the items of users, one at a time. */
  grantKeyHolders(fn: LambdaFunction): void {
    this.#allow(fn, ["GetItem"], onlyIn("USER#*"));
  }

  #allow(fn: LambdaFunction, actions: readonly string[], conditions: object): void {
    const { tableArn, tableName } = this.table;
    fn.addEnvironment("TABLE_NAME", tableName);
    const allowed = actions.map((action) => `dynamodb:${action}`);
    fn.addToRolePolicy(new PolicyStatement({ actions: allowed, resources: [tableArn], conditions }));
  }
}

/** Keeps calls out of the guarded partitions but those that a function reaches. */
export function keepOut(reached: readonly GuardedPartition[]) {
  return { ...outsideOf(reached), ...namesKeys };
}

/** The same for a query of an index, which always names a partition. */
export function outsideOf(reached: readonly GuardedPartition[]) {
  const patterns = guardedPartitions.filter((each) => !reached.includes(each)).map((each) => each.replace(/#$/, "#*"));
  return { "ForAllValues:StringNotLike": { "dynamodb:LeadingKeys": patterns } };
}

/** Keeps calls to the partitions of a pattern. */
export function onlyIn(pattern: string) {
  return { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": [pattern] }, ...namesKeys };
}

/**
 * Keeps reads to some attributes, by their names at the top of the items, in the partitions of a pattern. Reads of whole items
 * are refused.
 */
export function onlyAttributesIn(pattern: string, attributes: readonly string[]) {
  return {
    ...onlyIn(pattern),
    "ForAllValues:StringEquals": { "dynamodb:Attributes": attributes },
    StringEquals: { "dynamodb:Select": "SPECIFIC_ATTRIBUTES" },
  };
}

/** A condition for all values holds where there are none: a call that names no key is refused. */
const namesKeys = { Null: { "dynamodb:LeadingKeys": "false" } };
