import type { Death, Step } from "./steps.ts";

/** People, by their places in the world. */
const [operator, admin, colleague] = [0, 1, 2];
/** Drivers: the operator's payments of slots 0 and 1 are one's news, those of 2 and 3 the admin's, who drives as well. */
const [driver, adminAsDriver] = [0, 1];

const pay = (who: number, slots: number[], state: "paid" | "pending" = "paid", death?: Death): Step => ({
  does: "pay",
  who,
  slots,
  state,
  death,
});
const adjust = (slots: number[], timer: 0 | 60 | 600): Step => ({ does: "adjust", slots, timer, death: undefined });
/** Undoes the latest change, or one before it. */
const undo = (who: number, pick = 0, death?: Death): Step => ({ does: "undo", who, pick, death });
const remove = (slot: number): Step => ({ does: "remove", slot });
const stream: Step = { does: "stream" };
const deliver = (pick: number): Step => ({ does: "deliver", pick, death: undefined });
const mark = (who: number): Step => ({ does: "mark", who, pick: 0, read: true });
/** After the call that writes, whichever it is: before the answer. */
const deaths = [3, 4, 5, 6].map((at) => ({ at, moment: "after" as const }));

/** A history for each law, whatever the seed. */
export const knownHistories: readonly Step[][] = [
  // Whoever may undoes, once; an undo is undone, and so on.
  [pay(operator, [0, 1, 2, 3]), undo(colleague), undo(operator), undo(operator, 1), undo(admin), undo(operator)],
  // What was so already is no part of the change, and stays.
  [pay(operator, [1]), pay(operator, [0, 1]), undo(admin), pay(operator, [1])],
  // Timers, where there was none as well.
  [adjust([0], 0), adjust([0], 60), undo(operator), adjust([0, 1], 600), undo(admin), undo(admin), undo(admin)],
  // Any write stands against an undo, by hand and of a removal as well.
  [pay(operator, [0, 1]), { does: "write by hand", slot: 1 }, undo(operator), remove(0), undo(operator)],
  // What was cut short and repeated after others' changes is not done twice.
  ...deaths.map((death) => [pay(operator, [0], "paid", death), pay(admin, [0], "pending")]),
  ...deaths.map((death) => [pay(operator, [0, 1]), undo(operator, 0, death), pay(admin, [1])]),
  // What found all as asked is not done when it is repeated after somebody's revert.
  [pay(operator, [0]), pay(colleague, [0]), pay(admin, [0], "pending"), { does: "repeat", pick: 1 }],
  // A repetition leaves out a record that was removed.
  [pay(operator, [0, 1]), remove(0), { does: "repeat", pick: 0 }],
  // The news arrives while the record has the state that it reports, in any order. News of a former state or of a
  // removed record does not arrive.
  [pay(operator, [0, 1]), undo(operator), stream, remove(0), deliver(0), deliver(1), deliver(2), deliver(3)],
  [pay(operator, [0]), undo(operator), undo(operator), stream, deliver(1), deliver(0), deliver(2)],
  [pay(operator, [0]), stream, { does: "import", slot: 0, state: "paid" }, deliver(0)],
  // What was delivered stays, and the undo's news follows it, but to the one who undid it.
  [pay(operator, [0]), stream, deliver(0), undo(operator), stream, deliver(1), undo(operator)],
  [pay(operator, [0]), stream, deliver(0), mark(driver), undo(operator)],
  [pay(operator, [2]), stream, deliver(0), mark(adminAsDriver), undo(admin), stream, deliver(1), undo(admin)],
];
