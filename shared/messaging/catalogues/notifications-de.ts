import { formatsOf } from "../../run/language.ts";
import type { NotificationWords } from "./notification-words.ts";

/** Notifications in German. */
export const notificationsDe: NotificationWords = {
  day: formatsOf("de-DE").shortDay,
  kinds: {
    Job: { title: "Stelle", kinds: { published: "Eine Stelle wurde veröffentlicht" } },
    Timesheet: {
      title: "Stundenzettel",
      kinds: {
        submitted: "Ein Stundenzettel wurde eingereicht",
        paid: "Ein Stundenzettel wurde bezahlt",
        pending: "Ein Stundenzettel ist wieder offen",
      },
    },
    Invoice: {
      title: "Rechnung",
      kinds: {
        issued: "Eine Rechnung wurde gestellt",
        overdue: "Eine Rechnung ist überfällig",
        paid: "Eine Rechnung wurde bezahlt",
      },
    },
    User: {
      title: "Konto",
      kinds: { password_changed: "Ihr Passwort wurde geändert" },
    },
    Chat: { title: "Chat", kinds: { message: "Sie haben eine neue Nachricht" } },
  },
};
