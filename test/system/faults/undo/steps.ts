import { fc } from "../../../support/service/properties.ts";

const who = fc.nat({ max: 2 });
const slot = fc.nat({ max: 3 });
const pick = fc.nat({ max: 30 });
const moment = fc.constantFrom("before" as const, "after" as const);
/** Where a process ends: at which of its calls of AWS; mostly it does not. */
const death = fc.option(fc.record({ at: fc.integer({ min: 1, max: 9 }), moment }), { nil: undefined, freq: 2 });
const state = fc.constantFrom("paid", "pending");

/** What can happen in a history. */
export const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant("pay" as const),
      who,
      slots: fc.uniqueArray(slot, { minLength: 1, maxLength: 4 }),
      state,
      death,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant("adjust" as const),
      slots: fc.uniqueArray(fc.nat({ max: 1 }), { minLength: 1, maxLength: 2 }),
      timer: fc.constantFrom(0, 60, 600),
      death,
    }),
  },
  { weight: 7, arbitrary: fc.record({ does: fc.constant("undo" as const), who, pick: fc.nat({ max: 2 }), death }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("repeat" as const), pick }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constant("import" as const), slot, state }) },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom("remove" as const, "write by hand" as const), slot }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant("stream" as const) }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constant("deliver" as const), pick, death }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant("mark" as const), who: fc.nat({ max: 1 }), pick, read: fc.boolean() }),
  },
);

/** Something that happens in a history. */
export type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

/** Where a process ends. */
export type Death = { readonly at: number; readonly moment: "before" | "after" } | undefined;
