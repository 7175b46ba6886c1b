import { join } from "node:path";
import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
import { ListIdentitiesCommand, SESClient, SendEmailCommand } from "@aws-sdk/client-ses";
import { CreatePlatformEndpointCommand, PublishCommand, SNSClient } from "@aws-sdk/client-sns";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AwsEndpoints, startAwsEndpoints } from "../../../infra/runtime/aws/aws-endpoints.ts";
import { openEventBuses } from "../../../infra/runtime/aws/event-buses.ts";
import { openInbox } from "../../../infra/runtime/aws/inbox.ts";
import { localCredentials } from "../../../infra/runtime/aws/local-credentials.ts";
import { snsActions } from "../../../infra/runtime/aws/messages.ts";
import { generateSecret, openSecrets, secretArn } from "../../../infra/runtime/aws/secrets-manager.ts";
import { newFolder } from "../../support/service/new-folder.ts";

const region = "eu-west-2";
const inbox = openInbox();
const secrets = openSecrets();
let endpoints: AwsEndpoints;
let ses: SESClient;
let sns: SNSClient;
let manager: SecretsManagerClient;

beforeAll(async () => {
  endpoints = await startAwsEndpoints({ inbox, secrets, buses: openEventBuses(region) });
  const config = { endpoint: endpoints.endpoint, region, credentials: localCredentials, maxAttempts: 1 };
  ses = new SESClient(config);
  sns = new SNSClient(config);
  manager = new SecretsManagerClient(config);
});

afterAll(() => endpoints.close());

describe("SES", () => {
  it("names an action it does not know", async () => {
    await expect(ses.send(new ListIdentitiesCommand({}))).rejects.toThrow(/ListIdentities/);
  });

  it.each([
    ["no recipient", [], "from@x.example", "header 'To'"],
    ["no sender", ["to@x.example"], "", "header 'From'"],
    ["a local part outside of ASCII", ["zoë@x.example"], "from@x.example", "Local address"],
    ["a domain outside of ASCII", ["to@größe.example"], "from@x.example", "Domain"],
    ["a local part that ends with a dot", ["to.@x.example"], "from@x.example", "Local address"],
    ["a local part with two dots in a row", ["t..o@x.example"], "from@x.example", "Local address"],
  ])("refuses a message with %s, which reaches nobody", async (_, ToAddresses, Source, reason) => {
    const Message = { Subject: { Data: "x" }, Body: { Text: { Data: "x" } } };
    const sent = ses.send(new SendEmailCommand({ Source, Destination: { ToAddresses }, Message }));
    await expect(sent).rejects.toMatchObject({
      name: "InvalidParameterValue",
      message: expect.stringContaining(reason),
    });
    expect(inbox.entries()).toEqual([]);
  });
});

describe("SNS", () => {
  const application = `arn:aws:sns:${region}:000000000000:app/GCM/workforce`;
  const register = (Token: string, CustomUserData?: string) =>
    sns.send(new CreatePlatformEndpointCommand({ PlatformApplicationArn: application, Token, CustomUserData }));

  it("refuses a phone number that is not one", async () => {
    const publish = sns.send(new PublishCommand({ PhoneNumber: "07700", Message: "x" }));
    await expect(publish).rejects.toMatchObject({ name: "InvalidParameterException" });
    expect(inbox.entries()).toEqual([]);
  });

  it.each([
    ["its platform's part", { default: "d", GCM: "g" }, "g"],
    ["the part for all, if its platform has none", { default: "d", APNS: "a" }, "d"],
    ["no part, if none is for all", { GCM: "g" }, undefined],
    ["no part that is no text", { default: "d", GCM: {} }, undefined],
    ["no text", "{", undefined],
  ])("sends a device %s", async (_, parts, text) => {
    const { EndpointArn: TargetArn } = await register(`device-${JSON.stringify(parts)}`);
    const Message = typeof parts === "string" ? parts : JSON.stringify(parts);
    const before = inbox.entries().length;
    const published = sns.send(new PublishCommand({ TargetArn, MessageStructure: "json", Message }));
    if (text === undefined) await expect(published).rejects.toMatchObject({ name: "InvalidParameterException" });
    else await published;
    expect(inbox.entries().slice(before)).toMatchObject(text === undefined ? [] : [{ channel: "push" }]);
    if (text !== undefined) expect(inbox.entries()[0]?.text).toBe(text);
  });

  it("sends a message without parts to a device as it is", async () => {
    const { EndpointArn: TargetArn } = await register("device-plain");
    await sns.send(new PublishCommand({ TargetArn, Message: '{"default":"d"}' }));
    expect(inbox.entries()[0]?.text).toBe('{"default":"d"}');
  });

  it("gives a token's endpoint again, but refuses it with other user data", async () => {
    const first = await register("device-2", "7");
    expect((await register("device-2", "7")).EndpointArn).toBe(first.EndpointArn);
    await expect(register("device-2", "8")).rejects.toThrow(/already exists with the same Token/);
  });

  it("keeps endpoints, changed ones and removals for the next start", () => {
    const file = join(newFolder(), "push-endpoints.json");
    const act = (name: string, parameters: Record<string, string>) =>
      snsActions(inbox, file)[name]?.(new URLSearchParams(parameters));
    const { EndpointArn = "" } =
      act("CreatePlatformEndpoint", { PlatformApplicationArn: application, Token: "t" }) ?? {};
    const off = { "Attributes.entry.1.key": "Enabled", "Attributes.entry.1.value": "false" };
    act("SetEndpointAttributes", { EndpointArn, ...off });
    const publish = () => act("Publish", { TargetArn: EndpointArn, Message: "m" });
    expect(publish).toThrow("Endpoint is disabled");
    act("DeleteEndpoint", { EndpointArn });
    expect(publish).toThrow("Endpoint does not exist");
  });
});

describe("Secrets Manager", () => {
  it("gives a secret by name and by ARN, as the stack generates it", async () => {
    const generation = { SecretStringTemplate: '{"version":1}', GenerateStringKey: "key", PasswordLength: 40 };
    secrets.ensure("hmac-key", () => generateSecret(generation));
    for (const SecretId of ["hmac-key", secretArn("hmac-key", region)]) {
      const { SecretString = "" } = await manager.send(new GetSecretValueCommand({ SecretId }));
      expect(JSON.parse(SecretString)).toEqual({ version: 1, key: expect.stringMatching(/^[a-zA-Z0-9]{40}$/) });
    }
  });

  it("does not find an unknown secret", async () => {
    const read = manager.send(new GetSecretValueCommand({ SecretId: "nothing" }));
    await expect(read).rejects.toMatchObject({ name: "ResourceNotFoundException" });
  });
});
