import { formatsOf } from "../../run/language.ts";
import type { NotificationWords } from "./notification-words.ts";

/** Notifications in English. */
export const notificationsEn: NotificationWords = {
  day: formatsOf("en-GB").shortDay,
  kinds: {
    Job: { title: "Job", kinds: { published: "A job was published" } },
    Timesheet: {
      title: "Timesheet",
      kinds: {
        submitted: "A timesheet was submitted",
        paid: "A timesheet was paid",
        pending: "A timesheet is pending again",
      },
    },
    Invoice: {
      title: "Invoice",
      kinds: { issued: "An invoice was issued", overdue: "An invoice is overdue", paid: "An invoice was paid" },
    },
    User: {
      title: "Account",
      kinds: { password_changed: "Your password was changed" },
    },
    Chat: { title: "Chat", kinds: { message: "You have a new message" } },
  },
};
