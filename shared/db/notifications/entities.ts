import { deviceOwners } from "./device-owners.ts";
import { deviceSets, devices } from "./devices.ts";
import { notificationCounts } from "./notification-counts.ts";
import { deliveredEvents } from "./notification-delivery.ts";
import { notifications } from "./notifications.ts";
import { pushes } from "./pushes.ts";

/** Every kind of item that is about notifications and where they are pushed. */
export const notificationEntities = [
  notifications,
  notificationCounts,
  deliveredEvents,
  devices,
  deviceSets,
  deviceOwners,
  pushes,
] as const;
