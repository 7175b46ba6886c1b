import { plan } from "../plan.ts";
import { shapes } from "./text.ts";

export const planText = shapes(plan, "The effect of a change if it were made now.", {
  would_change: ["The number of records that would change; the others are like that already.", 2],
  would_notify: [
    "The number of users who would be notified of it, each counted once, however many of the records concern them.",
    1,
  ],
});
