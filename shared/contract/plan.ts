import * as v from "valibot";

const wholeNumber = v.pipe(v.number(), v.integer(), v.minValue(0));

/** What a change would do, beside the records as it would leave them (D40). */
export const plan = v.object({ would_change: wholeNumber, would_notify: wholeNumber });
