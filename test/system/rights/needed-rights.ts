import type { AwsCall } from "../../support/faults/aws-calls.ts";

/** The right that a call needs from IAM: an action on a resource, and the values that conditions may look at. */
export interface NeededRight {
  readonly action: string;
  /** An ARN, or what a setting names, as `<TABLE_NAME>/index/by-mark`. */
  readonly resource: string;
  readonly context: Readonly<Record<string, readonly string[]>>;
}

// Inputs are looked into as the service does, whatever command they are of.
// biome-ignore lint/suspicious/noExplicitAny: the input of any command
type Input = any;

/** The rights that a call needs; a transaction and a batch need those of their members. */
export function neededRights({ service, command, input }: AwsCall): NeededRight[] {
  const name = command.replace(/Command$/, "");
  const read = readers[service];
  if (!read) throw new Error(`No test knows what rights calls of ${service} need`);
  return read(name, input);
}

const readers: Readonly<Record<string, (name: string, input: Input) => NeededRight[]>> = {
  DynamoDB: tableRights,
  Lambda: (_, { FunctionName, Qualifier }) => [
    right(
      "lambda:InvokeFunction",
      `arn:aws:lambda:region:account:function:${[FunctionName, Qualifier].filter(Boolean).join(":")}`,
    ),
  ],
  "DynamoDB Streams": (name) => [right(`dynamodb:${name}`, "<TABLE_NAME>")],
  SQS: (name, { QueueUrl }) => [right(`sqs:${name.replace(/Batch$/, "")}`, settingOf(QueueUrl))],
  "Secrets Manager": (name, { SecretId }) => [right(`secretsmanager:${name}`, settingOf(SecretId))],
  EventBridge: (name, { Entries }) =>
    Entries.map(({ EventBusName }: Input) => right(`events:${name}`, settingOf(EventBusName))),
  SES: (name, { Source, ConfigurationSetName }) => {
    const sender = settingOf(Source);
    return [`identity/${sender}`, `configuration-set/${settingOf(ConfigurationSetName)}`].map((each) =>
      right(`ses:${name}`, `arn:aws:ses:region:account:${each}`, { "ses:FromAddress": [sender] }),
    );
  },
  SNS: (name, { PhoneNumber, TopicArn, TargetArn, EndpointArn, PlatformApplicationArn }) => {
    if (PhoneNumber) return [right(`sns:${name}`, "a phone number")];
    const arn = String(TopicArn ?? TargetArn ?? EndpointArn ?? PlatformApplicationArn);
    return [right(`sns:${name}`, arn.replace(/(:endpoint\/.*\/).*/, "$1device"))];
  },
};

function tableRights(name: string, input: Input): NeededRight[] {
  if (name === "TransactWriteItems" || name === "TransactGetItems") {
    return input.TransactItems.flatMap((each: Input) =>
      Object.entries(each).flatMap(([kind, member]) => tableRights(`${kind}Item`, member)),
    );
  }
  if (name === "BatchGetItem" || name === "BatchWriteItem") {
    return Object.entries(input.RequestItems).map(([table, asked]: [string, Input]) => {
      const isRead = name === "BatchGetItem";
      const keys: Input[] = isRead ? asked.Keys : asked.map(({ PutRequest }: Input) => PutRequest.Item);
      const context = { "dynamodb:LeadingKeys": [...new Set(keys.map(({ pk }) => kindOf(pk)))] };
      return right(`dynamodb:${name}`, settingOf(table), { ...context, ...(isRead && selected(asked)) });
    });
  }
  const index = input.IndexName ? `/index/${input.IndexName}` : "";
  const partition = name === "Query" ? partitionOf(input) : (input.Key ?? input.Item)?.pk;
  const context: NeededRight["context"] = {
    ...(partition !== undefined && { "dynamodb:LeadingKeys": [kindOf(partition)] }),
    ...(/^(GetItem|Query|Scan)$/.test(name) && selected(input)),
  };
  return [right(`dynamodb:${name}`, `${settingOf(input.TableName)}${index}`, context)];
}

/** The attributes that a read returns: their names at the top of the items, or all of them. */
function selected({ ProjectionExpression, ExpressionAttributeNames = {}, Select }: Input): NeededRight["context"] {
  if (!ProjectionExpression) return { "dynamodb:Select": [Select ?? "ALL_ATTRIBUTES"] };
  const tops: string[] = ProjectionExpression.split(",").map((path: string) => path.trim().split(/[.[]/)[0]);
  const names = new Set(["pk", "sk", ...tops.map((top) => ExpressionAttributeNames[top] ?? top)]);
  return { "dynamodb:Attributes": [...names].toSorted(), "dynamodb:Select": ["SPECIFIC_ATTRIBUTES"] };
}

function partitionOf({ KeyConditionExpression, ExpressionAttributeValues }: Input): string {
  const [, value = ""] = /^\S+ = (:\w+)/.exec(KeyConditionExpression) ?? [];
  return ExpressionAttributeValues[value];
}

/**
 * A partition key shows whose record it is; its kind is all that conditions may look at here. The runs of imports are a
 * kind of their own in the history.
 */
function kindOf(key: string): string {
  return /^(?:HISTORY#IMPORT#|[^#]*#?)/.exec(key)?.[0] ?? "";
}

const settingNames = new Map<unknown, string>();
// Other settings, such as an issuer, may have the same value.
const namesResource = /(?:_NAME|_ARN|_URL|_ADDRESS|_SET)$/;

/** The setting that names a resource to the function; the resource itself where none does. */
function settingOf(resource: unknown): string {
  // To go through the whole environment for each write of a transaction would slow tests down that make thousands.
  const known = settingNames.get(resource);
  if (known !== undefined && process.env[known] === resource) return `<${known}>`;
  const [name] =
    Object.entries(process.env).find(([key, value]) => value === resource && namesResource.test(key)) ?? [];
  if (name === undefined) return String(resource);
  settingNames.set(resource, name);
  return `<${name}>`;
}

function right(action: string, resource: string, context: NeededRight["context"] = {}): NeededRight {
  return { action, resource, context };
}
