import { plan } from "../plan.ts";
import { shapes } from "./text.ts";

export const planText = shapes(plan, "What a change would do if it were made now.", {
  would_change: ["How many of the records would change; the others are like that already.", 2],
  would_notify: [
    "How many users would be notified of it, each counted once, however many of the records concern them.",
    1,
  ],
});
