import { adjust, type Command, pay, repeat, stream, undo } from "./commands.ts";
import { deliver, mark } from "./notification-commands.ts";
import { remove, save, setPassword, writeByHand } from "./write-commands.ts";

/** People, by their places in the world. */
const [operator, admin, colleague] = [0, 1, 2];
/** Users with notifications: payments of slots 0 and 1 are the driver's news, those of 2 and 3 the admin's, who drives as well. */
const [driver, adminAsDriver] = [0, 1];
/** After the call that writes, whichever it is: before the answer. */
const deaths = [3, 4, 5, 6].map((at) => ({ at, moment: "after" as const }));

const undoBy = (...people: number[]) => people.map((who) => undo({ who }));
const deliverInTurn = (...picks: number[]) => picks.map((pick) => deliver({ picks: [pick] }));
const paid = (who: number, ...slots: number[]) => pay({ who, slots });
const removed = remove({ kind: "TIMESHEET", slot: 0 });
const markFirst = (user: number) => mark({ user, picks: [0] });
const news = stream({});
const user = { kind: "USER", slot: 0 } as const;

/** A history for each law, whatever the seed. */
export const knownHistories: readonly Command[][] = [
  // Whoever may undoes, once; an undo is undone, and so on.
  [
    paid(operator, 0, 1, 2, 3),
    ...undoBy(colleague, operator),
    undo({ who: operator, pick: 1 }),
    ...undoBy(admin, operator),
  ],
  // Records that are as asked already are no part of the change, and stay.
  [paid(operator, 1), paid(operator, 0, 1), undo({ who: admin }), paid(operator, 1)],
  // Timers, where there was none as well.
  [
    adjust({ slots: [0], timer: 0 }),
    adjust({ slots: [0], timer: 60 }),
    undo({ who: operator }),
    adjust({ slots: [0, 1], timer: 600 }),
    ...undoBy(admin, admin, admin),
  ],
  // Any write stands against an undo, by hand and of a removal as well.
  [
    paid(operator, 0, 1),
    writeByHand({ kind: "TIMESHEET", slot: 1 }),
    undo({ who: operator }),
    removed,
    undo({ who: operator }),
  ],
  // A request that was cut short and is repeated after others' changes is not done twice.
  ...deaths.map((death) => [
    pay({ who: operator, slots: [0], death }),
    pay({ who: admin, slots: [0], state: "pending" }),
  ]),
  ...deaths.map((death) => [paid(operator, 0, 1), undo({ who: operator, death }), paid(admin, 1)]),
  // One that found all as asked is not done when it is repeated after somebody's revert.
  [paid(operator, 0), paid(colleague, 0), pay({ who: admin, slots: [0], state: "pending" }), repeat({ pick: 1 })],
  // A repetition leaves out a record that was removed.
  [paid(operator, 0, 1), removed, repeat({ pick: 0 })],
  // The news arrives while the record has the state that it reports, in any order. News of a former state or of a
  // removed record does not arrive.
  [paid(operator, 0, 1), undo({ who: operator }), news, removed, ...deliverInTurn(0, 1, 2, 3)],
  [paid(operator, 0), ...undoBy(operator, operator), news, ...deliverInTurn(1, 0, 2)],
  [paid(operator, 0), news, save({ kind: "TIMESHEET", slot: 0, state: "paid", text: 1 }), ...deliverInTurn(0)],
  // A delivered notification stays, and the undo's news follows it, but to the one who undid it.
  [
    paid(operator, 0),
    news,
    ...deliverInTurn(0),
    undo({ who: operator }),
    news,
    ...deliverInTurn(1),
    undo({ who: operator }),
  ],
  [paid(operator, 0), news, ...deliverInTurn(0), markFirst(driver), undo({ who: operator })],
  [
    paid(operator, 2),
    news,
    ...deliverInTurn(0),
    markFirst(adminAsDriver),
    undo({ who: admin }),
    news,
    ...deliverInTurn(1),
    undo({ who: admin }),
  ],
  // Secrets: few random histories change a password or a passcode.
  [
    save(user),
    setPassword({ isAsked: true }),
    setPassword({ isAsked: false }),
    save({ ...user, text: 1 }),
    save({ ...user, text: 1, company: 1 }),
  ],
];
