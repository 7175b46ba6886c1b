import type { PushService } from "../../contract/devices.ts";
import { deviceKey } from "../table/keys.ts";
import { type Item, queryPages, updateIf } from "../table/table.ts";

/** A device of a user as pushes reach it. */
export interface StoredDevice {
  readonly id: number;
  readonly token: string;
  readonly pushService: PushService;
  /** Its endpoint at SNS, once it has one. */
  readonly endpointArn: string | undefined;
}

/** Access pattern PS2: a user's devices, at most 20. 0.5 read units for 4 KB of tokens. */
export async function findDevices(userId: number): Promise<StoredDevice[]> {
  const { pk } = deviceKey(userId, 0);
  const devices: StoredDevice[] = [];
  const pages = queryPages({
    KeyConditionExpression: "pk = :pk AND begins_with(sk, :device)",
    ExpressionAttributeValues: { ":pk": pk, ":device": "DEVICE#" },
  });
  for await (const page of pages) devices.push(...page.map(toDevice));
  return devices;
}

/** Access pattern PS3: keeps a device's endpoint with it, unless the device is gone. 1 write unit. */
export async function keepEndpoint(userId: number, id: number, endpointArn: string): Promise<void> {
  await updateIf({
    Key: { ...deviceKey(userId, id) },
    ConditionExpression: "attribute_exists(pk)",
    UpdateExpression: "SET endpoint_arn = :endpoint",
    ExpressionAttributeValues: { ":endpoint": endpointArn },
  });
}

function toDevice({ id, token, push_service, endpoint_arn }: Item): StoredDevice {
  return { id, token, pushService: push_service, endpointArn: endpoint_arn } as StoredDevice;
}
