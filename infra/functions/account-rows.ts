import type { OperationName } from "../../shared/contract/operations.ts";
import { everyoneTheirOwn, type OperationRow } from "./function-row.ts";

/** The rows of both forms of a confirmation, by link and by body (D13). */
const confirmation = {
  area: "accounts",
  access: "anyone",
  readsHmacKey: true,
  readsClientAddress: true,
  settings: ["defaultCountry"],
  table: ["GetItem", "Query", "PutItem", "UpdateItem"],
  guarded: ["LIMIT#", "LOGIN#", "PIN#", "RESET#", "USER#"],
} satisfies Omit<OperationRow, "impact">;

/** The operations on logins, passwords, pins and sessions, with callers and rights. */
export const accountRows = {
  "request-password-reset": {
    area: "accounts",
    impact: "Nobody who forgot a password can ask for a pin.",
    pages: true,
    access: "anyone",
    readsHmacKey: true,
    sendsTo: ["pins"],
    settings: ["defaultCountry", "servedCountries", "recoveryDisclosure"],
    table: ["GetItem", "UpdateItem"],
    guarded: ["LIMIT#", "LOGIN#", "PIN#", "RESET#", "USER#"],
  },
  "confirm-login": {
    ...confirmation,
    impact: "Pins are not taken: nobody can reset a password or finish registering through the link.",
  },
  "sign-in": {
    area: "sessions",
    impact: "Nobody can sign in; those who are signed in stay so.",
    pages: true,
    access: "anyone",
    canary: true,
    memoryMegabytes: 1024,
    signsTokens: true,
    readsHmacKey: true,
    readsClientAddress: true,
    settings: ["defaultCountry"],
    table: ["GetItem", "PutItem", "UpdateItem"],
    guarded: ["LIMIT#", "LOGIN#", "PASSWORD#", "RESET#", "USER#"],
  },
  "refresh-token": {
    area: "sessions",
    impact: "Everyone is signed out within 15 minutes and has to sign in again.",
    pages: true,
    access: "anyone",
    canary: true,
    signsTokens: true,
    readsHmacKey: true,
    table: ["GetItem", "Query", "UpdateItem", "DeleteItem"],
    guarded: ["LIMIT#", "USER#"],
  },
  "sign-out": {
    area: "sessions",
    impact: "Signing out does not end the session: a stolen device stays signed in.",
    access: everyoneTheirOwn,
    table: ["Query", "UpdateItem", "DeleteItem"],
    guarded: ["USER#"],
  },
  "list-sessions": {
    area: "sessions",
    impact: "Nobody sees where they are signed in.",
    access: everyoneTheirOwn,
    table: ["GetItem", "Query"],
    guarded: ["USER#"],
  },
  "end-session": {
    area: "sessions",
    impact: "Nobody can sign a lost device out from another one.",
    access: everyoneTheirOwn,
    table: ["GetItem", "Query", "UpdateItem", "DeleteItem"],
    guarded: ["USER#"],
  },
  "set-password": {
    area: "accounts",
    impact: "Nobody can set a password: resets stop at their last step.",
    access: "anyone",
    memoryMegabytes: 1024,
    table: ["GetItem", "PutItem", "UpdateItem"],
    guarded: ["PASSWORD#", "RESET#", "USER#"],
  },
  "register-user": {
    area: "accounts",
    impact: "Nobody new can register.",
    access: "anyone",
    readsHmacKey: true,
    readsClientAddress: true,
    sendsTo: ["pins"],
    settings: ["defaultCountry", "servedCountries", "registration"],
    table: ["GetItem", "UpdateItem"],
    guarded: ["LIMIT#", "PIN#"],
  },
  "confirm-login-by-body": {
    ...confirmation,
    impact: "Pins are not taken: nobody can reset a password or finish registering.",
  },
  "get-profile": {
    area: "accounts",
    impact: "Nobody sees their own profile; apps that start with it do not start.",
    access: everyoneTheirOwn,
    table: ["GetItem"],
    guarded: ["USER#"],
  },
} satisfies Partial<Readonly<Record<OperationName, OperationRow>>>;
