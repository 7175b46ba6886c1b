import {
  maxUsersPerMessage,
  type NotificationMessage,
  notificationMessage,
  queueNotifications,
} from "../../shared/messages/notification-queue.ts";
import { findUsersOfProfile } from "../../shared/people/logins.ts";
import { findCompanyUsers, findExistingUsers } from "../../shared/people/users.ts";
import { chunksOf } from "../../shared/run/batches.ts";
import { forQueue } from "../../shared/worker.ts";
import { deliverNotification } from "./notification-delivery.ts";

/** Their messages, and the one that continues, fit into one batch to the queue. */
const usersPerPage = 5 * maxUsersPerMessage;

/**
 * Notifies the recipients of an event, except the actor, once each, while the record's state is the one that it reports
 * (D25). A company's users are notified page by page: each page becomes messages of its own, and one more message
 * continues. So each call stays short and one failure does not block the rest.
 */
export const handler = forQueue(
  notificationMessage,
  async ({ recipients, actorId, requestId: _, ...notification }, context) => {
    if ("company" in recipients) return queuePage(recipients, { ...notification, actorId });
    const userIds = "profile" in recipients ? await findUsersOfProfile(recipients.profile) : recipients.users;
    const concerned = await findExistingUsers(userIds.filter((userId) => userId !== actorId));
    await deliverNotification(concerned, notification, context);
  },
);

type CompanyRule = Extract<NotificationMessage["recipients"], { readonly company: number }>;

async function queuePage(
  { company, role, after, most }: CompanyRule,
  notification: Omit<NotificationMessage, "recipients">,
): Promise<void> {
  const page = await findCompanyUsers(company, role, most ?? usersPerPage, after);
  const chunks = chunksOf(page.userIds, maxUsersPerMessage).map((users) => ({ users }));
  const isWhole = page.after === undefined || most !== undefined;
  const next = isWhole ? [] : [{ company, role, after: page.after }];
  await queueNotifications([...chunks, ...next].map((recipients) => ({ ...notification, recipients })));
}
