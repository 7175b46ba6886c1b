import type { Command } from "./command.ts";
import { adjust, pay, repeat, stream, undo } from "./commands.ts";
import { deliver, importNotification, inform, mark, markAll } from "./notification-commands.ts";
import { endSession, importAll, remove, save, setPassword, writeByHand } from "./write-commands.ts";

/** People, by their places in the world. */
const [operator, admin, colleague, otherAdmin] = [0, 1, 2, 3];
/** Users with notifications: payments of slots 0 and 1 are the driver's news, those of 2 and 3 the admin's, who drives as well. */
const [driver, adminAsDriver] = [0, 1];
const afterCall = (at: number) => ({ at, moment: "after" as const });
/** After the call that writes, of a payment and an undo, before the answer. */
const [afterPayment, afterUndo] = [afterCall(5), afterCall(6)];

const paid = (who: number, ...slots: number[]) => pay({ who, slots });
const unpaid = (who: number, ...slots: number[]) => pay({ who, slots, state: "pending" });
const undone = (who: number, pick = 0) => undo({ who, pick });
const timed = (timer: number, ...slots: number[]) => adjust({ slots, timer });
const arrived = (...picks: number[]) => picks.map((pick) => deliver({ picks: [pick] }));
const seen = (user: number) => mark({ user, picks: [0] });
const unimported = importNotification({ isRemoved: true });
const invoice = { kind: "INVOICE" } as const;
const invoiced = (fields: Parameters<typeof save>[0]) => save({ ...invoice, ...fields });
const saved = (text: number, company: number) => save({ kind: "USER", text, company });

/** A history for each law, whatever the seed. */
export const knownHistories: readonly Command[][] = [
  // Whoever may undoes, once; an undo is undone, and so on.
  [
    paid(operator, 0, 1, 2, 3),
    undone(colleague),
    undone(operator),
    undone(operator, 1),
    undone(admin),
    undone(operator),
  ],
  // Timers, where there was none as well.
  [timed(0, 0), timed(60, 0), undone(operator), timed(600, 0, 1), undone(admin), undone(admin), undone(admin)],
  // Any write stands against an undo, by hand and of a removal as well.
  [paid(operator, 0, 1), writeByHand({ slot: 1 }), undone(operator), remove(), undone(operator)],
  // A request that was cut short and is repeated after others' changes is not done twice.
  [pay({ slots: [0], death: afterPayment }), unpaid(admin, 0)],
  [paid(operator, 0, 1), undo({ death: afterUndo }), paid(admin, 1)],
  // One that found all as asked is not done when it is repeated after somebody's revert.
  [paid(operator, 0), paid(colleague, 0), unpaid(admin, 0), repeat({ pick: 1 })],
  // A repetition leaves out a record that was removed.
  [paid(operator, 0, 1), remove(), repeat()],
  // The news arrives while the record has the state that it reports, in any order. News of a former state or of a
  // removed record does not arrive, also if it comes back in another.
  [paid(operator, 0, 1), undone(operator), stream(), remove(), ...arrived(0, 1), save(), ...arrived(0, 1, 2, 3)],
  [paid(operator, 0), stream(), save({ state: "paid", text: 1 }), ...arrived(0)],
  // A delivered notification stays, and the undo's news follows it, but to the one who undid it.
  [paid(operator, 0), stream(), ...arrived(0), undone(operator), stream(), ...arrived(1), undone(operator)],
  [
    paid(operator, 2),
    stream(),
    ...arrived(0),
    seen(adminAsDriver),
    undone(admin),
    stream(),
    ...arrived(1),
    undone(admin),
  ],
  // Own payments are no news, nor are own undos of them; the undo by somebody else is.
  [
    paid(admin, 2),
    stream(),
    ...arrived(0),
    undone(admin),
    paid(admin, 2),
    undone(otherAdmin),
    stream(),
    ...arrived(1, 2, 3),
  ],
  // Events that come together and twice are notified of once; unread counts follow marks, imports and removals.
  [inform(), inform({ type: "Chat" }), deliver({ picks: [0, 1, 1] }), markAll(), deliver({ picks: [0, 1] })],
  [importNotification(), importNotification(), seen(driver), unimported, unimported],
  // Lists and searches follow an invoice to another company and number, and lose a removed one.
  [invoiced({}), invoiced({ company: 1, number: "B 7" }), remove(invoice), invoiced({ isClockBehind: true })],
  // An import of many, over others' changes.
  [importAll(invoice), paid(operator, 0, 1), importAll(), importAll({ ...invoice, slot: 1 }), undone(operator)],
  // Secrets and sessions; of a person who was removed, the history keeps nothing personal.
  [saved(0, 0), setPassword({ isAsked: true }), setPassword(), saved(1, 0), saved(1, 1), endSession()],
  [saved(0, 0), saved(1, 0), remove({ kind: "USER" }), saved(0, 1)],
];
