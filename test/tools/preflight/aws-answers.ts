import type { FakeAnswer } from "../fake-aws.ts";

export const gone = { error: "ResourceNotFoundException" };

/** An account in which a first deploy of dev works, and all that it sends arrives. */
export const ready: Readonly<Record<string, FakeAnswer>> = {
  GetParameter: { json: { Parameter: { Value: "27" } } },
  DescribeStacks: { error: "ValidationError" },
  DescribeTable: gone,
  DescribeSecret: gone,
  "GET /v2/email/identities/no-reply%40harbour-logistics.co.uk": { json: { VerifiedForSendingStatus: true } },
  "GET /v2/email/account": { json: { ProductionAccessEnabled: true, SendQuota: { Max24HourSend: 50_000 } } },
  GetParameters: services("us-east-1", "eu-west-1"),
  GetSMSSandboxAccountStatus: { xml: "<IsInSandbox>false</IsInSandbox>" },
  GetSMSAttributes: { xml: spendLimit(50) },
  "GET /2016-08-19/account-settings": { json: { AccountLimit: { ConcurrentExecutions: 1_000 } } },
};

/** AWS's answer about regions: that they have every service. */
export function services(...regions: string[]): FakeAnswer {
  return { json: { Parameters: regions.flatMap((region) => servicesIn(region)) } };
}

/** That eu-west-1 has every service but one. */
export function servicesWithout(absent: string): FakeAnswer {
  return { json: { Parameters: [...servicesIn("us-east-1"), ...servicesIn("eu-west-1", absent)] } };
}

function servicesIn(region: string, absent?: string): { readonly Name: string }[] {
  const names = "apigateway dynamodb lambda scheduler ses sns sqs backup codedeploy xray".split(" ");
  const path = "/aws/service/global-infrastructure/regions";
  return names.filter((name) => name !== absent).map((name) => ({ Name: `${path}/${region}/services/${name}` }));
}

function spendLimit(dollars: number): string {
  return `<attributes><entry><key>MonthlySpendLimit</key><value>${dollars}</value></entry></attributes>`;
}

export function stackStatus(status: string, isProtected = true): FakeAnswer {
  const created = "<CreationTime>2026-01-01T00:00:00Z</CreationTime>";
  const protection = `<EnableTerminationProtection>${isProtected}</EnableTerminationProtection>`;
  const stack = `<StackName>Workforce-dev</StackName>${created}<StackStatus>${status}</StackStatus>${protection}`;
  return { xml: `<Stacks><member>${stack}</member></Stacks>` };
}

export const arn = "arn:aws:dynamodb:eu-west-1:000000000000:table/workforce-dev-records";

const Table = {
  TableArn: arn,
  StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
};

/** A table in a stack, as the stack asks for it. */
export const asAsked: Readonly<Record<string, FakeAnswer>> = {
  DescribeStacks: stackStatus("UPDATE_COMPLETE"),
  DescribeTable: { json: { Table: { ...Table, DeletionProtectionEnabled: true } } },
  DescribeTimeToLive: {
    json: { TimeToLiveDescription: { AttributeName: "expires_at", TimeToLiveStatus: "ENABLED" } },
  },
  DescribeContinuousBackups: {
    json: {
      ContinuousBackupsDescription: {
        ContinuousBackupsStatus: "ENABLED",
        PointInTimeRecoveryDescription: { PointInTimeRecoveryStatus: "ENABLED" },
      },
    },
  },
  ListTagsOfResource: {
    json: {
      Tags: [
        { Key: "service", Value: "workforce-api" },
        { Key: "stage", Value: "dev" },
      ],
    },
  },
};

export const unprotectedTable: FakeAnswer = { json: { Table } };
