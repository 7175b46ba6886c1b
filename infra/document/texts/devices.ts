import {
  device,
  deviceToken,
  listDeviceTokens,
  registerDeviceToken,
  removeDeviceToken,
} from "../../../shared/contract/devices.ts";
import { deviceFields } from "./fields.ts";
import { describes, shapes } from "./text.ts";

export const deviceTokenText = shapes(deviceToken, "A device that receives its user's pushes.", {
  id: deviceFields.id,
  platform: ["The platform that was sent at the registration; if none was, the push service: `fcm` or `apns`.", "ios"],
  token: deviceFields.token,
});

export const registerDeviceTokenText = describes(registerDeviceToken, {
  description: `Call it after signing in, and whenever the operating system hands out a new token. Registering the same token again is
fine: it keeps its id. Of a phone that changed hands, the token moves to the current user, and the former one's list says when.
A device belongs to the session that registers it, and leaves with it. Of more than 20 devices of a user the oldest is dropped.`,
  body: {
    text: "The device to push to.",
    fields: {
      token: deviceFields.token,
      platform: [
        "Push service or system, in any case: `fcm`, `gcm`, `google`, `android` or `web` for FCM; `apns` for APNs, `apns_sandbox` for builds under development. With `ios`, `apple` or none, a token of 64 to 400 hexadecimal digits is one of APNs and any other one of FCM.",
        "ios",
      ],
      device_id: deviceFields.device_id,
    },
  },
  answer: {
    text: "Pushes will arrive on the device.",
    fields: { notification: ["The device as stored. Keep its `id`."] },
  },
});

export const removeDeviceTokenText = describes(removeDeviceToken, {
  description: `Stops pushes to one device, for instance when its user switches them off. Signing out does it by itself. Removing a device
that is gone already succeeds.`,
  parameters: { id: deviceFields.id },
  answer: { text: "The device is removed. The body is an empty object.", fields: {} },
});

export const deviceText = shapes(device, "A device of the caller.", {
  id: deviceFields.id,
  platform: ["The platform that was sent at the registration; if none was, the push service: `fcm` or `apns`.", "ios"],
  device_id: deviceFields.device_id,
  registered_at: ["Time at which this token was first registered.", "2026-04-20T06:58:12.000Z"],
  current: ["True if it was registered in the session of this request.", true],
});

export const listDeviceTokensText = describes(listDeviceTokens, {
  description: `For a page on which people see where pushes arrive, and switch old phones off. Tokens themselves are never shown. Devices
that were registered before the last new password receive nothing, and are missing here; so is one that somebody else has registered.`,
  answer: {
    text: "Up to 20 devices, all on one page.",
    fields: { tokens: ["The devices, the most recently registered first."] },
  },
});
