import { type Part, type PartFindings, readPart } from "../../../shared/db/reconcile/read-parts.ts";

/** What a part cost in the process that read it. */
export interface PartCost {
  readonly processorSeconds: number;
  /** The most memory that the process had so far. */
  readonly megabytes: number;
}

process.on("message", async (part: Part) => {
  const began = process.cpuUsage();
  const answer: PartFindings = await readPart(part, () => {});
  const { user, system } = process.cpuUsage(began);
  const cost: PartCost = {
    processorSeconds: (user + system) / 1e6,
    megabytes: process.resourceUsage().maxRSS / 1_024,
  };
  process.send?.({ answer, cost });
});
process.on("disconnect", () => process.exit());
