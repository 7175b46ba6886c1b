import * as v from "valibot";

const wholeNumber = v.pipe(v.number(), v.integer(), v.minValue(0));

/** The counts in a plan, beside the records as the change would leave them (D40). */
export const plan = v.object({ would_change: wholeNumber, would_notify: wholeNumber });
