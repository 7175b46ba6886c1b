import { describe, expect, it } from "vitest";
import { resolveValue } from "../../../infra/local/stack/references.ts";
import { readStack } from "../../../infra/local/stack/template.ts";

const names = { ref: (id: string) => `<${id}>`, attribute: (id: string, name: string) => `<${id}.${name}>` };

/** A text with `${name}` for each `<name>`. */
const pattern = (text: string) => text.replaceAll(/<([^>]+)>/g, "$${$1}");

describe("an intrinsic function", () => {
  it.each([
    ["Ref", { Ref: "AWS::Region" }, "<AWS::Region>"],
    ["Fn::GetAtt", { "Fn::GetAtt": ["Queue", "Arn"] }, "<Queue.Arn>"],
    ["Fn::Join", { "Fn::Join": ["/", ["a", { Ref: "B" }, "c"]] }, "a/<B>/c"],
    ["Fn::Sub", { "Fn::Sub": pattern("<A>-<B>") }, "<A>-<B>"],
    ["a deep place", { a: [{ b: { Ref: "C" } }] }, { a: [{ b: "<C>" }] }],
  ])("%s is carried out", (_, value, expected) => {
    expect(resolveValue(value, names)).toEqual(expected);
  });

  it("that is unknown is named", () => {
    expect(() => resolveValue({ "Fn::ImportValue": "x" }, names)).toThrow(/Fn::ImportValue/);
  });
});

const arn = (id: string) => ({ "Fn::GetAtt": [id, "Arn"] });
const template = {
  Resources: {
    Table: { Type: "AWS::DynamoDB::GlobalTable", Properties: { KeySchema: [] } },
    Dead: { Type: "AWS::SQS::Queue" },
    Queue: {
      Type: "AWS::SQS::Queue",
      Properties: { VisibilityTimeout: 60, RedrivePolicy: { deadLetterTargetArn: arn("Dead"), maxReceiveCount: 3 } },
    },
    Secret: { Type: "AWS::SecretsManager::Secret", Properties: { GenerateSecretString: { PasswordLength: 64 } } },
    Fn: {
      Type: "AWS::Lambda::Function",
      Properties: {
        Timeout: 10,
        Environment: {
          Variables: {
            OPERATION: "get-thing",
            TABLE_NAME: { Ref: "Table" },
            QUEUE_URL: { Ref: "Queue" },
            SECRET_ARN: { Ref: "Secret" },
            LIMIT: 5,
          },
        },
      },
    },
    Version: { Type: "AWS::Lambda::Version", Properties: { FunctionName: { Ref: "Fn" } } },
    Provider: { Type: "AWS::Lambda::Function", Properties: { Runtime: { "Fn::FindInMap": ["Runtimes", "x", "y"] } } },
    Deploy: { Type: "Custom::Trigger", Properties: { ServiceToken: arn("Provider"), HandlerArn: { Ref: "Version" } } },
    Integration: {
      Type: "AWS::ApiGatewayV2::Integration",
      Properties: { IntegrationUri: { "Fn::Join": ["", ["x:lambda:path/functions/", arn("Fn"), "/invocations"]] } },
    },
    Route: {
      Type: "AWS::ApiGatewayV2::Route",
      Properties: { RouteKey: "GET /thing", Target: { "Fn::Join": ["", ["integrations/", { Ref: "Integration" }]] } },
    },
    Mapping: {
      Type: "AWS::Lambda::EventSourceMapping",
      Properties: {
        EventSourceArn: arn("Queue"),
        FunctionName: { Ref: "Fn" },
        BatchSize: 4,
        FunctionResponseTypes: ["ReportBatchItemFailures"],
      },
    },
    Consumer: {
      Type: "AWS::Lambda::EventSourceMapping",
      Properties: {
        EventSourceArn: { "Fn::GetAtt": ["Table", "StreamArn"] },
        FunctionName: { Ref: "Fn" },
        BatchSize: 100,
        FunctionResponseTypes: ["ReportBatchItemFailures"],
        FilterCriteria: { Filters: [{ Pattern: '{"eventName":["INSERT"]}' }] },
        MaximumRecordAgeInSeconds: 3600,
        DestinationConfig: { OnFailure: { Destination: arn("Dead") } },
      },
    },
    Bus: { Type: "AWS::Events::EventBus", Properties: { Name: "intake" } },
    Rule: {
      Type: "AWS::Events::Rule",
      Properties: {
        EventBusName: { Ref: "Bus" },
        EventPattern: { source: [{ prefix: "" }] },
        Targets: [{ Arn: arn("Queue"), Id: "Target0" }],
      },
    },
    Schedule: {
      Type: "AWS::Scheduler::Schedule",
      Properties: {
        ScheduleExpression: "cron(5 0 * * ? *)",
        ScheduleExpressionTimezone: "Europe/London",
        Target: { Arn: arn("Fn") },
      },
    },
  },
};

describe("the stack", () => {
  const place = { region: "eu-west-2", queueEndpoint: "http://127.0.0.1:9" };
  const stack = readStack(template, "/bundles", place);

  it("gives each function its bundle and its settings with local names", () => {
    expect(stack.functions).toEqual([
      {
        name: "get-thing",
        directory: "/bundles/get-thing",
        timeoutSeconds: 10,
        memoryMegabytes: 128,
        environment: {
          OPERATION: "get-thing",
          TABLE_NAME: "Table",
          QUEUE_URL: "http://127.0.0.1:9/000000000000/Queue",
          SECRET_ARN: "arn:aws:secretsmanager:eu-west-2:000000000000:secret:Secret-local0",
          LIMIT: "5",
        },
      },
    ]);
  });

  it("leads routes and queues to functions", () => {
    expect(stack.routes).toEqual([{ routeKey: "GET /thing", functionName: "get-thing" }]);
    expect(stack.mappings).toEqual([
      { queueName: "Queue", functionName: "get-thing", batchSize: 4, reportsItemFailures: true },
    ]);
  });

  it("leads the table's stream to functions, with the filters that the mapping names", () => {
    expect(stack.streamMappings).toEqual([
      {
        functionName: "get-thing",
        streamArn: "arn:aws:dynamodb:eu-west-2:000000000000:table/Table/stream/local",
        batchSize: 100,
        reportsItemFailures: true,
        filters: [{ eventName: ["INSERT"] }],
      },
    ]);
  });

  it("leads event buses to queues, and schedules to functions", () => {
    const rules = [{ busName: "intake", pattern: { source: [{ prefix: "" }] }, queueNames: ["Queue"] }];
    expect(stack.buses).toEqual({ names: ["intake"], rules });
    const time = { hour: 0, minute: 5, timeZone: "Europe/London" };
    expect(stack.schedules).toEqual([{ functionName: "get-thing", ...time }]);
  });

  it("refuses a schedule that it could not keep", () => {
    const Properties = { ScheduleExpression: "rate(5 minutes)", Target: { Arn: arn("Fn") } };
    const changed = {
      Resources: { ...template.Resources, Schedule: { Type: "AWS::Scheduler::Schedule", Properties } },
    };
    expect(() => readStack(changed, "/bundles", place)).toThrow("rate(5 minutes)");
  });

  it("names the functions that a deploy calls, and leaves out the CDK's own", () => {
    expect(stack.triggers).toEqual(["get-thing"]);
    expect(stack.functions.map(({ name }) => name)).toEqual(["get-thing"]);
  });

  it("gives queues the attributes that SQS takes", () => {
    const RedrivePolicy = '{"deadLetterTargetArn":"arn:aws:sqs:eu-west-2:000000000000:Dead","maxReceiveCount":3}';
    expect(stack.queues).toEqual([
      { name: "Dead", attributes: {} },
      { name: "Queue", attributes: { VisibilityTimeout: "60", RedrivePolicy } },
    ]);
  });
});
