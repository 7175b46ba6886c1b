import { Refusal } from "../domain/refusal.ts";
import type { HttpRequest } from "./http-event.ts";

/** A repair takes longer. Clients that come back every few minutes find its end soon, and do not all come at once then. */
const retryAfterSeconds = 300;

/** Middleware: refuses every request while the stage is frozen. A variable of the API's stage says so, in each event. */
export function refuseWhileFrozen() {
  return {
    before({ event }: HttpRequest): void {
      if (event.stageVariables?.frozen !== "on") return;
      throw new Refusal("frozen", "The service is frozen for a repair", { retryAfterSeconds });
    },
  };
}
