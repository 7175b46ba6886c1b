import { describeBars } from "./store/describe-bars.ts";

describeBars("by date", [1_000]);
