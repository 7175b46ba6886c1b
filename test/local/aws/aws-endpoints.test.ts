import { GetSecretValueCommand, PutSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { ListIdentitiesCommand, SESClient, SendEmailCommand } from "@aws-sdk/client-ses";
import {
  CreatePlatformEndpointCommand,
  DeleteEndpointCommand,
  PublishCommand,
  SetEndpointAttributesCommand,
  SNSClient,
} from "@aws-sdk/client-sns";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type AwsEndpoints, startAwsEndpoints } from "../../../infra/local/aws/aws-endpoints.ts";
import { generateSecret } from "../../../infra/local/aws/generate-secret.ts";
import { openInbox } from "../../../infra/local/aws/inbox.ts";
import { localCredentials } from "../../../infra/local/aws/local-credentials.ts";
import { openSecrets, secretArn } from "../../../infra/local/aws/secrets-manager.ts";

const region = "eu-west-2";
const inbox = openInbox();
const secrets = openSecrets(region);
let endpoints: AwsEndpoints;
let ses: SESClient;
let sns: SNSClient;
let manager: SecretsManagerClient;

beforeAll(async () => {
  endpoints = await startAwsEndpoints({ inbox, secrets });
  const config = { endpoint: endpoints.endpoint, region, credentials: localCredentials, maxAttempts: 1 };
  ses = new SESClient(config);
  sns = new SNSClient(config);
  manager = new SecretsManagerClient(config);
});

afterAll(() => endpoints.close());
beforeEach(() => inbox.clear());

const email = new SendEmailCommand({
  Source: "no-reply@workforce.example",
  Destination: { ToAddresses: ["a@b.example"] },
  Message: { Subject: { Data: "Pin <1> & é" }, Body: { Text: { Data: "012345" }, Html: { Data: "<b>012345</b>" } } },
});

describe("SES", () => {
  it("puts an e-mail into the inbox with subject, text and HTML", async () => {
    const { MessageId } = await ses.send(email);
    expect(MessageId).toBeTruthy();
    expect(inbox.entries()).toEqual([
      {
        channel: "email",
        to: "a@b.example",
        subject: "Pin <1> & é",
        text: "012345",
        html: "<b>012345</b>",
        sent_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    ]);
  });

  it("fails as often as it is configured to, then works again", async () => {
    endpoints.failNext("SendEmail", "Throttling", 2);
    await expect(ses.send(email)).rejects.toMatchObject({ name: "Throttling" });
    await expect(ses.send(email)).rejects.toMatchObject({ name: "Throttling" });
    await ses.send(email);
    expect(inbox.entries()).toHaveLength(1);
  });

  it("names an action it does not know", async () => {
    await expect(ses.send(new ListIdentitiesCommand({}))).rejects.toThrow(/ListIdentities/);
  });
});

describe("SNS", () => {
  const application = `arn:aws:sns:${region}:000000000000:app/GCM/workforce`;
  const register = (Token: string, CustomUserData?: string) =>
    sns.send(new CreatePlatformEndpointCommand({ PlatformApplicationArn: application, Token, CustomUserData }));

  it("puts an SMS into the inbox", async () => {
    const type = { DataType: "String", StringValue: "Transactional" };
    const MessageAttributes = { "AWS.SNS.SMS.SMSType": type };
    await sns.send(new PublishCommand({ PhoneNumber: "+447700900123", Message: "Pin 1", MessageAttributes }));
    expect(inbox.entries()).toMatchObject([{ channel: "sms", to: "+447700900123", text: "Pin 1", html: null }]);
  });

  it("refuses a phone number that is not one", async () => {
    const publish = sns.send(new PublishCommand({ PhoneNumber: "07700", Message: "x" }));
    await expect(publish).rejects.toMatchObject({ name: "InvalidParameterException" });
  });

  it("pushes to an endpoint until it is disabled or deleted", async () => {
    const { EndpointArn } = await register("device-1");
    const push = () => sns.send(new PublishCommand({ TargetArn: EndpointArn, Message: "hello" }));
    await push();
    expect(inbox.entries()).toMatchObject([{ channel: "push", to: "device-1", text: "hello" }]);

    await sns.send(new SetEndpointAttributesCommand({ EndpointArn, Attributes: { Enabled: "false" } }));
    await expect(push()).rejects.toMatchObject({ name: "EndpointDisabledException" });
    await sns.send(new DeleteEndpointCommand({ EndpointArn }));
    await expect(push()).rejects.toMatchObject({ name: "NotFoundException" });
  });

  it("gives a token's endpoint again, but refuses it with other user data", async () => {
    const first = await register("device-2", "7");
    expect((await register("device-2", "7")).EndpointArn).toBe(first.EndpointArn);
    await expect(register("device-2", "8")).rejects.toThrow(/already exists with the same Token/);
  });
});

describe("Secrets Manager", () => {
  it("gives a secret by name and by ARN, as the stack generates it", async () => {
    const generation = { SecretStringTemplate: '{"version":1}', GenerateStringKey: "key", PasswordLength: 40 };
    secrets.ensure("hmac-key", () => generateSecret({ ...generation, ExcludePunctuation: true }));
    for (const SecretId of ["hmac-key", secretArn("hmac-key", region)]) {
      const { SecretString = "" } = await manager.send(new GetSecretValueCommand({ SecretId }));
      expect(JSON.parse(SecretString)).toEqual({ version: 1, key: expect.stringMatching(/^[a-zA-Z0-9]{40}$/) });
    }
  });

  it("gives the newest value of a secret", async () => {
    secrets.ensure("rotated", () => "one");
    for (const SecretString of ["two", "three"]) {
      await manager.send(new PutSecretValueCommand({ SecretId: "rotated", SecretString }));
    }
    expect((await manager.send(new GetSecretValueCommand({ SecretId: "rotated" }))).SecretString).toBe("three");
  });

  it("does not find an unknown secret", async () => {
    const read = manager.send(new GetSecretValueCommand({ SecretId: "nothing" }));
    await expect(read).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  });
});
