import type { OutboundEvent } from "../../../shared/contract/outbound-events.ts";
import type { DeskSources } from "./sources.ts";
import type { OutboundView } from "./views.ts";

/** The newest events on the outbound bus, newest first. */
export function viewOutbound({
  buses,
  environment,
  webhook,
}: Pick<DeskSources, "buses" | "environment" | "webhook">): OutboundView[] {
  return buses.past(environment.OUTBOUND_BUS_NAME ?? "").map(({ id: key, detail }) => {
    const { id, type, subject, time } = detail as OutboundEvent;
    const posted = webhook.outcomeOf(key) ?? null;
    return { key, id, type, subject, at: Date.parse(time), event: detail as OutboundEvent, posted };
  });
}
