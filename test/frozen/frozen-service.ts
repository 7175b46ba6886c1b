import { BatchWriteItemCommand, DynamoDBClient, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, vi } from "vitest";
import { writeSecret } from "../../shared/secrets.ts";
import { settings } from "../../shared/settings.ts";
import { type Service, useService } from "../support/service/service.ts";
import { applications } from "../support/workers/pushes.ts";
import type { Left } from "./release.ts";
import { readFrozen } from "./samples.ts";

/** A service that a frozen release was replaced in, a minute ago. */
export interface FrozenService extends Service {
  readonly left: Left;
  /** Moves the clock to so many seconds after the release's last moment. */
  at(seconds: number): void;
}

/** Gives a test file the table and the secrets of a frozen release. */
export function useFrozenService(release: string): FrozenService {
  const left = readFrozen(release);
  const at = (seconds: number) => {
    vi.useFakeTimers({ now: Date.parse(left.held.moment) + seconds * 1000, toFake: ["Date"] });
  };
  const service = Object.assign(useService(), { left, at });
  beforeAll(async () => {
    const { hmac, signing } = left.secrets;
    await writeSecret(settings.hmacSecretArn(), hmac);
    await writeSecret(settings.signingSecretArn(), signing);
    process.env.PLATFORM_APPLICATIONS = JSON.stringify(applications);
    await putItems(service);
    at(60);
  });
  afterAll(() => void vi.useRealTimers());
  return service;
}

/** The moments of the samples have passed: without that, an engine that minds the time to live may delete them. */
async function putItems({ tableName, left }: FrozenService): Promise<void> {
  const client = new DynamoDBClient({});
  const TimeToLiveSpecification = { AttributeName: "expires_at", Enabled: false };
  await client.send(new UpdateTimeToLiveCommand({ TableName: tableName, TimeToLiveSpecification }));
  for (let at = 0; at < left.items.length; at += 25) {
    const requests = left.items.slice(at, at + 25).map((Item) => ({ PutRequest: { Item } }));
    await client.send(new BatchWriteItemCommand({ RequestItems: { [tableName]: requests } }));
  }
  client.destroy();
}
