import { device, deviceToken, listDeviceTokens, registerDeviceToken, removeDeviceToken } from "../devices.ts";
import { describes, shapes } from "./text.ts";

export const deviceTokenText = shapes(deviceToken, "A device that pushes of its user go to.", {
  id: ["The id to delete it by.", 7_012_845],
  platform: ["The value sent at the registration; if none was, the push service: `fcm` or `apns`.", "ios"],
  token: [
    "The device's address at its push service.",
    "740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad",
  ],
});

export const registerDeviceTokenText = describes(registerDeviceToken, {
  description: `Call it after signing in, and whenever the operating system hands out a new token. Registering the same token again is
fine: it keeps its id. Of a phone that changed hands, the token moves to the current user, and the former one's list says when.
A device belongs to the session that registers it, and leaves with it. Of more than 20 devices of a user the oldest is dropped.`,
  body: {
    text: "The device to push to.",
    fields: {
      token: [
        "The token that FCM or APNs gave the app, up to 4,096 characters; for APNs in hexadecimal.",
        "740f4707bebcf74f9b7c25d48e3358945f6aa01da5ddb387462c7eaf61bb78ad",
      ],
      platform: [
        "Push service or system, in any case: `fcm`, `gcm`, `google`, `android` or `web` for FCM; `apns` for APNs, `apns_sandbox` for builds under development. With `ios`, `apple` or none, a token of 64 to 400 hexadecimal digits is one of APNs and any other one of FCM.",
        "ios",
      ],
      device_id: [
        "An id that the app makes up once. A new token with the same id replaces the former one.",
        "owens-phone",
      ],
    },
  },
  answer: {
    text: "Pushes will arrive on the device.",
    fields: { notification: ["The device as stored. Remember its `id`."] },
  },
});

export const removeDeviceTokenText = describes(removeDeviceToken, {
  description: `Stops pushes to one device, for instance when its user switches them off. Signing out does it by itself. Removing a device
that is gone already succeeds.`,
  parameters: { id: ["The `id` from the registration.", 7_012_845] },
  answer: { text: "No push goes there any more. The object is empty.", fields: {} },
});

export const deviceText = shapes(device, "One of the caller's devices, as a settings page shows it.", {
  id: ["Removes the device, in the path of the DELETE.", 7_012_845],
  platform: ["As the app wrote it when it registered.", "ios"],
  device_id: ["The app's own id for the device; null if it sent none.", "owens-phone"],
  registered_at: ["When this token was registered first.", "2026-04-20T06:58:12.000Z"],
  current: ["True where it was registered in the session that asks.", true],
});

export const listDeviceTokensText = describes(listDeviceTokens, {
  description: `For a page on which people see where pushes arrive, and switch old phones off. Tokens themselves are never shown. Devices
that were registered before the last new password receive nothing, and are missing here; so is one that somebody else has registered.`,
  answer: {
    text: "Up to 20 devices, all on one page.",
    fields: { tokens: ["The devices that pushes go to, the most recently registered at the top."] },
  },
});
