import { usualOrFull } from "../support/service/counts.ts";
import { describeBars } from "./store/describe-bars.ts";

describeBars("by date", [1_000, usualOrFull(3_000, 10_000)]);
// Shuffled and back-dated ids matter to days, which a thousand invoices fill as well as more do.
describeBars("shuffled", [1_000]);
describeBars("back-dated", [1_000]);
