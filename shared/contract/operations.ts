import {
  confirmLogin,
  confirmLoginByBody,
  getProfile,
  registerUser,
  requestPasswordReset,
  setPassword,
} from "./accounts.ts";
import { registerDeviceToken, removeDeviceToken } from "./devices.ts";
import { bulkUpdateTimesheets, listInvoices, listTimesheets } from "./finance.ts";
import { adjustJobTimers, listJobs } from "./jobs.ts";
import { getUnreadCounts, listNotifications, markNotifications } from "./notifications.ts";
import type { Method, Operation } from "./operation.ts";
import { getHealth, getKeySet, getOpenapi } from "./service.ts";
import { refreshToken, signIn, signOut } from "./sessions.ts";

const entries = [
  bulkUpdateTimesheets,
  listInvoices,
  adjustJobTimers,
  requestPasswordReset,
  confirmLogin,
  listNotifications,
  registerDeviceToken,
  getUnreadCounts,
  listTimesheets,
  listJobs,
  removeDeviceToken,
  markNotifications,
  signIn,
  refreshToken,
  signOut,
  registerUser,
  confirmLoginByBody,
  setPassword,
  getProfile,
  getHealth,
  getKeySet,
  getOpenapi,
] as const;

/** Every operation of the service, in the interface's order. Nothing else lists endpoints. */
export const operations: readonly Operation[] = entries;

/** The name of an operation. */
export type OperationName = (typeof entries)[number]["name"];

/** The methods that a path takes in the operations that are not `closed`; empty for an unknown path. */
export function methodsOf(path: string, closed: readonly OperationName[] = []): Method[] {
  const open = entries.filter(({ name }) => !closed.includes(name));
  return open.filter((entry) => isAddress(entry.path, path)).map((entry) => entry.method);
}

function isAddress(template: string, path: string): boolean {
  const parts = path.split("/");
  const wanted = template.split("/");
  return parts.length === wanted.length && wanted.every((part, at) => part.startsWith("{") || part === parts[at]);
}
